import { expect } from 'chai';
import { lastLines, printError, printFailures } from './failure.ts';

const noDiff = () => '';

describe('what failed, told again', () => {
  it('takes at most 40 lines of an error, however long it is', () => {
    const long = (word: string) => Array.from({ length: 500 }, (_, i) => `${word} ${i}`).join('\n');
    const error = Object.assign(new Error(long('said'), { cause: new Error(long('cause')) }), {
      ...{ actual: 'a', expected: 'b' },
    });
    const lines = printError(error, () => long('differs')).split('\n');
    expect(lines.length).to.be.at.most(40);
    for (const part of ['said 0', 'differs 0', 'cause 0', 'at ']) {
      expect(lines.some((line) => line.includes(part))).to.equal(true, part);
    }
    expect(lines).to.include('… 486 more lines');
  });

  it('cuts a line that has no end', () => {
    expect(printError(new Error('x'.repeat(1_000_000)), noDiff).length).to.be.below(5_000);
  });

  it('says something of an error without a message', () => {
    expect(printError(new TypeError(), noDiff)).to.match(/^TypeError\n/);
  });

  it('keeps the end of a long output, without colours', () => {
    const output = Array.from({ length: 100 }, (_, i) => `\u001b[31mmistake ${i}\u001b[39m`);
    const lines = lastLines(output.join('\n')).split('\n');
    expect(lines).to.have.length(40);
    expect(lines[0]).to.equal('… 61 lines before');
    expect(lines.at(-1)).to.equal('mistake 99');
  });

  it('names several failures once more behind the last of them', () => {
    const failures = ['one', 'two'].map((title) => ({ title, details: `of ${title}\nat there` }));
    expect(printFailures(failures)).to.equal(
      [
        '1) one\n   of one\n   at there\n\n2) two\n   of two\n   at there\n\n',
        '1) one\n2) two\n',
      ].join(''),
    );
    expect(printFailures(failures.slice(0, 1))).to.equal('1) one\n   of one\n   at there\n');
  });
});
