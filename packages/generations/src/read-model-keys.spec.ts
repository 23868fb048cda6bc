import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { keyOf, keyOrNull, timeKeyOf, timeOf } from './read-model-keys.ts';

describe('keys in read models', () => {
  it('are the ids themselves, as far as they are uuids', () => {
    for (let n = 0; n < 100; n++) {
      const id = randomUUID();
      expect(keyOf(id)).to.equal(id);
    }
    expect(keyOrNull(undefined)).to.equal(null);
  });

  it('are uuids whatever the id is, always the same, and others for others', () => {
    const id = randomUUID();
    const odd = [
      '',
      'ev-1',
      'ev-2',
      id.toUpperCase(),
      `${id} `,
      id.replaceAll('-', ''),
      '\u{1f600}',
    ];
    const keys = [...odd, id].map(keyOf);
    for (const key of keys) expect(key).to.match(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    expect(new Set(keys)).to.have.property('size', keys.length);
    expect([...odd, id].map(keyOf)).to.deep.equal(keys);
  });

  it('of times keep their order, and give the time back', () => {
    const times = [
      '0000-01-01T00:00:00.000Z',
      '0999-12-31T23:59:59.999Z',
      '2026-02-28T23:59:59.999Z',
      '2026-03-01T00:00:00.000Z',
      '2026-03-01T00:00:00.001Z',
      '9999-12-31T23:59:59.999Z',
    ];
    const keys = times.map((time) => BigInt(timeKeyOf(time)));
    expect(keys).to.deep.equal([...keys].sort((a, b) => (a < b ? -1 : 1)));
    expect(new Set(keys)).to.have.property('size', times.length);
    // As Postgres gives a bigint: without leading zeros.
    expect(keys.map((key) => timeOf(String(key)))).to.deep.equal(times);
  });

  it('of days that there are not, and of other texts, are numbers, too', () => {
    expect(timeOf(timeKeyOf('0000-13-45T99:61:61.999Z'))).to.equal('0000-13-45T99:61:61.999Z');
    expect(timeKeyOf('not a time')).to.equal('0'.repeat(17));
  });
});
