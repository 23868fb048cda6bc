import { expect } from 'chai';
import { keysOfPartitions, partitionOf } from './partitioner.ts';

describe('keys of partitions', () => {
  it('are one for each, in their order, and the same every time', () => {
    for (const partitions of [1, 3, 12, 50]) {
      const keys = keysOfPartitions('t', partitions, (n) => `key-${n}`);
      expect(keys.map((key) => partitionOf('t', key, partitions))).to.deep.equal(
        Array.from({ length: partitions }, (_, i) => i),
      );
      expect(keysOfPartitions('t', partitions, (n) => `key-${n}`)).to.deep.equal(keys);
    }
  });
});
