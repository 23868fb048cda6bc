import { expect } from 'chai';
import fc from 'fast-check';
import { keepAnswer, keptBodyBytes } from './answer-keeper.ts';
import { createScrub } from './scrub.ts';

const password = 'correct-horse-battery';
const scrub = createScrub([{ username: 'u', password }]);

function keep(body: Buffer, changes: Partial<Parameters<typeof keepAnswer>[0]> = {}) {
  const start = body.length === 0 ? [] : [body];
  return keepAnswer({ statusCode: 200, headers: {}, start, incomplete: false, scrub, ...changes });
}

describe('keepAnswer', () => {
  it('keeps 4 KiB of a body, in whole characters', () => {
    const kept = keep(Buffer.from('é'.repeat(3_000)));
    expect(kept.body).to.equal('é'.repeat(2_048));
    expect(kept.cut).to.equal(true);
  });

  it('is never more than 4 KiB of text without NULs, whatever came', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 3 * keptBodyBytes }), (bytes) => {
        const { body } = keep(Buffer.from(bytes));
        expect(Buffer.byteLength(body)).to.be.at.most(keptBodyBytes);
        expect(body.isWellFormed()).to.equal(true);
        expect(body).not.to.include('\0');
      }),
    );
  });

  it('leaves no part of a password where the body is cut', () => {
    for (let before = keptBodyBytes - password.length - 1; before <= keptBodyBytes; before += 1) {
      const { body } = keep(Buffer.from('x'.repeat(before) + password + 'y'.repeat(100)));
      expect(body, `${before}`).to.match(/^x+(\[[a-z]*\]?)?y*$/);
    }
  });

  it('keeps no packed body', () => {
    const headers = { 'content-encoding': 'br' };
    expect(keep(Buffer.from('abc'), { headers })).to.include({ body: '', cut: true });
    const plain = { 'content-encoding': 'identity' };
    expect(keep(Buffer.from('abc'), { headers: plain })).to.include({ body: 'abc', cut: false });
  });

  it('keeps 64 headers, 8 KiB of them, 512 characters of each', () => {
    const many = Object.fromEntries(Array.from({ length: 200 }, (_, n) => [`x-${n}`, 'y']));
    expect(keep(Buffer.alloc(0), { headers: many }).headers).to.have.length(64);
    const long = Object.fromEntries(
      Array.from({ length: 30 }, (_, n) => [`x-${n}`, 'y'.repeat(9_999)]),
    );
    const { headers } = keep(Buffer.alloc(0), { headers: long });
    expect(headers[0]![1]).to.have.length(512);
    expect(JSON.stringify(headers).length).to.be.below(9_000);
  });

  it('keeps each value of a header that came several times, but no cookies', () => {
    const headers = { via: ['a', 'b'], 'set-cookie': ['session=1', 'other=2'] };
    expect(keep(Buffer.alloc(0), { headers }).headers).to.deep.equal([
      ['via', 'a'],
      ['via', 'b'],
      ['set-cookie', '[removed]'],
      ['set-cookie', '[removed]'],
    ]);
  });

  it('takes credentials out of headers, also in their names', () => {
    const headers = { 'x-echo': `got ${password}`, [password]: 'x' };
    expect(JSON.stringify(keep(Buffer.alloc(0), { headers }))).not.to.include(password);
  });
});
