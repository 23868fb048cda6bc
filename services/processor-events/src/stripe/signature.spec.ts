import { expect } from 'chai';
import fc from 'fast-check';
import { createHmac } from 'node:crypto';
import { validateSignature, signatureDetails, signStripePayload } from './signature.ts';

const secret = 'whsec_a-secret-of-tests';
const now = new Date('2026-05-01T12:00:00.900Z');
const seconds = 1_777_636_800;
const text = '{"id":"evt_1","object":"event","text":"ä€😀"}';
const body = Buffer.from(text);

/** As Stripe documents it, without its library. */
function v1(t: number | string, signed: string | Uint8Array = body, key = secret): string {
  return createHmac('sha256', key).update(`${t}.`).update(signed).digest('hex');
}

function validate(
  header: string | undefined,
  changes: { body?: Uint8Array; secrets?: string[] } = {},
) {
  const validated = validateSignature({ body, header, secrets: [secret], now, ...changes });
  return validated.outcome === 'signed' ? validated.text : validated.reason;
}

describe('signature of a webhook', () => {
  it('is accepted over the body as it came, and gives its text', () => {
    expect(validate(`t=${seconds},v1=${v1(seconds)}`)).to.equal(text);
    expect(validate(signStripePayload(text, secret, now))).to.equal(text);
  });

  it('is refused when its header is missing or malformed', () => {
    expect(validate(undefined)).to.equal('missing');
    expect(validate('')).to.equal('missing');
    const good = v1(seconds);
    for (const header of [
      `v1=${good}`,
      `t=,v1=${good}`,
      `t=abc,v1=${good}`,
      `t=${seconds}x,v1=${good}`,
      `t=-${seconds},v1=${good}`,
      `t=${seconds},t=${seconds},v1=${good}`,
      `t=1,t=${seconds},v1=${good}`,
      `t=${seconds},v1=${good},v1=`,
      `t=${seconds},v1`,
      good,
    ]) {
      expect(validate(header), header).to.equal('malformed');
    }
    expect(validate(`t=${seconds}`)).to.equal('no-v1');
    expect(validate(`t=${seconds},v0=${good}`)).to.equal('no-v1');
  });

  it('is found among several, of any scheme and in any place', () => {
    const [good, other] = [v1(seconds), v1(seconds, body, 'whsec_other')];
    expect(validate(`t=${seconds},v0=abc,v1=${other},v1=${good}`)).to.equal(text);
    expect(validate(`v1=${good},v1=${other},t=${seconds}`)).to.equal(text);
    expect(validate(`t=${seconds},v1=${other},v1=short`)).to.equal('no-match');
  });

  it('is accepted by any of the secrets, and by none that is not there', () => {
    const header = `t=${seconds},v1=${v1(seconds)}`;
    expect(validate(header, { secrets: ['whsec_new', secret] })).to.equal(text);
    expect(validate(header, { secrets: ['whsec_new'] })).to.equal('no-match');
    expect(validate(header, { secrets: [] })).to.equal('no-match');
    expect(validate(`t=${seconds},v1=${v1(seconds, body, '')}`, { secrets: [''] })).to.equal(
      'no-match',
    );
  });

  it('has a tolerance of 300 s in both directions', () => {
    const at = (t: number) => validate(`t=${t},v1=${v1(t)}`);
    expect(at(seconds - 300)).to.equal(text);
    expect(at(seconds - 301)).to.equal('too-old');
    expect(at(seconds + 300)).to.equal(text);
    expect(at(seconds + 301)).to.equal('too-far-ahead');
    expect(at(999_999_999_999)).to.equal('too-far-ahead');
    expect(at(0)).to.equal('too-old');
  });

  it('says nothing of the time of what is not signed', () => {
    expect(validate(`t=${seconds - 9_000},v1=${v1(seconds)}`)).to.equal('no-match');
    expect(validate(`t=${seconds + 9_000},v1=${v1(seconds)}`)).to.equal('no-match');
  });

  it('is of these bytes and no others', () => {
    const header = (signed: string | Uint8Array) => `t=${seconds},v1=${v1(seconds, signed)}`;
    const other = Buffer.from(JSON.stringify(JSON.parse(text), null, 2));
    expect(validate(header(text), { body: other })).to.equal('no-match');
    const withMark = Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), body]);
    expect(validate(header(text), { body: withMark })).to.equal('no-match');
    expect(validate(header(withMark), { body: withMark })).to.equal(`\uFEFF${text}`);
    // What a lenient decoder would make the same text of.
    const replaced = Buffer.from('"\uFFFD"');
    expect(validate(header(replaced), { body: Buffer.from([0x22, 0xff, 0x22]) })).to.equal(
      'no-match',
    );
    expect(validate(header(''), { body: Buffer.alloc(0) })).to.equal('no-match');
  });

  it('is refused when any bit of the body is another', () => {
    const header = `t=${seconds},v1=${v1(seconds)}`;
    const anyBit = fc.tuple(fc.nat(body.length - 1), fc.nat(7));
    fc.assert(
      fc.property(anyBit, ([place, bit]) => {
        const changed = Buffer.from(body);
        changed[place] = (changed[place] ?? 0) ^ (1 << bit);
        expect(validate(header, { body: changed })).to.equal('no-match');
      }),
    );
  });

  it('never throws, whatever the header', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (header) => {
        expect(Object.keys(signatureDetails)).to.include(validate(header));
      }),
      { numRuns: 300 },
    );
  });
});
