import { expect } from 'chai';
import { toCsv } from './csv.ts';

describe('CSV', () => {
  it('keeps what a cell may hold, and says UTF-8', () => {
    expect(toCsv([['a', 'b,c', 'say "hi"', 'two\nlines']])).to.equal(
      '\ufeffa,"b,c","say ""hi""","two\nlines"\r\n',
    );
  });

  for (const formula of ['=cmd', '+1+2', '-1+2', '@sum(1)', '\tx']) {
    it(`makes no formula of ${JSON.stringify(formula)}`, () => {
      expect(toCsv([[formula]])).to.equal(`\ufeff'${formula}\r\n`);
    });
  }

  it('begins no cell with a formula where semicolons part cells', () => {
    expect(toCsv([['a;=1+1', ';=1+1']])).to.equal(`\ufeff"a;=1+1","';=1+1"\r\n`);
  });

  it('leaves numbers below zero as they are', () => {
    expect(toCsv([['-12.50']])).to.equal('\ufeff-12.50\r\n');
  });
});
