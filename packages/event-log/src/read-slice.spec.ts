import { expect } from 'chai';
import type kafkajs from 'kafkajs';
import { recordDigest } from './position.ts';
import { source } from './projection.ts';
import { goesBack, readSlice } from './read-slice.ts';
import { note, noteCodec } from './testing.ts';

/** A record of each of these offsets; those of one offset differ. */
function messagesAt(...offsets: number[]): kafkajs.KafkaMessage[] {
  return offsets.map((offset, n) => ({
    ...{ key: Buffer.from('k'), value: Buffer.from(note(n)), offset: String(offset) },
    ...{ timestamp: '0', attributes: 0, headers: {} },
  }));
}

function read(next: number, messages: readonly kafkajs.KafkaMessage[], fetchedFrom = next) {
  return readSlice(messages, {
    source: source('notes', 'notes', noteCodec),
    ...{ topic: 'notes', partition: 0, group: 'g', deadLetterTopic: 'dead' },
    ...{ position: { epoch: 1n, next: BigInt(next), digest: null } },
    fetchedFrom: BigInt(fetchedFrom),
  });
}

describe('reading a slice of a partition', () => {
  const digestOf = ({ key, value }: kafkajs.KafkaMessage) => recordDigest(key, value);

  it('ends behind its last record', () => {
    const messages = messagesAt(10, 11, 12);
    const { count, stop, to } = read(10, messages);
    expect({ count, stop }).to.deep.equal({ count: 3, stop: undefined });
    expect(to).to.deep.equal({ next: 13n, digest: digestOf(messages[2]!) });
    expect(goesBack(messages)).to.equal(false);
  });

  it('takes records whose offsets go back, and ends where the log does', () => {
    const messages = messagesAt(10, 11, 12, 10, 11);
    const { count, stop, records, to } = read(10, messages);
    expect({ count, stop, read: records.length }).to.deep.equal({
      count: 5,
      stop: undefined,
      read: 5,
    });
    expect(to).to.deep.equal({ next: 12n, digest: digestOf(messages[1]!) });
    expect(goesBack(messages)).to.equal(true);
  });

  it('stays where it is when all of it is copies of what was read before', () => {
    const { count, to } = read(12, messagesAt(11, 11), 11);
    expect(count).to.equal(2);
    expect(to).to.deep.equal({ next: 12n, digest: null });
  });

  it('stops before an offset that is missing, and before one that the fetch cannot have', () => {
    for (const messages of [messagesAt(10, 12), messagesAt(10, 9)]) {
      const { count, stop, to } = read(10, messages);
      expect([count, stop?.reason, to.next]).to.deep.equal([1, 'gap', 11n]);
    }
  });
});
