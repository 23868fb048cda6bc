import { createHmac, randomBytes } from 'node:crypto';
import { catalogSchemaVersion } from '@tributary/contracts/catalog-record';
import { secretContext } from '@tributary/contracts/secret-context';
import { defaultWidgetSettings } from '@tributary/contracts/widget-settings';
import { createCatalogView } from './catalog-view.ts';
import { sealSecret } from '@tributary/runtime/secrets';
import { expect } from 'chai';
import jwt from 'jsonwebtoken';
import { createWidgetTokenVerifier } from './widget-token.ts';

const nowSeconds = 1_800_000_000;
const secrets = [{ keyId: 'k1', key: randomBytes(32) }];
const secretA = `ä-${'a'.repeat(70)}`;
const secretB = 'b'.repeat(86);

const catalog = createCatalogView({ holds: ['product-secret'] });
const common = (tenantId: string, version = 1) => ({
  schemaVersion: catalogSchemaVersion,
  tenantId,
  version,
  publishedAt: '2026-01-01T00:00:00.000Z',
});

function putTenant(tenantId: string, status: 'active' | 'suspended', version = 1): void {
  catalog.apply({
    ...common(tenantId, version),
    entity: 'tenant',
    name: tenantId,
    status,
    productId: `product-${tenantId}`,
    defaultCampaignId: null,
  });
}

function putSecret(tenantId: string, secret: string, version = 1): void {
  catalog.apply({
    ...common(tenantId, version),
    entity: 'product-secret',
    productId: `product-${tenantId}`,
    sealedSecret: sealSecret(secrets, secret, secretContext(tenantId, 'product-secret')),
  });
}

putTenant('a', 'active');
putSecret('a', secretA);
putTenant('b', 'active');
putSecret('b', secretB);
putTenant('off', 'suspended');
putSecret('off', secretA);
putTenant('bare', 'active');

const verify = createWidgetTokenVerifier({
  catalog,
  secrets,
  clock: { now: () => new Date(nowSeconds * 1_000 + 999) },
});
const validate = (token: string) => {
  const reading = verify(token);
  return reading.outcome === 'fault' ? reading.fault : reading.user;
};

const claims = { productId: 'product-a', productUserId: 'user 1', iat: nowSeconds };
const base64url = (text: string) => Buffer.from(text).toString('base64url');

/** Any header and any payload text, rightly signed. */
function signed(header: object, payload: string, secret = secretA, hash = 'sha512'): string {
  const input = `${base64url(JSON.stringify(header))}.${base64url(payload)}`;
  return `${input}.${createHmac(hash, secret).update(input).digest('base64url')}`;
}
const many = (n: number) => ({
  ...claims,
  ...Object.fromEntries(Array.from({ length: n }, (_, i) => [`c${i}`, i])),
});
const hs512 = { alg: 'HS512', typ: 'JWT' };
const token = (changes: object = {}, header: object = hs512) =>
  signed(header, JSON.stringify({ ...claims, ...changes }));

