import { sign as signBytes, type KeyObject } from 'node:crypto';
import { expect } from 'chai';
import jwt from 'jsonwebtoken';
import {
  createBearerVerifier,
  createCurrentVerifier,
  createTokenSigner,
  type TokenEnvironment,
} from './tokens.ts';
import { tokenKeyPair } from './testing/token-key-pair.ts';

const older = tokenKeyPair('k1');
const newer = tokenKeyPair('k2');
const caller = { tenantId: 't1', accessKeyId: 'ak1' };

/** A signer and a verifier around a clock that is moved by hand. */
function setUp(
  options: {
    environment?: TokenEnvironment;
    maxRemembered?: number;
    signing?: typeof newer;
    verifying?: (typeof newer)[];
  } = {},
) {
  const { environment = 'prod', signing = newer, verifying = [newer, older], ...rest } = options;
  let nowMs = Date.parse('2026-03-01T12:00:00.500Z');
  const revoked = new Set<string>();
  const asked: string[] = [];
  const common = { environment, clock: { now: () => new Date(nowMs) } };
  const isActive = (tenantId: string, accessKeyId: string) => {
    asked.push(`${tenantId}/${accessKeyId}`);
    return !revoked.has(accessKeyId);
  };
  // Without them nothing is verified any more, so what is still taken is what is remembered.
  const keys = verifying.map(({ verifyKey }) => verifyKey);
  const sign = createTokenSigner({ ...common, key: signing.signingKey, lifetimeSeconds: 18_000 });
  const verify = createBearerVerifier({ ...common, ...rest, keys, isActive });
  const forge = (
    claims: object,
    key: KeyObject = newer.signingKey.key,
    header: object = { alg: 'ES256', typ: 'JWT', kid: 'k2' },
  ) => {
    const iat = Math.floor(nowMs / 1_000);
    const valid = { iss: 'tributary', aud: environment, iat, exp: iat + 60 };
    const text = [header, { ...caller, ...valid, ...claims }].map(encoded).join('.');
    const signature = signBytes('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' });
    return `${text}.${signature.toString('base64url')}`;
  };
  return {
    sign,
    forge,
    revoked,
    asked,
    forgetKeys: () => void (keys.length = 0),
    verify: (token: string) => verify(`Bearer ${token}`),
    verifyHeader: verify,
    advance: (seconds: number) => (nowMs += seconds * 1_000),
  };
}

