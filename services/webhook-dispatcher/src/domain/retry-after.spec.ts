import { expect } from 'chai';
import { parseRetryAfter } from './retry-after.ts';

const now = Date.parse('2026-03-01T10:00:00Z');

describe('parseRetryAfter (RFC 9110, 10.2.3)', () => {
  it('reads seconds', () => {
    expect(parseRetryAfter(' 120 ', now)).to.equal(120_000);
  });

  it('reads any number of seconds as a finite one', () => {
    expect(parseRetryAfter('9'.repeat(400), now)).to.equal(31_536_000_000);
  });

  it('reads a date', () => {
    expect(parseRetryAfter('Sun, 01 Mar 2026 10:00:30 GMT', now)).to.equal(30_000);
  });

  it('takes a date in the past as now', () => {
    expect(parseRetryAfter('Sun, 01 Mar 2026 09:00:00 GMT', now)).to.equal(0);
  });

  it('ignores anything else', () => {
    const odd = [undefined, '', '-1', '1.5', '1e3', 'soon', '2026-03-01T10:00:30Z', '3 Mar'];
    expect(odd.map((value) => parseRetryAfter(value, now))).to.deep.equal(odd.map(() => undefined));
  });
});
