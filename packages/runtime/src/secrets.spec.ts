import { createHmac, randomBytes } from 'node:crypto';
import { expect } from 'chai';
import {
  createKeyedDigest,
  equalInConstantTime,
  keyedDigest,
  openSecret,
  sealSecret,
} from './secrets.ts';

const older = { keyId: 'k1', key: randomBytes(32) };
const newer = { keyId: 'k2', key: randomBytes(32) };
const context = 't1:product-secret';

describe('sealed secrets', () => {
  it('open to the same text, whatever it is', () => {
    for (const text of ['', 'a', 'päss wörd 🗝', 'x'.repeat(10_000)]) {
      expect(openSecret([older], sealSecret([older], text, context), context)).to.equal(text);
    }
  });

  it('have the form v1.<keyId>.<iv>.<tag>.<ciphertext> and never repeat', () => {
    const sealed = sealSecret([older], 'text', context);
    expect(sealed).to.match(/^v1\.k1\.[\w-]{16}\.[\w-]{22}\.[\w-]{6}$/);
    expect(sealSecret([older], 'text', context)).not.to.equal(sealed);
  });

  it('are sealed by the newest key and opened by any key of the ring', () => {
    const before = sealSecret([older], 'text', context);
    const after = sealSecret([newer, older], 'text', context);
    expect(after).to.match(/^v1\.k2\./);
    expect(openSecret([newer, older], before, context)).to.equal('text');
    expect(openSecret([newer, older], after, context)).to.equal('text');
  });

  it('do not open without their key', () => {
    const sealed = sealSecret([older], 'text', context);
    expect(() => openSecret([newer], sealed, context)).to.throw('not in the key ring');
    const impostor = { keyId: 'k1', key: newer.key };
    expect(() => openSecret([impostor], sealed, context)).to.throw('does not open');
  });

  it('do not open for another tenant or use', () => {
    const sealed = sealSecret([older], 'text', context);
    expect(() => openSecret([older], sealed, 't2:product-secret')).to.throw('does not open');
    expect(() => openSecret([older], sealed, 't1:webhook-password')).to.throw('does not open');
  });

  it('do not open when any part was changed, cut or added', () => {
    const parts = sealSecret([older], 'some text', context).split('.');
    for (const index of [2, 3, 4]) {
      const changed = parts.with(index, flipFirstBit(parts[index] ?? '')).join('.');
      expect(() => openSecret([older], changed, context), `part ${index}`).to.throw('open');
    }
    const cutTag = parts.with(3, (parts[3] ?? '').slice(0, 6)).join('.');
    expect(() => openSecret([older], cutTag, context)).to.throw('does not open');
    expect(() => openSecret([older], [...parts, 'x'].join('.'), context)).to.throw('form');
    expect(() => openSecret([older], 'v2.k1.a.b.c', context)).to.throw('form');
  });
});

describe('digests and comparison', () => {
  it('digest by HMAC-SHA-256 (RFC 4231, case 2)', () => {
    const digest = keyedDigest(Buffer.from('Jefe'), 'what do ya want for nothing?');
    expect(Buffer.from(digest, 'base64url').toString('hex')).to.equal(
      '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
    );
  });

  it('digest as HMAC does, for keys and texts of any length', () => {
    for (const keyBytes of [0, 1, 32, 63, 64, 65, 131]) {
      const key = Buffer.alloc(keyBytes, 0xa7);
      const digestOf = createKeyedDigest(key);
      for (const text of ['', 'a', 'ü€😀', 'half \ud83d', 'x'.repeat(55), 'x'.repeat(10_000)]) {
        const hmac = createHmac('sha256', key).update(text, 'utf8').digest('base64url');
        expect(digestOf(text)).to.equal(hmac);
        expect(keyedDigest(key, text)).to.equal(hmac);
      }
    }
  });

  it('compares texts of any length', () => {
    expect(equalInConstantTime('abc', 'abc')).to.equal(true);
    expect(equalInConstantTime('abc', 'abd')).to.equal(false);
    expect(equalInConstantTime('abc', 'abcd')).to.equal(false);
    expect(equalInConstantTime('', '')).to.equal(true);
  });
});

function flipFirstBit(base64url: string): string {
  const bytes = Buffer.from(base64url, 'base64url');
  bytes[0]! ^= 0x80;
  return bytes.toString('base64url');
}
