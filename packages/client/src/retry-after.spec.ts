import { expect } from 'chai';
import { retryAfterMs } from './retry-after.ts';

describe('Retry-After', () => {
  const date = 'Sun, 06 Nov 1994 08:49:37 GMT';

  for (const [value, ms] of [
    ['0', 0],
    ['7', 7_000],
    [' 7 ', 7_000],
    ['Sun, 06 Nov 1994 08:49:40 GMT', 3_000],
    ['Sun, 06 Nov 1994 08:49:00 GMT', 0],
    ['-1', undefined],
    ['1.5', undefined],
    ['soon', undefined],
    ['', undefined],
  ] as const) {
    it(`${JSON.stringify(value)} is ${ms} ms`, () => {
      expect(retryAfterMs(new Headers({ 'retry-after': value, date }))).to.equal(ms);
    });
  }

  it('is undefined when there is none', () => {
    expect(retryAfterMs(new Headers())).to.equal(undefined);
  });

  it('takes a date by the clock here when the answer has no date', () => {
    const inTenSeconds = new Date(Date.now() + 10_000).toUTCString();
    const ms = retryAfterMs(new Headers({ 'retry-after': inTenSeconds }));
    expect(ms).to.be.within(8_000, 10_000);
  });
});
