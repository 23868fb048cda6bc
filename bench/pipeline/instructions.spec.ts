import { expect } from 'chai';
import { readCount } from './instructions.ts';

describe('what perf says about instructions', () => {
  it('is a count where the processor has counters', () => {
    expect(readCount('1234567,,instructions:u,1000000,100.00,,\n')).to.equal(1_234_567);
    expect(
      readCount('warning: kptr\n99,,instructions,1000000,100.00,1.02,insn per cycle\n'),
    ).to.equal(99);
  });

  it('is no count where it has none, nor where perf did not attach', () => {
    expect(readCount('<not supported>,,instructions,0,100.00,,\n')).to.equal(undefined);
    expect(readCount('<not counted>,,instructions,0,0.00,,\n')).to.equal(undefined);
    expect(readCount('Error: Access to performance monitoring is limited\n')).to.equal(undefined);
  });
});
