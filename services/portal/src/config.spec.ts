import { parseConfig } from '@tributary/runtime/config';
import { makeTokenSigningKey, verifyKeyOf } from '@tributary/runtime/token-keys';
import { expect } from 'chai';
import { PortalConfig, portalSettings } from './config.ts';

const key = Buffer.alloc(32, 7).toString('base64');
const env = {
  SERVICE_ENV: 'sandbox',
  TRIBUTARY_PORT: '8103',
  TRIBUTARY_ADMIN_PORT: '8203',
  TRIBUTARY_KAFKA_BROKERS: 'localhost:9092',
  TRIBUTARY_POSTGRES_URL: 'postgresql://localhost/tributary',
  TRIBUTARY_OPERATOR_TOKEN: 'operator-token-new, operator-token-old',
  TRIBUTARY_INTERNAL_TOKEN: 'internal-token-new, internal-token-old',
  TRIBUTARY_ATTRIBUTION_ADMIN_URL: 'http://attribution:8204',
  TRIBUTARY_REWARDS_ADMIN_URL: 'http://rewards:8205/',
  TRIBUTARY_WEBHOOK_DISPATCHER_URL: 'http://webhook-dispatcher:8206',
  TRIBUTARY_REPLAY_ADMIN_URL: 'http://replay:8207',
  TRIBUTARY_PROCESSOR_ADMIN_URL: 'http://processor-events:8208',
  TRIBUTARY_PUBLIC_URL: 'https://referrals.example.com/',
  TRIBUTARY_TOKEN_VERIFY_KEYS: verifyKeyOf(makeTokenSigningKey('token-1')),
  TRIBUTARY_PRODUCT_SECRET_KEY_RING: `product-1:${key}`,
  TRIBUTARY_WEBHOOK_PASSWORD_KEY_RING: `webhook-1:${key}`,
  TRIBUTARY_PROCESSOR_KEY_RING: `processor-1:${key}`,
  TRIBUTARY_SECOND_FACTOR_KEY_RING: `second-1:${key}`,
  TRIBUTARY_ACCESS_KEY_DIGEST_KEY: key,
  TRIBUTARY_UCC_KEY: key,
};

