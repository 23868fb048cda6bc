import { csvForm } from '@tributary/contracts/admin/csv-form';
import { expect } from 'chai';
import fc from 'fast-check';
import { csvHead, csvLine } from './csv.ts';

describe('portal: lists as CSV', () => {
  const form = csvForm('items', 'id who.name amount', 'amount');

  it('has a line of names, and one of each item, as RFC 4180 writes them', () => {
    expect(csvHead(form)).to.equal('id,who.name,amount\r\n');
    const item = { id: 'a "b", c', who: { name: 'two\r\nlines' }, amount: '1.50' };
    expect(csvLine(form, item)).to.equal('"a ""b"", c","two\r\nlines",1.50\r\n');
    expect(csvLine(form, { id: 1 })).to.equal('1,,\r\n');
    expect(csvLine(form, { id: null, who: null, amount: 0 })).to.equal(',,0\r\n');
  });

  it('takes words of a list together, and writes anything else as JSON', () => {
    expect(csvLine(form, { id: ['a', 'b-c'] })).to.equal('a b-c,,\r\n');
    expect(csvLine(form, { id: [] })).to.equal(',,\r\n');
    expect(csvLine(form, { id: [{ as: 'held', credits: '5' }] })).to.equal(
      '"[{""as"":""held"",""credits"":""5""}]",,\r\n',
    );
  });

  for (const text of ['=cmd|calc', '+1', '-1', '@sum', ';=1', '\tx', '\rx', '\nx', '=', '-5']) {
    it(`makes ${JSON.stringify(text)} harmless`, () => {
      const [cell] = parse(csvLine(form, { id: text }));
      expect(cell).to.equal(`'${text}`);
    });
  }

  it('begins no cell with a formula where semicolons part cells', () => {
    expect(csvLine(form, { id: 'a;=1+1', who: { name: 'b' } })).to.equal('"a;=1+1",b,\r\n');
    expect(csvLine(form, { id: ';=1+1' })).to.equal(`"';=1+1",,\r\n`);
  });

  it('leaves exact numbers as they are, and nothing else of their columns', () => {
    for (const amount of ['-5', '0', '-0.25', '9007199254740993', '1e5']) {
      expect(parse(csvLine(form, { amount }))[2]).to.equal(amount);
    }
    for (const amount of ['-5+1', '=1', '-', '-1e5']) {
      expect(parse(csvLine(form, { amount }))[2]).to.equal(`'${amount}`);
    }
  });

  it('gives back every text, but for the apostrophe in front of what is dangerous', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: 'grapheme' }), { minLength: 2, maxLength: 2 }),
        (texts) => {
          const [id = '', name = ''] = texts;
          const cells = parse(csvLine(form, { id, who: { name }, amount: '1' }));
          expect(cells.map((cell) => cell.replace(/^'(?=[=+\-@;\t\r\n])/, ''))).to.deep.equal(
            [id, name, '1'].map((text) => text.replace(/^'(?=[=+\-@;\t\r\n])/, '')),
          );
          for (const cell of cells) expect(cell).to.not.match(/^[=+\-@;\t\r\n]/);
        },
      ),
    );
  });
});

/** As RFC 4180 reads one line. */
function parse(line: string): string[] {
  expect(line.endsWith('\r\n')).to.equal(true);
  const cells: string[] = [];
  const cell = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n$)/gy;
  for (let match = cell.exec(line); match !== null; match = cell.exec(line)) {
    cells.push(match[1]?.replaceAll('""', '"') ?? match[2] ?? '');
    if (match[3] !== ',') break;
  }
  return cells;
}
