import { randomBytes } from 'node:crypto';
import { parseConfig } from '@tributary/runtime/config';
import { expect } from 'chai';
import { WidgetConfig, widgetSettings } from './config.ts';

const valid = {
  SERVICE_ENV: 'sandbox',
  TRIBUTARY_ADMIN_PORT: '8209',
  TRIBUTARY_PORT: '8105',
  TRIBUTARY_KAFKA_BROKERS: 'localhost:19092',
  TRIBUTARY_POSTGRES_URL: 'postgres://localhost:15432/tributary',
  TRIBUTARY_PRODUCT_SECRET_KEY_RING: `k1:${randomBytes(32).toString('base64')}`,
  TRIBUTARY_UCC_KEY: randomBytes(32).toString('base64'),
};

describe('widget configuration', () => {
  it('takes the required variables and has defaults for the rest', () => {
    const parsed = parseConfig(WidgetConfig, valid);
    if (!('config' in parsed)) throw new Error(parsed.mistakes.join('\n'));
    const settings = widgetSettings(parsed.config);
    expect(settings).to.deep.include({
      environment: 'sandbox',
      port: 8105,
      adminPort: 8209,
      group: 'widget-r2',
      generationsSchema: 'generations',
      requestsPerSecond: 200,
      bootsPerMinute: 120,
      appendDeadlineMs: 3_000,
    });
    expect(settings.postgres.schema).to.equal('widget_r2');
  });

  it('has its tables in a database of their own where that is set', () => {
    const url = 'postgres://elsewhere/read_models';
    const parsed = parseConfig(WidgetConfig, { ...valid, TRIBUTARY_READ_MODEL_POSTGRES_URL: url });
    if (!('config' in parsed)) throw new Error(parsed.mistakes.join('\n'));
    const { postgres, registryPostgres } = widgetSettings(parsed.config);
    expect(postgres).to.include({ url, schema: 'widget_r2' });
    expect(registryPostgres?.url).to.equal(valid.TRIBUTARY_POSTGRES_URL);
  });

  it('reports unknown variables, wrong types and missing secrets at once', () => {
    const { TRIBUTARY_UCC_KEY: _missing, ...rest } = valid;
    const parsed = parseConfig(WidgetConfig, {
      ...rest,
      TRIBUTARY_PORT: 'eighty',
      TRIBUTARY_SECRET_KEYRING: 'x',
    });
    if (!('mistakes' in parsed)) throw new Error('expected mistakes');
    const text = parsed.mistakes.join('\n');
    for (const name of ['TRIBUTARY_UCC_KEY', 'TRIBUTARY_PORT', 'TRIBUTARY_SECRET_KEYRING']) {
      expect(text).to.contain(name);
    }
  });
});