describe('portal configuration', () => {
  it('takes several operator tokens, so that one can replace another', () => {
    const parsed = parseConfig(PortalConfig, env);
    if ('mistakes' in parsed) throw new Error(parsed.mistakes.join('\n'));
    const settings = portalSettings(parsed.config);
    expect(settings.operatorTokens).to.deep.equal(['operator-token-new', 'operator-token-old']);
    expect(settings.internalToken).to.equal('internal-token-new');
    expect(settings.postgres.schema).to.equal('portal');
    // That of earlier releases reads for another read model.
    expect(settings.group).to.equal('portal-r2');
    expect(settings.catalogGroup).to.equal('portal-catalog');
    expect(settings.publicUrl).to.equal('https://referrals.example.com');
    expect(settings.uccKey).to.have.length(32);
  });

  it('goes on with the one ring of earlier releases, behind the rings that it is given', () => {
    const former = { TRIBUTARY_SECRET_KEY_RING: `k1:${key}` };
    const keyIdsOf = (more: object) => {
      const parsed = parseConfig(PortalConfig, { ...env, ...former, ...more });
      if ('mistakes' in parsed) throw new Error(parsed.mistakes.join('\n'));
      const rings = Object.entries(portalSettings(parsed.config).keyRings);
      return Object.fromEntries(rings.map(([name, ring]) => [name, ring.map((k) => k.keyId)]));
    };
    expect(keyIdsOf({})).to.deep.equal({
      'product-secrets': ['product-1', 'k1'],
      'webhook-passwords': ['webhook-1', 'k1'],
      'processor-keys': ['processor-1', 'k1'],
      'second-factors': ['second-1', 'k1'],
    });
    expect(keyIdsOf({ TRIBUTARY_PROCESSOR_KEY_RING: '' })).to.deep.include({
      'processor-keys': ['k1'],
    });
  });

  it('has its read model in the same database, or in one of its own', () => {
    const settingsOf = (more: object) => {
      const parsed = parseConfig(PortalConfig, { ...env, ...more });
      if ('mistakes' in parsed) throw new Error(parsed.mistakes.join('\n'));
      return portalSettings(parsed.config);
    };
    const { postgres, readModel } = settingsOf({});
    expect(readModel).to.deep.equal({ ...postgres, schema: 'portal_read_r2' });
    const url = 'postgresql://elsewhere/read_models';
    const apart = settingsOf({ TRIBUTARY_READ_MODEL_POSTGRES_URL: url });
    expect(apart.postgres).to.deep.equal(postgres);
    expect(apart.readModel).to.deep.equal({ ...readModel, url });
  });

  it('takes cookies over plain http on a developer’s machine only', () => {
    const insecure = { ...env, TRIBUTARY_INSECURE_COOKIES: 'true' };
    expect(parseConfig(PortalConfig, insecure)).not.to.have.property('mistakes');
    const parsed = parseConfig(PortalConfig, { ...insecure, SERVICE_ENV: 'prod' });
    expect('mistakes' in parsed && parsed.mistakes.join()).to.contain('TRIBUTARY_INSECURE_COOKIES');
  });

  it('shows nobody’s ids in production', () => {
    const shown = { ...env, TRIBUTARY_DOCS_TENANT: 'demo-acme' };
    expect(parseConfig(PortalConfig, shown)).not.to.have.property('mistakes');
    const parsed = parseConfig(PortalConfig, { ...shown, SERVICE_ENV: 'prod' });
    expect('mistakes' in parsed && parsed.mistakes.join()).to.contain('TRIBUTARY_DOCS_TENANT');
  });

  it('reports every mistake at once and no value of a secret', () => {
    const { TRIBUTARY_UCC_KEY: _missing, ...rest } = env;
    const parsed = parseConfig(PortalConfig, {
      ...rest,
      TRIBUTARY_OPERATOR_TOKEN: 'good-enough-token,canary',
      TRIBUTARY_WEBHOOK_PASSWORD_KEY_RING: 'canary',
      TRIBUTARY_INTERNAL_TOKEN: 'canary',
      TRIBUTARY_REWARDS_ADMIN_URL: 'http://rewards:8205/internal',
      TRIBUTARY_PROCESSOR_ADMIN_URL: 'processor-events:8208',
      TRIBUTARY_PUBLIC_URL: 'https://example.com/referrals',
      TRIBUTARY_PORT: 'many',
      TRIBUTARY_PORTS: '1',
    });
    if (!('mistakes' in parsed)) throw new Error('it was taken');
    const names = parsed.mistakes.map((mistake) => mistake.split(':')[0]);
    expect(names).to.have.members([
      'TRIBUTARY_OPERATOR_TOKEN',
      'TRIBUTARY_WEBHOOK_PASSWORD_KEY_RING',
      'TRIBUTARY_INTERNAL_TOKEN',
      'TRIBUTARY_REWARDS_ADMIN_URL',
      'TRIBUTARY_PROCESSOR_ADMIN_URL',
      'TRIBUTARY_PUBLIC_URL',
      'TRIBUTARY_PORT',
      'TRIBUTARY_PORTS',
      'TRIBUTARY_UCC_KEY',
    ]);
    expect(parsed.mistakes.join()).not.to.contain('canary');
  });

  it('has Stripe send its events by https at production', () => {
    const plain = { ...env, TRIBUTARY_PUBLIC_URL: 'http://referrals.example.com' };
    expect(parseConfig(PortalConfig, plain)).to.have.property('config');
    const parsed = parseConfig(PortalConfig, {
      ...plain,
      SERVICE_ENV: 'prod',
      TRIBUTARY_KAFKA_ALLOW_INSECURE: 'true',
    });
    if (!('mistakes' in parsed)) throw new Error('it was taken');
    expect(parsed.mistakes.join('\n')).to.match(/^TRIBUTARY_PUBLIC_URL: .*https/m);
  });
});