function encoded(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url');
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
    expect(decoded?.header).to.deep.equal({ alg: 'ES256', typ: 'JWT', kid: 'k2' });
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

  it('are taken under the key that they name, and under no other one', () => {
    const { forge, verify } = setUp();
    const named = (kid?: string) => ({ alg: 'ES256', typ: 'JWT', kid });
    const { key } = newer.signingKey;
    expect(verify(forge({}, older.signingKey.key, named('k1')))).to.deep.equal(caller);
    expect(verify(forge({}, key, named('k2')))).to.deep.equal(caller);
    for (const kid of ['k1', 'k9', '', '__proto__', undefined]) {
      expect(verify(forge({}, key, named(kid))), kid).to.equal(undefined);
    }
  });

  it('of sandbox open nothing in production, nor the other way round', () => {
    const { accessToken } = setUp({ environment: 'sandbox' }).sign(caller);
    expect(setUp({ environment: 'sandbox' }).verify(accessToken)).to.deep.equal(caller);
    expect(setUp({ environment: 'prod' }).verify(accessToken)).to.equal(undefined);
    const ofProduction = setUp({ environment: 'prod' }).sign(caller).accessToken;
    expect(setUp({ environment: 'sandbox' }).verify(ofProduction)).to.equal(undefined);
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
      { iat: undefined },
      { iat: '1' },
      { exp: '99999999999' },
      { exp: null },
    ];
    for (const claims of wrong) {
      expect(verify(forge(claims)), JSON.stringify(claims)).to.equal(undefined);
    }
  });

  it('are refused before their `nbf`, and when made in the future by more than clocks differ', () => {
    const { forge, verify, advance } = setUp();
    const nowSeconds = Date.parse('2026-03-01T12:00:00Z') / 1_000;
    const early = forge({ nbf: nowSeconds + 5 });
    expect(verify(early)).to.equal(undefined);
    advance(5);
    expect(verify(early)).to.deep.equal(caller);
    const exp = nowSeconds + 18_000;
    expect(verify(forge({ iat: nowSeconds + 60, exp }))).to.deep.equal(caller);
    expect(verify(forge({ iat: nowSeconds + 90, exp }))).to.equal(undefined);
  });

  it('are refused once their key verifies nothing any more', () => {
    const { accessToken } = setUp({ signing: older }).sign(caller);
    expect(jwt.decode(accessToken, { complete: true })?.header.kid).to.equal('k1');
    const rotated = setUp();
    expect(rotated.verify(accessToken)).to.deep.equal(caller);
    const { accessToken: next } = rotated.sign(caller);
    const after = setUp({ verifying: [newer] });
    expect(after.verify(accessToken)).to.equal(undefined);
    expect(after.verify(next)).to.deep.equal(caller);
  });

  it('that were changed are refused, as is rubbish', () => {
    const { sign, verify, verifyHeader } = setUp();
    const { accessToken } = sign(caller);
    const [head, claims, signature] = accessToken.split('.');
    const body = Buffer.from(JSON.stringify({ ...caller, tenantId: 't2' })).toString('base64url');
    for (const token of [
      `${head}.${body}.${signature}`,
      `${head}.${body}.`,
      `${accessToken}.`,
      `${accessToken}.${signature}`,
      `.${accessToken}`,
      `${accessToken}=`,
      `${head}.${claims}.${signature!.slice(0, -1)}`,
      `${head}.${claims}`,
      `${accessToken},${accessToken}`,
      `${accessToken} ${accessToken}`,
      'a.b.c',
      'abc',
      '..',
    ]) {
      expect(verify(token), token).to.equal(undefined);
    }
    expect(verifyHeader(undefined)).to.equal(undefined);
    expect(verifyHeader('Basic abc')).to.equal(undefined);
  });

  it('far longer than ours are refused without any work, were they valid', () => {
    const { forge, verify, asked } = setUp();
    expect(verify(forge({ filler: 'x'.repeat(1_000) }))).to.deep.equal(caller);
    asked.length = 0;
    expect(verify(forge({ filler: 'x'.repeat(8_000) }))).to.equal(undefined);
    expect(asked).to.deep.equal([]);
  });

  it('are remembered for at most 60 s, and no more of them than the bound', () => {
    const { sign, verify, advance, forgetKeys } = setUp({ maxRemembered: 2 });
    const [first, second, third] = ['a', 'b', 'c'].map(
      (accessKeyId) => sign({ tenantId: 't1', accessKeyId }).accessToken,
    ) as [string, string, string];
    for (const token of [first, second, third]) expect(verify(token)).to.not.equal(undefined);
    forgetKeys();
    expect(verify(first), 'pushed out').to.equal(undefined);
    advance(59);
    expect(verify(second)).to.include({ accessKeyId: 'b' });
    expect(verify(third)).to.include({ accessKeyId: 'c' });
    advance(1);
    expect(verify(second)).to.equal(undefined);
  });

  it('that are refused take no room: nobody pushes out a customer with forged ones', () => {
    const { sign, forge, verify, forgetKeys } = setUp({ maxRemembered: 1 });
    const { accessToken } = sign(caller);
    expect(verify(accessToken)).to.deep.equal(caller);
    for (let i = 0; i < 100; i++) {
      expect(verify(forge({ i }, older.signingKey.key))).to.equal(undefined);
    }
    forgetKeys();
    expect(verify(accessToken)).to.deep.equal(caller);
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

describe('access tokens of a key that is not known yet', () => {
  function setUpCurrent() {
    const known = new Set<string>();
    const published = new Set<string>();
    let reads = 0;
    const common = {
      environment: 'prod',
      clock: { now: () => new Date('2026-03-01T12:00:00.500Z') },
    } as const;
    const sign = createTokenSigner({ ...common, key: newer.signingKey, lifetimeSeconds: 60 });
    const verify = createCurrentVerifier({
      ...common,
      keys: [newer.verifyKey],
      isActive: (_tenantId, accessKeyId) => known.has(accessKeyId),
      becomeCurrent: () => {
        reads += 1;
        for (const key of published) known.add(key);
        return Promise.resolve();
      },
    });
    return { known, published, sign, verify, reads: () => reads };
  }

  it('are good once the catalog has been read to its end', async () => {
    const { published, sign, verify, reads } = setUpCurrent();
    const authorization = `Bearer ${sign(caller).accessToken}`;
    expect(await verify(authorization)).to.equal(undefined);
    published.add(caller.accessKeyId);
    expect(await verify(authorization)).to.deep.equal(caller);
    expect(reads()).to.equal(2);
  });

  it('are good at once when it is known, and forged ones are refused at once', () => {
    const { known, sign, verify, reads } = setUpCurrent();
    known.add(caller.accessKeyId);
    expect(verify(`Bearer ${sign(caller).accessToken}`)).to.deep.equal(caller);
    expect(verify(`Bearer ${sign(caller).accessToken}x`)).to.equal(undefined);
    expect(verify(undefined)).to.equal(undefined);
    expect(reads()).to.equal(0);
  });
});
