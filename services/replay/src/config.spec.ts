import { parseConfig } from '@tributary/runtime/config';
import { expect } from 'chai';
import { ReplayConfig, replaySettings } from './config.ts';

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

  it('takes the databases of read models, none, one or several, and names no password', () => {
    const urls = ['postgresql://u:canary@one/db', 'postgresql://u:canary@two,three/db'];
    for (const given of [[], urls.slice(0, 1), urls]) {
      const env = { ...required, TRIBUTARY_READ_MODEL_POSTGRES_URL: given.join(' ') };
      const parsed = parseConfig(ReplayConfig, env);
      if (!('config' in parsed)) throw new Error(parsed.mistakes.join('\n'));
      expect(replaySettings(parsed.config).readModelUrls).to.deep.equal(given);
    }
    const wrong = { ...required, TRIBUTARY_READ_MODEL_POSTGRES_URL: `${urls[0]} mysql://canary` };
    const parsed = parseConfig(ReplayConfig, wrong);
    if (!('mistakes' in parsed)) throw new Error('it was taken');
    expect(parsed.mistakes.join()).to.match(/^TRIBUTARY_READ_MODEL_POSTGRES_URL: must be/);
    expect(parsed.mistakes.join()).to.not.contain('canary');
  });

  it('refuses any other variable', () => {
    const settings = parseConfig(ReplayConfig, { ...required, TRIBUTARY_WIDGET_GROUP: 'widget' });
    expect(settings).to.have.property('mistakes').with.length(1);
  });
});
