import { expect } from 'chai';
import { secondsByFile, printSlowest } from './slowest.ts';

describe('the slowest tests', () => {
  const hook = 'portal "before each" hook: opens for';
  const timings = [
    { file: 'a.spec.ts', title: 'portal opens', ms: 1_234 },
    { file: 'a.spec.ts', title: `${hook} "opens"`, ms: 700 },
    { file: 'a.spec.ts', title: `${hook} "says "no" and\nends"`, ms: 800 },
    { file: 'b.spec.ts', title: 'ledger sums', ms: 40 },
  ];

  it('stand with their files, longest first, hooks as often as they ran', () => {
    expect(printSlowest(timings, 2)).to.equal(
      [
        '    1.5 s  a.spec.ts\n           portal "before each" hook: opens\n',
        '    1.2 s  a.spec.ts\n           portal opens\n',
      ].join(''),
    );
  });

  it('add up by file', () => {
    expect([...secondsByFile(timings)]).to.deep.equal([
      ['a.spec.ts', 3],
      ['b.spec.ts', 0],
    ]);
  });
});
