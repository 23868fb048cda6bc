import { expect } from 'chai';
import { isIntegration, isLong } from './spec-kinds.ts';

describe('the name of a spec', () => {
  const kindOf = (file: string) => [isIntegration(file), isLong(file)];

  it('says whether it needs servers and whether it takes long, in any order', () => {
    expect(kindOf('services/a.int/src/x.spec.ts')).to.deep.equal([false, false]);
    expect(kindOf('services/a/src/long.spec.ts')).to.deep.equal([false, false]);
    expect(kindOf('services/a/src/x.property.int.spec.ts')).to.deep.equal([true, false]);
    expect(kindOf('test-faults/x.long.spec.ts')).to.deep.equal([false, true]);
    expect(kindOf('services/a/src/x.long.int.spec.ts')).to.deep.equal([true, true]);
    expect(kindOf('services/a/src/x.int.long.spec.ts')).to.deep.equal([true, true]);
  });
});
