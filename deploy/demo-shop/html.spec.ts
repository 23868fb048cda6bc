import { expect } from 'chai';
import { dataBlock, html } from './html.ts';

describe('the pages of the demo shop', () => {
  it('escape what a customer wrote, in texts and in attributes', () => {
    const name = `<b>"Ada" & 'Bea'</b>`;
    const piece = html`<p title="${name}">${name}</p>`;
    const escaped = '&lt;b&gt;&quot;Ada&quot; &amp; &#39;Bea&#39;&lt;/b&gt;';
    expect(piece.html).to.equal(`<p title="${escaped}">${escaped}</p>`);
  });

  it('take pieces of HTML as they are, one or a list', () => {
    const items = ['a', '<'].map((text) => html`<li>${text}</li>`);
    const list = html`<ul>
      ${items}
    </ul>`;
    expect(list.html.replace(/\s/g, '')).to.equal('<ul><li>a</li><li>&lt;</li></ul>');
    expect(html`${list}${3}`.html).to.equal(`${list.html}3`);
  });

  it('hand data to scripts in a block that the data cannot end', () => {
    const data = { name: '</script><script>alert(1)//', mark: '<!--' };
    const { html: block } = dataBlock('boot', data);
    expect(block.match(/<\/?script/g)).to.deep.equal(['<script', '</script']);
    const [, json = ''] = /^<script type="application\/json" id="boot">(.*)<\/script>$/.exec(
      block,
    )!;
    expect(JSON.parse(json)).to.deep.equal(data);
  });
});
