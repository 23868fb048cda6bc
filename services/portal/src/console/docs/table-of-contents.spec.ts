import { expect } from 'chai';
import { renderMarkdown } from './markdown.ts';
import { tableOfContents } from './table-of-contents.ts';

describe('the table of contents of a page', () => {
  it('links to headings, those of third rank inside of those of second', () => {
    const page = renderMarkdown('# Page\n\n### Zero\n\n## One\n\n### `a<b>` & c\n\n## Two');
    expect(tableOfContents(page)).to.include(
      '<ol>\n<li><a href="#zero">Zero</a></li>\n' +
        '<li><a href="#one">One</a><ol><li><a href="#ab-c">a&lt;b&gt; &amp; c</a></li></ol></li>\n' +
        '<li><a href="#two">Two</a></li>\n</ol>',
    );
  });

  it('is left out where there is nearly nothing to list', () => {
    expect(tableOfContents(renderMarkdown('# Page\n\n## One\n\n## Two'))).to.equal('');
  });
});
