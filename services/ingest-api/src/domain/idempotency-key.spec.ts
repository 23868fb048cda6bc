import { readPurchaseCreated } from '@tributary/contracts/public/purchase-created';
import { expect } from 'chai';
import fc from 'fast-check';
import { requestKey } from './idempotency-key.ts';

const header = (...lines: string[]) => lines.map((line) => Buffer.from(line));

/** Every character that JavaScript trims and a header line can carry. */
const blanks = [' ', '\t', '\u00a0', '\u1680', '\u2003', '\u2028', '\u2029', '\u3000', '\ufeff'];

describe('idempotency key of a request (interface 4.1 rules 7 and 10)', () => {
  it('is absent when neither form is sent', () => {
    expect(requestKey([], undefined)).to.eql({ outcome: 'none' });
  });

  it('comes from the header or from the body, trimmed', () => {
    expect(requestKey(header(' k\t'), undefined)).to.eql({ outcome: 'key', key: 'k' });
    expect(requestKey([], '\u00a0k\n')).to.eql({ outcome: 'key', key: 'k' });
    expect(requestKey(header('k'), ' k ')).to.eql({ outcome: 'key', key: 'k' });
    expect(requestKey(header('k', 'k '), undefined)).to.eql({ outcome: 'key', key: 'k' });
  });

  it('is trimmed of the same characters in both forms, at its ends only (design 8)', () => {
    for (const blank of blanks) {
      const padded = `${blank}k${blank}k${blank}`;
      const key = { outcome: 'key', key: `k${blank}k` };
      expect(requestKey(header(padded), undefined), JSON.stringify(blank)).to.eql(key);
      expect(requestKey([], padded), JSON.stringify(blank)).to.eql(key);
      expect(requestKey(header(padded), `k${blank}k`), JSON.stringify(blank)).to.eql(key);
    }
    for (const kept of ['\u200b', '\u0085', '\u180e', '\u2060']) {
      expect(requestKey(header(`k${kept}`), 'k'), JSON.stringify(kept)).to.eql({
        outcome: 'conflict',
      });
    }
  });

  it('reads header bytes as UTF-8 and takes quotes literally', () => {
    expect(requestKey(header('ключ'), 'ключ')).to.eql({ outcome: 'key', key: 'ключ' });
    expect(requestKey(header('\ufffd'), undefined)).to.eql({ outcome: 'key', key: '\ufffd' });
    expect(requestKey(header('"k"'), 'k')).to.eql({ outcome: 'conflict' });
  });

  it('tells apart what only Unicode normalisation or case would make equal', () => {
    expect(requestKey(header('e\u0301'), '\u00e9')).to.eql({ outcome: 'conflict' });
    expect(requestKey(header('K'), 'k')).to.eql({ outcome: 'conflict' });
  });

  it('is a conflict when forms or header lines differ after trimming', () => {
    expect(requestKey(header('a'), 'b')).to.eql({ outcome: 'conflict' });
    expect(requestKey(header('a', 'b'), undefined)).to.eql({ outcome: 'conflict' });
    expect(requestKey(header('a', 'a', 'b'), 'a')).to.eql({ outcome: 'conflict' });
  });

  it('is refused as out of range when the header is empty or too long after trimming', () => {
    const refused = ['', '  ', blanks.join(''), 'k'.repeat(256), '😀'.repeat(256)];
    for (const line of refused) {
      expect(codeOf(header(line)), JSON.stringify(line)).to.equal('OUT_OF_RANGE');
    }
    for (const line of ['😀'.repeat(255), ` ${'k'.repeat(255)}\u00a0`]) {
      expect(requestKey(header(line), undefined)).to.eql({ outcome: 'key', key: line.trim() });
    }
  });

  it('is refused as of another form when the header is not UTF-8 (design 8, Strings)', () => {
    const notUtf8 = {
      'a byte of latin1': [0x6b, 0xe9],
      'a sequence cut short': [0x6b, 0xc3],
      'an overlong slash': [0xc0, 0xaf],
      'a lone surrogate': [0xed, 0xa0, 0x80],
      'above U+10FFFF': [0xf4, 0x90, 0x80, 0x80],
    };
    for (const [what, bytes] of Object.entries(notUtf8)) {
      expect(codeOf([Buffer.from(bytes)]), what).to.equal('INVALID_FORMAT');
    }
  });

  it('validates a broken line before lines that differ (design 8, 422 before 400)', () => {
    expect(codeOf(header('a', 'b', ''))).to.equal('OUT_OF_RANGE');
    expect(codeOf([Buffer.from('a'), Buffer.from([0xff])])).to.equal('INVALID_FORMAT');
    expect(requestKey(header(''), 'a').outcome).to.equal('invalid');
  });

  it('means the same in header and body, for any text', () => {
    const text = fc.string({ unit: fc.oneof(fc.constantFrom(...blanks), fc.string()) });
    // Repeated, so that many are about as long as a key may be.
    const key = fc.tuple(text, fc.integer({ min: 1, max: 50 })).map(([t, n]) => t.repeat(n));
    fc.assert(
      fc.property(key.filter(fitsHeader), (key) => {
        const inHeader = requestKey(header(key), undefined);
        const inBody = readBodyKey(key);
        if (inBody === undefined) expect(inHeader.outcome).to.equal('invalid');
        else expect(inHeader).to.eql(requestKey([], inBody));
      }),
    );
  });
});

function codeOf(lines: Buffer[]): string | undefined {
  const key = requestKey(lines, undefined);
  if (key.outcome !== 'invalid') return undefined;
  expect(key.violation.pointer).to.equal('/idempotencyKey');
  return key.violation.code;
}

/** The body form as the contract lets it through; undefined when it is refused. */
function readBodyKey(idempotencyKey: string): string | undefined {
  const body = {
    ucc: 'c',
    occurredAt: '2026-01-31T12:00:00Z',
    newUser: { id: 'u' },
    idempotencyKey,
    currency: 'EUR',
    invoiceId: 'i',
    amount: 0,
    subscription: { interval: 'monthly' },
  };
  const reading = readPurchaseCreated(Buffer.from(JSON.stringify(body)));
  return reading.outcome === 'valid' ? reading.body.idempotencyKey : undefined;
}

/** No control character but a tab goes through a header line. */
function fitsHeader(text: string): boolean {
  const isControl = (c: string) => (c < ' ' && c !== '\t') || c === '\u007f';
  return text.isWellFormed() && ![...text].some(isControl);
}
