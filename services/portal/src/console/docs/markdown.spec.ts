import { expect } from 'chai';
import { renderMarkdown } from './markdown.ts';

describe('the pages made of Markdown', () => {
  it('have an anchor at every heading', () => {
    expect(renderMarkdown('## 4. Send it `again`')).to.equal(
      '<h2 id="4-send-it-again"><a href="#4-send-it-again">4. Send it <code>again</code></a></h2>\n',
    );
  });

  it('link to pages where the files link to files', () => {
    const links =
      '[a](errors.md#warning-codes) [b](api/openapi.json) [c](https://example.com/x.md) [d](receivers/node.mjs)';
    expect(renderMarkdown(links)).to.equal(
      '<p><a href="/docs/errors#warning-codes">a</a> <a href="/docs/openapi.json">b</a> ' +
        '<a href="https://example.com/x.md">c</a> <a href="/docs/receivers/node.mjs">d</a></p>\n',
    );
  });

  it('show images of the folder, with what they show in words', () => {
    expect(renderMarkdown('![The "panel"](images/widget-phone.png)')).to.equal(
      '<p><img src="/docs/images/widget-phone.png" alt="The &quot;panel&quot;" loading="lazy"></p>\n',
    );
  });

  it('have an entry with an anchor for every row of a table of codes', () => {
    const table = '| Code | When |\n| --- | --- |\n| `A_B` | always |';
    expect(renderMarkdown(table)).to.include(
      '<article class="entry" id="A_B"><h3><a href="#A_B"><code>A_B</code></a></h3>' +
        '<dl><dt>When</dt><dd>always</dd></dl></article>',
    );
  });

  it('keep other tables, without a head that is empty', () => {
    const table = renderMarkdown('| | |\n| --- | --- |\n| Key | `k` |');
    expect(table).to.include('<tr><td>Key</td><td><code>k</code></td></tr>');
    expect(table).not.to.include('<th');
  });

  it('show what looks like a tag in code as it is', () => {
    expect(renderMarkdown('`<script>`')).to.include('<code>&lt;script&gt;</code>');
  });

  it('break paths in tables at their slashes', () => {
    expect(renderMarkdown('| A |\n| --- |\n| `/a/b` |')).to.include(
      '<td><code>/<wbr>a/<wbr>b</code></td>',
    );
  });
});
