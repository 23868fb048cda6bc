import { exactText, fromLetterKey } from '@tributary/contracts/dead-letter-key';
import { deadLetterCodec, type DeadLetterRecord } from '@tributary/contracts/dead-letter-record';
import { expect } from 'chai';
import { deadLetterOf } from './dead-letter.ts';

describe('dead letter', () => {
  function letterOf(key: Buffer | null, value = Buffer.from('{}'), personal = false) {
    const message = { key, value, timestamp: '1795263023274', offset: '17', attributes: 0 };
    const entry = deadLetterOf({
      held: { topic: 'notes', partition: 3, source: { personal } },
      message: { ...message, headers: {} },
      decoded: { outcome: 'broken', reason: 'schema', detail: '/: no match' },
      group: 'attribution',
      deadLetterTopic: 'dead-letters',
    });
    const decoded = deadLetterCodec.decode(Buffer.from(entry.value));
    if (decoded.outcome !== 'record') throw new Error('it cannot be read back');
    return { entry, letter: decoded.value as DeadLetterRecord };
  }

  it('has the key as text, and its bytes where the text is not surely the same', () => {
    const keys: [Buffer | null, string | undefined][] = [
      [Buffer.from('acme:user-1'), undefined],
      [Buffer.from('acme:a\0b'), 'acme:a\0b'],
      [Buffer.from('acme:\ufffd'), 'acme:\ufffd'],
      [Buffer.from('a'.repeat(2_000)), 'a'.repeat(2_000)],
      [Buffer.from(''), undefined],
      [null, undefined],
    ];
    for (const [key, asBytes] of keys) {
      const { entry, letter } = letterOf(key);
      expect(entry.key).to.match(/^[^\0]{0,1000}$/);
      const kept = letter.origin.keyBytes;
      expect(kept === undefined ? undefined : Buffer.from(kept, 'base64').toString()).to.equal(
        asBytes,
      );
      expect(fromLetterKey(letter.origin)).to.equal(key?.toString() ?? '');
    }
  });

  it('says when the key cannot be told any more, or is no text', () => {
    const { origin } = letterOf(Buffer.from('a'.repeat(5_000))).letter;
    expect(fromLetterKey(origin)).to.equal(undefined);
    expect(fromLetterKey(letterOf(Buffer.from([0x61, 0xff])).letter.origin)).to.equal(undefined);
    // Version 1 did not keep bytes.
    expect(fromLetterKey({ ...origin, key: 'acme:a\ufffdb' })).to.equal(undefined);
  });

  it('keeps the first bytes of a large value and says how many there were', () => {
    const { letter } = letterOf(null, Buffer.alloc(900_000, 'g'));
    expect(letter).to.include({ cutFromBytes: 900_000 });
    expect(Buffer.from(letter.value ?? '', 'base64')).to.have.length(256 * 1024);
    const older = { ...letter, schemaVersion: 1, cutFromBytes: undefined, type: undefined };
    const decoded = deadLetterCodec.decode(Buffer.from(JSON.stringify(older)));
    expect(decoded).to.deep.equal({ outcome: 'record', value: letter });
  });

  it('never has the value of a record about a person, nor the bytes of its key', () => {
    const { letter } = letterOf(Buffer.from('acme:\0cara'), Buffer.from('{"email":1}'), true);
    expect(letter.value).to.equal(null);
    expect(letter.origin).to.not.have.property('keyBytes');
  });

  it('knows bytes that are no text', () => {
    expect(exactText(Buffer.from('käse\0'))).to.equal('käse\0');
    expect(exactText(Buffer.from([0xc3, 0x28]))).to.equal(undefined);
  });
});
