import {
  createHmac,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign as signBytes,
} from 'node:crypto';
import { everyTestAttacks } from '@tributary/testkit/attacks';
import { expect } from 'chai';
import { tokenKeyPair } from './testing/token-key-pair.ts';
import { createBearerVerifier } from './tokens.ts';

const known = tokenKeyPair('k1');
const stranger = tokenKeyPair('k1');
const p384 = generateKeyPairSync('ec', { namedCurve: 'secp384r1' });
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const ed25519 = generateKeyPairSync('ed25519');
const { key: signingKey } = known.signingKey;
const { key: publicKey } = known.verifyKey;

const caller = { tenantId: 't1', accessKeyId: 'ak1' };
const nowSeconds = Date.parse('2026-03-01T12:00:00Z') / 1_000;
const rightHeader = { alg: 'ES256', typ: 'JWT', kid: 'k1' };
const rightClaims = {
  ...caller,
  ...{ iss: 'tributary', aud: 'sandbox', iat: nowSeconds - 10, exp: nowSeconds + 60 },
};

const verify = createBearerVerifier({
  keys: [known.verifyKey],
  environment: 'sandbox',
  clock: { now: () => new Date(nowSeconds * 1_000) },
  isActive: () => true,
});
const read = (token: string) => verify(`Bearer ${token}`);

type Signing = (text: string) => Buffer;
const es256 = (key: KeyObject = signingKey): Signing => by('sha256', key, 'ieee-p1363');
const by =
  (digest: string | null, key: KeyObject, dsaEncoding: 'ieee-p1363' | 'der' = 'der'): Signing =>
  (text) =>
    signBytes(digest, Buffer.from(text), { key, dsaEncoding });
const mac =
  (digest: string, key: Buffer | string): Signing =>
  (text) =>
    createHmac(digest, key).update(text).digest();

/** A token of these parts; text stands as it is, for what JSON.stringify would not write. */
function made(header: object | string, claims: object | string, signing: Signing = es256()) {
  const text = `${part(header)}.${part(claims)}`;
  return `${text}.${signing(text).toString('base64url')}`;
}

function part(content: object | string): string {
  const text = typeof content === 'string' ? content : JSON.stringify(content);
  return Buffer.from(text).toString('base64url');
}

const withHeader = (more: object, signing?: Signing) =>
  made({ ...rightHeader, ...more }, rightClaims, signing);
const withClaims = (more: object) => made(rightHeader, { ...rightClaims, ...more });
const right = made(rightHeader, rightClaims);
const [head, body, signature] = right.split('.') as [string, string, string];
/** Every text that a verifier might mistake a public key for when it expects a secret. */
const publicTexts = {
  pem: publicKey.export({ format: 'pem', type: 'spki' }).toString(),
  der: publicKey.export({ format: 'der', type: 'spki' }),
  'the bare point': publicKey.export({ format: 'der', type: 'spki' }).subarray(-65),
  jwk: JSON.stringify(publicKey.export({ format: 'jwk' })),
};
const jwkOf = (key: KeyObject) => createPublicKey(key).export({ format: 'jwk' });

