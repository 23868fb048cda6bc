import { parseConfig } from '@tributary/runtime/config';
import { expect } from 'chai';
import { ReplayConfig } from './config.ts';

const required = {
  SERVICE_ENV: 'sandbox',
  TRIBUTARY_ADMIN_PORT: '8206',
  TRIBUTARY_KAFKA_BROKERS: 'kafka:9092',
  TRIBUTARY_POSTGRES_URL: 'postgresql://u:p@postgres:5432/tributary',
  TRIBUTARY_INTERNAL_TOKEN: 'only-between-services',
  TRIBUTARY_ATTRIBUTION_ADMIN_URL: 'http://attribution:8204',
  TRIBUTARY_REWARDS_ADMIN_URL: 'http://rewards:8205',
};
/** How earlier releases were told of the stages, which register themselves now. */
const former = {
  TRIBUTARY_ATTRIBUTION_GROUP: 'attribution',
  TRIBUTARY_REWARDS_GROUP: 'rewards',
  TRIBUTARY_PORTAL_GROUP: 'portal',
  TRIBUTARY_ATTRIBUTION_SCHEMA: 'attribution_g1',
  TRIBUTARY_REWARDS_SCHEMA: 'rewards_g1',
  TRIBUTARY_READ_MODEL_SCHEMA: 'portal_read',
  TRIBUTARY_ISSUANCE_SCHEMA: 'issuance',
};

describe('replay configuration', () => {
  it('starts with what it requires, and where a deployment still sets what earlier releases had', () => {
    for (const env of [required, { ...required, ...former }]) {
      expect(parseConfig(ReplayConfig, env)).to.have.property('config');
    }
  });

  it('refuses any other variable', () => {
    const settings = parseConfig(ReplayConfig, { ...required, TRIBUTARY_WIDGET_GROUP: 'widget' });
    expect(settings).to.have.property('mistakes').with.length(1);
  });
});
