import { parseConfig } from '@tributary/runtime/config';
import { expect } from 'chai';
import { randomBytes } from 'node:crypto';
import { ProcessorEventsConfig, processorEventsSettings } from './config.ts';

const valid = {
  SERVICE_ENV: 'sandbox',
  TRIBUTARY_ADMIN_PORT: '8208',
  TRIBUTARY_PORT: '8104',
  TRIBUTARY_KAFKA_BROKERS: 'localhost:19092',
  TRIBUTARY_POSTGRES_URL: 'postgres://localhost:15432/tributary',
  TRIBUTARY_PROCESSOR_KEY_RING: `k1:${randomBytes(32).toString('base64')}`,
  TRIBUTARY_INTERNAL_TOKEN: 'an-internal-token-of-tests',
  TRIBUTARY_PUBLIC_URL: 'https://api.example.com/',
};

describe('processor-events configuration', () => {
  it('takes the required variables and has defaults for the rest', () => {
    const parsed = parseConfig(ProcessorEventsConfig, valid);
    if (!('config' in parsed)) throw new Error(parsed.mistakes.join('\n'));
    const settings = processorEventsSettings(parsed.config);
    expect(settings).to.deep.include({
      environment: 'sandbox',
      group: 'processor-events',
      stripeUrl: 'https://api.stripe.com',
      publicUrl: 'https://api.example.com',
      metadataTtlMs: 600_000,
      internalTokens: ['an-internal-token-of-tests'],
    });
    expect(settings.postgres.schema).to.equal('processor');
  });

  it('asks Stripe at a share of what Stripe documents for the mode of the environment', () => {
    const ratesOf = (more: object) => {
      const parsed = parseConfig(ProcessorEventsConfig, { ...valid, ...more });
      if (!('config' in parsed)) throw new Error(parsed.mistakes.join('\n'));
      const { stripeRates, fetches } = processorEventsSettings(parsed.config);
      return { ...stripeRates, atOnce: fetches.maxPerConnection };
    };
    const secure = { TRIBUTARY_KAFKA_ALLOW_INSECURE: 'true', TRIBUTARY_POSTGRES_TLS: 'true' };
    expect(ratesOf({})).to.deep.equal({
      ...{ accountPerSecond: 15, endpointPerSecond: 15, atOnce: 15 },
    });
    expect(ratesOf({ ...secure, SERVICE_ENV: 'prod' })).to.deep.equal({
      ...{ accountPerSecond: 60, endpointPerSecond: 15, atOnce: 32 },
    });
    expect(ratesOf({ TRIBUTARY_STRIPE_LIMIT_PERCENT: '20' })).to.deep.equal({
      ...{ accountPerSecond: 5, endpointPerSecond: 5, atOnce: 5 },
    });
  });

  it('refuses addresses that are more than a host, as only that is used of them', () => {
    const parsed = parseConfig(ProcessorEventsConfig, {
      ...valid,
      TRIBUTARY_STRIPE_URL: 'https://api.stripe.com/v1',
      TRIBUTARY_PUBLIC_URL: 'ftp://api.example.com',
    });
    if (!('mistakes' in parsed)) throw new Error('expected mistakes');
    const text = parsed.mistakes.join('\n');
    expect(text).to.include('TRIBUTARY_STRIPE_URL').and.include('TRIBUTARY_PUBLIC_URL');
  });

  it('takes payments and the keys to them by https only at production', () => {
    const live = {
      ...valid,
      SERVICE_ENV: 'prod',
      TRIBUTARY_KAFKA_ALLOW_INSECURE: 'true',
      TRIBUTARY_POSTGRES_TLS: 'true',
    };
    expect(parseConfig(ProcessorEventsConfig, live)).to.have.property('config');
    const plain = {
      TRIBUTARY_PUBLIC_URL: 'http://api.example.com',
      TRIBUTARY_STRIPE_URL: 'http://stripe:12111',
    };
    expect(parseConfig(ProcessorEventsConfig, { ...valid, ...plain })).to.have.property('config');
    const parsed = parseConfig(ProcessorEventsConfig, { ...live, ...plain });
    if (!('mistakes' in parsed)) throw new Error('it was taken');
    expect(parsed.mistakes.map((mistake) => mistake.split(':')[0])).to.have.members([
      'TRIBUTARY_PUBLIC_URL',
      'TRIBUTARY_STRIPE_URL',
    ]);
  });
});
