import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import jwt from 'jsonwebtoken';
import { createBearerVerifier, createTokenSigner, type TokenEnvironment } from './tokens.ts';

const older = { keyId: 'k1', key: randomBytes(32) };
const newer = { keyId: 'k2', key: randomBytes(32) };
const caller = { tenantId: 't1', accessKeyId: 'ak1' };

/** A signer and a verifier around a clock that is moved by hand. */
function setUp(options: { environment?: TokenEnvironment; maxRemembered?: number } = {}) {
  const { environment = 'prod', ...rest } = options;
  let nowMs = Date.parse('2026-03-01T12:00:00.500Z');
  const revoked = new Set<string>();
  const asked: string[] = [];
  const common = { keys: [newer, older], environment, clock: { now: () => new Date(nowMs) } };
  const isActive = (tenantId: string, accessKeyId: string) => {
    asked.push(`${tenantId}/${accessKeyId}`);
    return !revoked.has(accessKeyId);
  };
  const sign = createTokenSigner({ ...common, lifetimeSeconds: 18_000 });
  const verify = createBearerVerifier({ ...common, ...rest, isActive });
  const forge = (claims: object, key: Buffer = newer.key, signing: jwt.SignOptions = {}) => {
    const valid = { iss: 'tributary', aud: environment, exp: Math.floor(nowMs / 1_000) + 60 };
    const header = { alg: 'HS256', kid: 'k2' };
    // What is undefined is left out: the library refuses to sign some of what is forged here.
    const payload = JSON.stringify({ ...caller, ...valid, ...claims });
    return jwt.sign(payload, key, { header, ...signing });
  };
  return {
    sign,
    forge,
    revoked,
    asked,
    verify: (token: string) => verify(`Bearer ${token}`),
    verifyHeader: verify,
    advance: (seconds: number) => (nowMs += seconds * 1_000),
  };
}

describe('access tokens', () => {
  it('say who is asking until they expire (interface 2.11)', () => {
    const { sign, verify, advance } = setUp();
    const { accessToken, expiresIn } = sign(caller);
    expect(expiresIn).to.equal(18_000);
    expect(verify(accessToken)).to.deep.equal(caller);
    advance(17_999);
    expect(verify(accessToken)).to.deep.equal(caller);
    advance(1);
    expect(verify(accessToken)).to.equal(undefined);
  });

  it('expire also while they are remembered', () => {
    const { sign, verify, advance } = setUp();
    const { accessToken } = sign(caller);
    advance(17_990);
    expect(verify(accessToken)).to.deep.equal(caller);
    advance(10);
    expect(verify(accessToken)).to.equal(undefined);
  });

  it('name their key, issuer and environment', () => {
    const decoded = jwt.decode(setUp().sign(caller).accessToken, { complete: true });
    expect(decoded?.header).to.include({ alg: 'HS256', kid: 'k2' });
    expect(decoded?.payload).to.deep.include({ ...caller, iss: 'tributary', aud: 'prod' });
  });

  it('are refused at once when their access key is revoked, remembered or not', () => {
    const { sign, verify, revoked, asked } = setUp();
    const { accessToken } = sign(caller);
    expect(verify(accessToken)).to.deep.equal(caller);
    revoked.add('ak1');
    expect(verify(accessToken)).to.equal(undefined);
    expect(asked).to.deep.equal(['t1/ak1', 't1/ak1']);
  });

  it('are taken under any key of the ring, and not under another one', () => {
    const { forge, verify } = setUp();
    const underOlder = { header: { alg: 'HS256', kid: 'k1' } } as const;
    expect(verify(forge({}, older.key, underOlder))).to.deep.equal(caller);
    expect(verify(forge({}, newer.key, underOlder))).to.equal(undefined);
    expect(verify(forge({}, newer.key, { header: { alg: 'HS256', kid: 'k9' } }))).to.equal(
      undefined,
    );
    expect(verify(forge({}, newer.key, { header: { alg: 'HS256' } }))).to.equal(undefined);
  });

  it('of sandbox open nothing in production', () => {
    const { accessToken } = setUp({ environment: 'sandbox' }).sign(caller);
    expect(setUp({ environment: 'sandbox' }).verify(accessToken)).to.deep.equal(caller);
    expect(setUp({ environment: 'prod' }).verify(accessToken)).to.equal(undefined);
  });

  it('of another issuer, without expiry or without the claims are refused', () => {
    const { forge, verify } = setUp();
    expect(verify(forge({}))).to.deep.equal(caller);
    const wrong = [
      { iss: 'other' },
      { aud: ['other'] },
      { exp: undefined },
      { tenantId: 7 },
      { accessKeyId: undefined },
    ];
    for (const claims of wrong) {
      expect(verify(forge(claims)), JSON.stringify(claims)).to.equal(undefined);
    }
  });

  it('of another algorithm are refused, none above all', () => {
    const { forge, verify } = setUp();
    for (const alg of ['none', 'HS384', 'HS512']) {
      const token = forge({}, alg === 'none' ? Buffer.alloc(0) : newer.key, {
        header: { alg, kid: 'k2' },
        algorithm: alg as jwt.Algorithm,
      });
      expect(verify(token), alg).to.equal(undefined);
    }
  });

  it('that were changed are refused, as is rubbish', () => {
    const { sign, verify, verifyHeader } = setUp();
    const [head, , signature] = sign(caller).accessToken.split('.');
    const body = Buffer.from(JSON.stringify({ ...caller, tenantId: 't2' })).toString('base64url');
    for (const token of [
      `${head}.${body}.${signature}`,
      `${head}.${body}.`,
      'a.b.c',
      'abc',
      '..',
    ]) {
      expect(verify(token), token).to.equal(undefined);
    }
    expect(verifyHeader(undefined)).to.equal(undefined);
    expect(verifyHeader('Basic abc')).to.equal(undefined);
  });

  it('stay right when more callers come than are remembered', () => {
    const { sign, verify } = setUp({ maxRemembered: 2 });
    const callers = Array.from({ length: 5 }, (_, i) => ({
      tenantId: `t${i}`,
      accessKeyId: `a${i}`,
    }));
    const tokens = callers.map((one) => sign(one).accessToken);
    for (let round = 0; round < 2; round++) {
      expect(tokens.map((token) => verify(token))).to.deep.equal(callers);
    }
  });
});
