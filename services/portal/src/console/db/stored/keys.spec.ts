import { expect } from 'chai';
import fc from 'fast-check';
import { keyOf, keyOrNull, timeKeyOf, timeOf } from './keys.ts';

describe('keys of what is stored', () => {
  it('are the ids themselves, as far as they are uuids', () => {
    fc.assert(fc.property(fc.uuid(), (id) => keyOf(id) === id));
    expect(keyOrNull(undefined)).to.equal(null);
  });

  it('are uuids whatever the id is, always the same, and others for others', () => {
    const anyId = fc.oneof(
      fc.string(),
      fc.uuid().map((id) => id.toUpperCase()),
    );
    fc.assert(
      fc.property(anyId, anyId, (a, b) => {
        expect(keyOf(a)).to.match(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
        expect(keyOf(a) === keyOf(b)).to.equal(a === b);
      }),
    );
  });

  it('of times keep their order, and give the time back', () => {
    const time = fc.date({ min: new Date(0), max: new Date('9999-12-31'), noInvalidDate: true });
    fc.assert(
      fc.property(time, time, (a, b) => {
        const [x, y] = [timeKeyOf(a.toISOString()), timeKeyOf(b.toISOString())];
        expect(timeOf(String(BigInt(x)))).to.equal(a.toISOString());
        expect(BigInt(x) < BigInt(y)).to.equal(a < b);
      }),
    );
  });

  it('of days that there are not, and of other texts, are numbers, too', () => {
    expect(timeOf(timeKeyOf('0000-13-45T99:61:61.999Z'))).to.equal('0000-13-45T99:61:61.999Z');
    expect(timeKeyOf('not a time')).to.equal('0'.repeat(17));
  });
});