describe('a widget token (interface 5, design 8)', () => {
  it('names the user when it is as the interface says', () => {
    const user = { tenantId: 'a', productId: 'product-a', productUserId: 'user 1' };
    expect(validate(token())).to.eql(user);
    expect(validate(jwt.sign(claims, secretA, { algorithm: 'HS512' }))).to.eql(user);
    expect(validate(token({}, { alg: 'HS512' }))).to.eql(user);
    expect(validate(token({}, { ...hs512, kid: 'whatever' }))).to.eql(user);
  });

  const whole = token();
  const [header = '', payload = '', signature = ''] = whole.split('.');
  const faults: [string, string, string][] = [
    ['of nothing', '', 'form'],
    ['of two parts', `${header}.${payload}`, 'form'],
    ['of four parts', `${whole}.x`, 'form'],
    ['that is no base64url', `${header}.${payload}=.${signature}`, 'form'],
    ['with a blank behind it', `${whole} `, 'form'],
    ['with a line break behind it', `${whole}\n`, 'form'],
    ['whose header is no JSON', `${base64url('x')}.${payload}.${signature}`, 'form'],
    ['whose header is no object', `${base64url('"HS512"')}.${payload}.${signature}`, 'form'],
    ['whose payload is no JSON', signed(hs512, 'x'), 'form'],
    ['whose payload is no object', signed(hs512, '[]'), 'form'],
    ['of JSON in JSON', signed(hs512, JSON.stringify(JSON.stringify(claims))), 'form'],
    ['with a claim twice', signed(hs512, JSON.stringify(claims).replace('{', '{"iat":1,')), 'form'],
    ['with bytes that are no UTF-8', `${header}.${base64url('')}_w.${signature}`, 'form'],
    ['without an algorithm', token({}, { typ: 'JWT' }), 'algorithm'],
    ['of the algorithm none', token({}, { alg: 'none' }), 'algorithm'],
    ['of no algorithm and no signature', `${base64url('{"alg":"none"}')}.${payload}.`, 'algorithm'],
    ['of another case', token({}, { alg: 'hs512' }), 'algorithm'],
    ['signed with HS256', jwt.sign(claims, secretA, { algorithm: 'HS256' }), 'algorithm'],
    ['signed with HS384', jwt.sign(claims, secretA, { algorithm: 'HS384' }), 'algorithm'],
    [
      'of HS512 by name only',
      signed(hs512, JSON.stringify(claims), secretA, 'sha256'),
      'signature',
    ],
    [
      'with a critical header',
      token({}, { ...hs512, crit: ['b64'], b64: false }),
      'critical-header',
    ],
    ['of an unknown product', token({ productId: 'product-x' }), 'product'],
    ['of no product', token({ productId: undefined }), 'product'],
    ['whose product is a number', token({ productId: 1 }), 'product'],
    ['of a suspended tenant', token({ productId: 'product-off' }), 'product'],
    ['of a tenant without a secret', token({ productId: 'product-bare' }), 'product'],
    ["with another tenant's secret", signed(hs512, JSON.stringify(claims), secretB), 'signature'],
    ['of another tenant by our secret', token({ productId: 'product-b' }), 'signature'],
    ['without its signature', `${header}.${payload}.`, 'signature'],
    [
      'with another payload',
      `${header}.${base64url(JSON.stringify({ ...claims, iat: 1 }))}.${signature}`,
      'signature',
    ],
    ['with exp', token({ exp: nowSeconds + 60 }), 'claims'],
    ['with an exp that has passed', token({ exp: 1 }), 'claims'],
    ['with iss', token({ iss: 'x' }), 'claims'],
    ['with sub', token({ sub: 'user 1' }), 'claims'],
    ['with name', token({ name: 'Ada' }), 'claims'],
    ['with email', token({ email: 'ada@acme.example' }), 'claims'],
    ['with nbf', token({ nbf: nowSeconds + 60 }), 'claims'],
    ['without iat', token({ iat: undefined }), 'claims'],
    ['with iat as text', token({ iat: String(nowSeconds) }), 'claims'],
    ['with a fraction of a second', token({ iat: nowSeconds + 0.5 }), 'claims'],
    [
      'with a fraction that is none',
      signed(hs512, JSON.stringify(claims).replace('0}', '0.0}')),
      'claims',
    ],
    ['of before 1970', token({ iat: -1 }), 'claims'],
    ['without a user', token({ productUserId: undefined }), 'claims'],
    ['of the empty user', token({ productUserId: '' }), 'claims'],
    ['of a user with NUL', token({ productUserId: 'a\0' }), 'claims'],
    ['of a user that is too long', token({ productUserId: 'x'.repeat(256) }), 'claims'],
    ['of five minutes and a second ahead', token({ iat: nowSeconds + 301 }), 'issued-ahead'],
  ];
  for (const [what, text, expected] of faults) {
    it(`is refused ${what}`, () => expect(validate(text)).to.equal(expected));
  }

  const reasons: [string, string, RegExp][] = [
    ['the algorithm that it names', token({}, { alg: 'HS256' }), /the alg "HS256"; .+ "HS512"/],
    ['that it names none', token({}, { typ: 'JWT' }), /the alg nothing/],
    ['the product that it names', token({ productId: 'product-x' }), /"product-x"/],
    ['what the key is', signed(hs512, JSON.stringify(claims), secretB), /text of the secret/],
    [
      'each claim that is wrong',
      token({ exp: 1, sub: 'u', iat: '1', productUserId: undefined }),
      /^productUserId is missing; iat must be .+; "exp", "sub" must not be there/,
    ],
    [
      'how many claims too many',
      signed(hs512, JSON.stringify(many(70))),
      /"c4" and 65 others must/,
    ],
    [
      'how far it is ahead, of milliseconds for one',
      token({ iat: nowSeconds * 1_000 }),
      /1798200000000 seconds ahead .+ at most 300 .+ whole seconds/,
    ],
  ];
  for (const [what, text, expected] of reasons) {
    it(`has a reason for operators: ${what}`, () => {
      const reading = verify(text);
      expect(reading.outcome === 'fault' && reading.detail).to.match(expected);
    });
  }

  it('has a short reason of one line, whatever it holds', () => {
    const texts = [
      token({}, { alg: `\u001b[2J\n${'x'.repeat(3_000)}` }),
      token({ productId: '\n'.repeat(3_000) }),
      signed(hs512, JSON.stringify({ ...claims, [`\u0007${'y'.repeat(3_000)}`]: 1 })),
    ];
    for (const text of texts) {
      const reading = verify(text);
      expect(reading.outcome === 'fault' && reading.detail).to.match(/^[ -~…]{20,250}$/);
    }
  });

  it('is refused with any bit of its signature changed', () => {
    const bytes = Buffer.from(signature, 'base64url');
    for (let bit = 0; bit < bytes.length * 8; bit += 7) {
      const changed = Buffer.from(bytes);
      changed[bit >> 3]! ^= 1 << (bit & 7);
      const text = `${header}.${payload}.${changed.toString('base64url')}`;
      expect(validate(text), `bit ${bit}`).to.equal('signature');
    }
  });

  it('may be five minutes ahead, and of any age unless the tenant says otherwise', () => {
    expect(validate(token({ iat: nowSeconds + 300 }))).to.have.property('tenantId', 'a');
    expect(validate(token({ iat: 0 }))).to.have.property('tenantId', 'a');
    catalog.apply({
      ...common('a'),
      entity: 'widget-settings',
      settings: { ...defaultWidgetSettings, maxTokenAgeSeconds: 60 },
    });
    expect(validate(token({ iat: nowSeconds - 60 }))).to.have.property('tenantId', 'a');
    expect(validate(token({ iat: nowSeconds - 61 }))).to.equal('too-old');
  });

  it('is worth nothing once its secret was rotated, or its tenant disabled', () => {
    expect(validate(token())).to.have.property('tenantId', 'a');
    putSecret('a', 'c'.repeat(86), 2);
    expect(validate(token())).to.equal('signature');
    const renewed = signed(hs512, JSON.stringify(claims), 'c'.repeat(86));
    expect(validate(renewed)).to.have.property('tenantId', 'a');
    putTenant('a', 'suspended', 2);
    expect(validate(renewed)).to.equal('product');
  });
});