const refused: Record<string, Record<string, string>> = {
  'of another algorithm': {
    'none, unsigned': made({ ...rightHeader, alg: 'none' }, rightClaims, () => Buffer.alloc(0)),
    'None, signed': withHeader({ alg: 'None' }),
    'nOnE, unsigned': made({ ...rightHeader, alg: 'nOnE' }, rightClaims, () => Buffer.alloc(0)),
    'es256 in lower case': withHeader({ alg: 'es256' }),
    'an empty alg': withHeader({ alg: '' }),
    __proto__: withHeader({ alg: '__proto__' }),
    'a list of algs': withHeader({ alg: ['ES256'] }),
    'no alg': made({ typ: 'JWT', kid: 'k1' }, rightClaims),
    ...Object.fromEntries(
      Object.entries(publicTexts).flatMap(([form, key]) => [
        [`HS256 by ${form}`, withHeader({ alg: 'HS256' }, mac('sha256', key))],
        [`HS256 by ${form}, called ES256`, withHeader({}, mac('sha256', key))],
        [`HS512 by ${form}`, withHeader({ alg: 'HS512' }, mac('sha512', key))],
      ]),
    ),
    'HS256 by the empty secret': withHeader({ alg: 'HS256' }, mac('sha256', '')),
    ES384: withHeader({ alg: 'ES384' }, by('sha384', p384.privateKey, 'ieee-p1363')),
    'ES384, called ES256': withHeader({}, by('sha384', p384.privateKey, 'ieee-p1363')),
    'ES384 by the known key': withHeader({ alg: 'ES384' }, by('sha384', signingKey, 'ieee-p1363')),
    'ES512 by the known key': withHeader({ alg: 'ES512' }, by('sha512', signingKey, 'ieee-p1363')),
    'SHA-384 by the known key': withHeader({}, by('sha384', signingKey, 'ieee-p1363')),
    ES256K: withHeader({ alg: 'ES256K' }),
    RS256: withHeader({ alg: 'RS256' }, by('sha256', rsa.privateKey)),
    'RS256, called ES256': withHeader({}, by('sha256', rsa.privateKey)),
    PS256: withHeader({ alg: 'PS256' }, by('sha256', rsa.privateKey)),
    EdDSA: withHeader({ alg: 'EdDSA' }, by(null, ed25519.privateKey)),
  },
  'of another key': {
    'a stranger under a known id': withHeader({}, es256(stranger.signingKey.key)),
    'an unknown id': withHeader({ kid: 'k2' }),
    'an id that is a path': withHeader({ kid: '../../../dev/null' }),
    'an id that is SQL': withHeader({ kid: "k1' or '1'='1" }),
    'a list of ids': withHeader({ kid: ['k1'] }),
    'a number': withHeader({ kid: 1 }),
    'no id': made({ alg: 'ES256', typ: 'JWT' }, rightClaims),
    'its own key in jwk': withHeader(
      { jwk: jwkOf(stranger.signingKey.key) },
      es256(stranger.signingKey.key),
    ),
    'the known key in jwk': withHeader({ jwk: jwkOf(signingKey) }),
    jku: withHeader({ jku: 'https://example.com/keys' }),
    x5u: withHeader({ x5u: 'https://example.com/cert' }),
    x5c: withHeader({ x5c: ['MIIB'] }),
  },
  'with a header that asks for more': {
    'crit of b64': withHeader({ crit: ['b64'], b64: false }),
    'crit of nothing': withHeader({ crit: [] }),
    'crit of exp': withHeader({ crit: ['exp'], exp: nowSeconds + 60 }),
    b64: withHeader({ b64: false }),
    zip: withHeader({ zip: 'DEF' }),
    cty: withHeader({ cty: 'JWT' }),
    'another typ': withHeader({ typ: 'at+jwt' }),
    'alg twice, ours last': made(
      '{"alg":"none","alg":"ES256","typ":"JWT","kid":"k1"}',
      rightClaims,
    ),
    'alg twice, ours first': made(
      '{"alg":"ES256","alg":"none","typ":"JWT","kid":"k1"}',
      rightClaims,
    ),
    'kid twice': made('{"alg":"ES256","typ":"JWT","kid":"k2","kid":"k1"}', rightClaims),
    'a list': made('["ES256"]', rightClaims),
    'no JSON': made('alg=ES256', rightClaims),
    'a byte order mark': made(`\ufeff${JSON.stringify(rightHeader)}`, rightClaims),
  },
  'out of their time or place': {
    expired: withClaims({ exp: nowSeconds - 1 }),
    'expired this second': withClaims({ exp: nowSeconds }),
    'without an end': withClaims({ exp: undefined }),
    'with an end that is text': withClaims({ exp: String(nowSeconds + 60) }),
    'not before a time to come': withClaims({ nbf: nowSeconds + 1 }),
    'not before, in text': withClaims({ nbf: 'now' }),
    'made in the future': withClaims({ iat: nowSeconds + 61 }),
    'made at no time': withClaims({ iat: undefined }),
    'of another issuer': withClaims({ iss: 'https://issuer.example' }),
    'of no issuer': withClaims({ iss: undefined }),
    'for another audience': withClaims({ aud: 'prod' }),
    'for no audience': withClaims({ aud: undefined }),
    'for a list without ours': withClaims({ aud: ['prod', 'other'] }),
    'of no tenant': withClaims({ tenantId: undefined }),
    'of several tenants': withClaims({ tenantId: ['t1', 't2'] }),
    'of no access key': withClaims({ accessKeyId: null }),
    'with claims that are a list': made(rightHeader, '[]'),
    'with claims that are text': made(rightHeader, '"t1"'),
    'with claims that are no JSON': made(rightHeader, 'tenantId=t1'),
  },
  'cut, bent or not base64': {
    'the signature in DER': withHeader({}, by('sha256', signingKey, 'der')),
    'the signature of zeros': `${head}.${body}.${Buffer.alloc(64).toString('base64url')}`,
    'no signature': `${head}.${body}.`,
    'two parts': `${head}.${body}`,
    'four parts': `${right}.${signature}`,
    'five parts, as encrypted': `${right}.${body}.${signature}`,
    'a signature cut by a character': right.slice(0, -1),
    'a signature cut by a byte': `${head}.${body}.${cut(signature)}`,
    'a longer signature': `${right}AA`,
    'the same signature in another writing': `${right.slice(0, -1)}${next(right.at(-1)!)}`,
    padding: `${right}==`,
    'the other alphabet': `${head}.${body}.${signature.replace(/[\w-]$/, '+')}`,
    'a blank inside': `${head}.${body.slice(0, 4)} ${body.slice(4)}.${signature}`,
    'a line break inside': `${head}.${body.slice(0, 4)}\n${body.slice(4)}.${signature}`,
    'an asterisk inside': `${head}.${body.slice(0, 4)}*${body.slice(4)}.${signature}`,
    'other claims': `${head}.${part({ ...rightClaims, tenantId: 't2' })}.${signature}`,
    'another header': `${part({ ...rightHeader, typ: 'jwt' })}.${body}.${signature}`,
    'JSON serialization': JSON.stringify({ protected: head, payload: body, signature }),
  },
};

describe('an access token', () => {
  everyTestAttacks('tokens');
  it('made as ours are is taken, so that what is refused is refused for its one fault', () => {
    expect(read(right)).to.deep.equal(caller);
    expect(read(withClaims({ nbf: nowSeconds }))).to.deep.equal(caller);
    expect(read(withClaims({ aud: ['other', 'sandbox'] }))).to.deep.equal(caller);
  });

  for (const [kind, tokens] of Object.entries(refused)) {
    describe(`${kind} is refused`, () => {
      for (const [fault, token] of Object.entries(tokens)) {
        it(fault, () => expect(read(token)).to.equal(undefined));
      }
    });
  }
});

/** The next character of base64url, which differs in a bit that is not used. */
function next(character: string): string {
  return String.fromCharCode(character.charCodeAt(0) + 1);
}

function cut(base64url: string): string {
  return Buffer.from(base64url, 'base64url').subarray(0, -1).toString('base64url');
}
