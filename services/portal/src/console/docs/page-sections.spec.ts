import { expect } from 'chai';
import { renderMarkdown } from './markdown.ts';
import { sectionsOf } from './page-sections.ts';

describe('the sections of a page', () => {
  it('are its headings and entries, each with the words up to the next', () => {
    const page = renderMarkdown(
      '# Errors\n\nWhat `it` means.\n\n## Codes & more\n\n| Code | When |\n| --- | --- |\n' +
        '| `A_B` | x < y |\n| `C_D` | never |\n\n### After\n\n```json\n{ "a": 1 }\n```\n',
    );
    expect(sectionsOf(page)).to.deep.equal([
      { id: 'errors', depth: 1, heading: 'Errors', text: 'What it means.' },
      { id: 'codes-more', depth: 2, heading: 'Codes & more', text: '' },
      { id: 'A_B', depth: 3, heading: 'A_B', text: 'When x < y' },
      { id: 'C_D', depth: 3, heading: 'C_D', text: 'When never' },
      { id: 'after', depth: 3, heading: 'After', text: '{ "a": 1 }' },
    ]);
  });

  it('begin with what stands before the first heading', () => {
    const [first] = sectionsOf(renderMarkdown('Before.\n\n## Then'));
    expect(first).to.deep.equal({ id: '', depth: 1, heading: '', text: 'Before.' });
  });
});
