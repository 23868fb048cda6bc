import { randomBytes } from 'node:crypto';
import { parseConfig } from '@tributary/runtime/config';
import { makeTokenSigningKey, verifyKeyOf } from '@tributary/runtime/token-keys';
import { expect } from 'chai';
import { IngestApiConfig, ingestSettings } from './config.ts';

const key = () => randomBytes(32).toString('base64');
const signingKey = makeTokenSigningKey('token-1');
const valid = {
  SERVICE_ENV: 'sandbox',
  TRIBUTARY_ADMIN_PORT: '8201',
  TRIBUTARY_PORT: '8101',
  TRIBUTARY_KAFKA_BROKERS: 'localhost:19092',
  TRIBUTARY_POSTGRES_URL: 'postgres://localhost:15432/tributary',
  TRIBUTARY_REDIS_URL: 'redis://localhost:16379',
  TRIBUTARY_TOKEN_SIGNING_KEY: signingKey,
  TRIBUTARY_TOKEN_VERIFY_KEYS: verifyKeyOf(signingKey),
  TRIBUTARY_ACCESS_KEY_DIGEST_KEY: key(),
  TRIBUTARY_FINGERPRINT_KEY: key(),
};

describe('ingest-api configuration', () => {
  it('takes the required variables and has defaults for the rest', () => {
    const parsed = parseConfig(IngestApiConfig, valid);
    if (!('config' in parsed)) throw new Error(parsed.mistakes.join('\n'));
    expect(ingestSettings(parsed.config)).to.deep.include({
      environment: 'sandbox',
      port: 8101,
      backdatingWindowDays: 90,
      eventsPerSecond: 20_000,
      tokensPerSecond: 50,
      group: 'ingest-api-owned-codes',
      redisKeyPrefix: 'tributary:',
    });
  });

  it('traces nothing unless it is told where to, and then one of a hundred', () => {
    const traces = (more: Record<string, string>) => {
      const parsed = parseConfig(IngestApiConfig, { ...valid, ...more });
      return 'config' in parsed ? ingestSettings(parsed.config).traces : parsed.mistakes;
    };
    expect(traces({})).to.equal(undefined);
    const endpoint = 'http://collector:4318/v1/traces';
    const on = { TRIBUTARY_TRACES_ENDPOINT: endpoint };
    expect(traces(on)).to.deep.equal({ endpoint, share: 0.01 });
    expect(traces({ ...on, TRIBUTARY_TRACES_SAMPLED: '1' })).to.deep.equal({ endpoint, share: 1 });
    for (const wrong of ['collector:4318', 'http://a:b@collector/v1/traces', 'http://collector']) {
      expect(traces({ TRIBUTARY_TRACES_ENDPOINT: wrong }), wrong).to.have.length(1);
    }
    expect(traces({ ...on, TRIBUTARY_TRACES_SAMPLED: '1.5' })).to.have.length(1);
  });

  it('reports unknown variables, wrong types and missing secrets at once', () => {
    const { TRIBUTARY_FINGERPRINT_KEY: _missing, ...rest } = valid;
    const parsed = parseConfig(IngestApiConfig, {
      ...rest,
      TRIBUTARY_PORT: 'eighty',
      TRIBUTARY_REDIS_ULR: 'x',
    });
    if (!('mistakes' in parsed)) throw new Error('expected mistakes');
    const text = parsed.mistakes.join('\n');
    for (const name of ['TRIBUTARY_FINGERPRINT_KEY', 'TRIBUTARY_PORT', 'TRIBUTARY_REDIS_ULR']) {
      expect(text).to.contain(name);
    }
  });
});
