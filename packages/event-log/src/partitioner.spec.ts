import { expect } from 'chai';
import fc from 'fast-check';
import kafkajs from 'kafkajs';
import { keysOfPartitions, partitionOf } from './partitioner.ts';

describe('the partition of a key', () => {
  it('is the one that kafkajs computes', () => {
    const byKafkajs = kafkajs.Partitioners.DefaultPartitioner();
    const inAll = (partitions: number) =>
      Array.from({ length: partitions }, (_, partitionId) => ({
        ...{ partitionErrorCode: 0, partitionId, leader: 0 },
        ...{ replicas: [], isr: [] },
      }));
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', maxLength: 80 }),
        fc.integer({ min: 1, max: 100 }),
        (key, partitions) => {
          const message = { key, value: null };
          const partitionMetadata = inAll(partitions);
          expect(partitionOf('t', key, partitions)).to.equal(
            byKafkajs({ topic: 't', partitionMetadata, message }),
          );
        },
      ),
      { numRuns: 500 },
    );
  });
});

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
