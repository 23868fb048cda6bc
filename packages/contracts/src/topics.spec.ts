import { expect } from 'chai';
import { defaultPartitions, partitionCounts, type Topic, topics } from './topics.ts';

describe('numbers of partitions', () => {
  it('are 96 for topics by person, and 12 for the others, by default', () => {
    const many = (Object.keys(topics) as Topic[]).filter(
      (topic) => defaultPartitions[topic] === 96,
    );
    expect(many.join()).to.equal(
      'events,people,attributions,rewards,issuances,deliveries,processor',
    );
    expect(defaultPartitions.catalog).to.equal(12);
  });

  it('are one for all topics, or some for topics that are named', () => {
    expect(new Set(Object.values(partitionCounts('24')))).to.deep.equal(new Set([24]));
    expect(partitionCounts('events=48, codes=6')).to.deep.equal({
      ...defaultPartitions,
      events: 48,
      codes: 6,
    });
  });

  it('are the defaults where nothing is said', () => {
    expect(partitionCounts(undefined)).to.equal(defaultPartitions);
    expect(partitionCounts('')).to.equal(defaultPartitions);
  });

  for (const text of [
    ...['0', '1001', '1e2', '0x10', 'events=0', 'events=1.5', 'events=1e2', 'events=48=3'],
    ...['event=12', 'toString=5', 'events', ',', 'events='],
  ]) {
    it(`are not ${JSON.stringify(text)}`, () => {
      expect(() => partitionCounts(text)).to.throw(
        /from 1 to 1000|is no topic; topics are events,/,
      );
    });
  }
});
