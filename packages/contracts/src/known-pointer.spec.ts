import { expect } from 'chai';
import { toKnownPointer } from './known-pointer.ts';

describe('the pointer of a refusal that is kept', () => {
  it('names members of the contract', () => {
    for (const pointer of [
      '',
      '/amount',
      '/subscription/interval',
      '/newUser/id',
      '/accessKeyId',
    ]) {
      expect(toKnownPointer(pointer)).to.equal(pointer);
    }
  });

  it('names nothing that a caller has chosen', () => {
    expect(toKnownPointer('/newUser/jane@example.com')).to.equal('/newUser/*');
    expect(toKnownPointer('/+4366012345678/name')).to.equal('/*/name');
    expect(toKnownPointer('/0')).to.equal('/*');
    expect(toKnownPointer('/constructor')).to.equal('/*');
    expect(toKnownPointer('/a~1b/__proto__')).to.equal('/*/*');
    expect(toKnownPointer('jane@example.com')).to.equal('*');
  });

  it('is not longer than its record takes, however deep the body is', () => {
    expect(toKnownPointer('/newUser'.repeat(5_000)).length).to.be.below(500);
  });
});
