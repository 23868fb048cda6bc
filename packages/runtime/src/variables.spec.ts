import { Type } from '@sinclair/typebox';
import { everyTestAttacks } from '@tributary/testkit/attacks';
import { expect } from 'chai';
import { randomBytes } from 'node:crypto';
import { parseConfig } from './config.ts';
import {
  kafkaSettings,
  kafkaVariables,
  postgresSettings,
  postgresVariables,
  processVariables,
  redisSettings,
  redisVariables,
} from './variables.ts';

describe('shared variables', () => {
  describe('of Kafka', () => {
    const schema = Type.Object(kafkaVariables);
    const brokers = { TRIBUTARY_KAFKA_BROKERS: 'one:9092, two:9093' };
    const parse = (env: Record<string, string>) => parseConfig(schema, { ...brokers, ...env });

    it('become brokers without TLS and SASL by default', () => {
      const settings = settingsOf(parse({}), kafkaSettings);
      expect(settings).to.deep.equal({
        brokers: ['one:9092', 'two:9093'],
        sessionTimeoutMs: 10_000,
        compression: 'none',
      });
    });

    it('say for how long a consumer may be silent, from 1 to 300 seconds', () => {
      const silent = (ms: string) => parse({ TRIBUTARY_KAFKA_SESSION_TIMEOUT_MS: ms });
      expect(settingsOf(silent('3000'), kafkaSettings)).to.include({ sessionTimeoutMs: 3_000 });
      for (const ms of ['999', '300001', 'long']) {
        expect(silent(ms), ms).to.have.property('mistakes');
      }
    });

    it('say how records are compressed: by zstd, or not at all', () => {
      const compressed = (by: string) => parse({ TRIBUTARY_KAFKA_COMPRESSION: by });
      expect(settingsOf(compressed('zstd'), kafkaSettings)).to.include({ compression: 'zstd' });
      expect(compressed('gzip')).to.have.property('mistakes');
    });

    it('are refused in production without TLS or SASL, unless that is allowed by name', () => {
      const production = Type.Object({ ...processVariables, ...kafkaVariables });
      const parseAll = (env: Record<string, string>) =>
        parseConfig(production, {
          ...{ ...brokers, SERVICE_ENV: 'prod', TRIBUTARY_ADMIN_PORT: '0' },
          ...env,
        });
      const tls = { TRIBUTARY_KAFKA_TLS: 'true' };
      const sasl = {
        TRIBUTARY_KAFKA_SASL_MECHANISM: 'scram-sha-512',
        TRIBUTARY_KAFKA_SASL_USERNAME: 'u',
        TRIBUTARY_KAFKA_SASL_PASSWORD: randomBytes(24).toString('hex'),
      };
      const needs = (names: string) => ({
        mistakes: [`TRIBUTARY_KAFKA_ALLOW_INSECURE: is not true, and production needs ${names}`],
      });
      expect(parseAll({})).to.deep.equal(
        needs('TRIBUTARY_KAFKA_TLS and TRIBUTARY_KAFKA_SASL_MECHANISM'),
      );
      expect(parseAll(tls)).to.deep.equal(needs('TRIBUTARY_KAFKA_SASL_MECHANISM'));
      expect(parseAll(sasl)).to.deep.equal(needs('TRIBUTARY_KAFKA_TLS'));
      expect(parseAll({ ...tls, ...sasl })).to.have.property('config');
      expect(parseAll({ TRIBUTARY_KAFKA_ALLOW_INSECURE: 'true' })).to.have.property('config');
      expect(parseAll({ SERVICE_ENV: 'sandbox' })).to.have.property('config');
    });

    it('become TLS and SASL when all of it is there', () => {
      const result = parse({
        TRIBUTARY_KAFKA_TLS: 'true',
        TRIBUTARY_KAFKA_SASL_MECHANISM: 'scram-sha-512',
        TRIBUTARY_KAFKA_SASL_USERNAME: 'u',
        TRIBUTARY_KAFKA_SASL_PASSWORD: 'p',
      });
      expect(settingsOf(result, kafkaSettings)).to.deep.include({
        tls: {},
        sasl: { mechanism: 'scram-sha-512', username: 'u', password: 'p' },
      });
    });

    it('refuse a SASL mechanism without user and password, and the other way round', () => {
      expect(parse({ TRIBUTARY_KAFKA_SASL_MECHANISM: 'plain' })).to.deep.equal({
        mistakes: [
          'TRIBUTARY_KAFKA_SASL_MECHANISM: is set without TRIBUTARY_KAFKA_SASL_USERNAME and TRIBUTARY_KAFKA_SASL_PASSWORD',
        ],
      });
      expect(parse({ TRIBUTARY_KAFKA_SASL_PASSWORD: 'p' })).to.have.nested.property('mistakes[0]');
    });

    it('refuse an authority file without TLS, and one that cannot be read', () => {
      const file = { TRIBUTARY_KAFKA_TLS_CA_FILE: '/nowhere/ca.pem' };
      expect(parse(file)).to.deep.equal({
        mistakes: ['TRIBUTARY_KAFKA_TLS_CA_FILE: is set while TRIBUTARY_KAFKA_TLS is not true'],
      });
      expect(parse({ ...file, TRIBUTARY_KAFKA_TLS: 'true' })).to.deep.equal({
        mistakes: ['TRIBUTARY_KAFKA_TLS_CA_FILE: names a file that cannot be read (ENOENT)'],
      });
    });

    it('refuse brokers without a port, and more replicas in sync than there are', () => {
      const result = parse({
        TRIBUTARY_KAFKA_BROKERS: 'one:9092,kafka://u:hunter2@two',
        TRIBUTARY_TOPIC_REPLICATION: '1',
      });
      expect(result).to.have.property('mistakes').with.length(2);
      expect(JSON.stringify(result)).to.include('entry 2').and.not.include('hunter2');
    });
  });

  describe('of Postgres and Redis', () => {
    const postgres = Type.Object({
      ...postgresVariables,
      TRIBUTARY_POSTGRES_SCHEMA: Type.String({ default: 'ingest' }),
    });

    it('become settings', () => {
      const url = 'postgresql://u:p@db:5432/tributary';
      const result = parseConfig(postgres, { TRIBUTARY_POSTGRES_URL: url });
      expect(settingsOf(result, postgresSettings)).to.deep.equal({
        url,
        schema: 'ingest',
        poolSize: 10,
      });
      const redis = parseConfig(Type.Object(redisVariables), {
        TRIBUTARY_REDIS_URL: 'rediss://u:p@cache:6380',
      });
      expect(settingsOf(redis, redisSettings)).to.deep.equal({ url: 'rediss://u:p@cache:6380' });
    });

    it('refuse a URL of something else, without repeating it', () => {
      const url = 'mysql://u:hunter2@db/x';
      const schema = Type.Object({ ...postgres.properties, ...redisVariables });
      const result = parseConfig(schema, { TRIBUTARY_POSTGRES_URL: url, TRIBUTARY_REDIS_URL: url });
      expect(result).to.have.property('mistakes').with.length(2);
      expect(JSON.stringify(result)).not.to.include('hunter2');
    });

    it('refuse an authority file for a Redis URL without TLS', () => {
      const parse = (url: string) =>
        parseConfig(Type.Object(redisVariables), {
          TRIBUTARY_REDIS_URL: url,
          TRIBUTARY_REDIS_TLS_CA_FILE: import.meta.filename,
        });
      expect(parse('redis://cache:6379')).to.deep.equal({
        mistakes: [
          'TRIBUTARY_REDIS_TLS_CA_FILE: is set while TRIBUTARY_REDIS_URL is redis://; TLS needs rediss://',
        ],
      });
      expect(parse('rediss://cache:6379')).to.have.property('config');
    });

    it('refuse TLS by a parameter of the URL, which would win over the setting', () => {
      const url = 'postgresql://db/x?sslmode=disable';
      const result = parseConfig(postgres, { TRIBUTARY_POSTGRES_URL: url });
      expect(result).to.have.nested.property('mistakes[0]').that.includes('sslmode');
    });
  });
  describe('of links in production', () => {
    everyTestAttacks('configuration');
    const schema = Type.Object({
      SERVICE_ENV: Type.String(),
      ...postgresVariables,
      TRIBUTARY_POSTGRES_SCHEMA: Type.String({ default: 'rewards' }),
      ...redisVariables,
    });
    const password = randomBytes(24).toString('hex');
    const plain = {
      SERVICE_ENV: 'prod',
      TRIBUTARY_POSTGRES_URL: `postgresql://rewards:${password}@db/tributary`,
      TRIBUTARY_REDIS_URL: `redis://ingest:${password}@redis:6379`,
    };
    const mistakes = (env: Record<string, string>) => {
      const result = parseConfig(schema, env);
      return 'mistakes' in result ? result.mistakes.map((text) => text.split(':')[0]) : [];
    };

    it('must be encrypted, each unless a variable of its own says otherwise', () => {
      expect(mistakes({ ...plain, SERVICE_ENV: 'sandbox' })).to.deep.equal([]);
      expect(mistakes(plain)).to.deep.equal([
        'TRIBUTARY_POSTGRES_ALLOW_INSECURE',
        'TRIBUTARY_REDIS_ALLOW_INSECURE',
      ]);
      const postgres = { TRIBUTARY_POSTGRES_ALLOW_INSECURE: 'true' };
      expect(mistakes({ ...plain, ...postgres })).to.deep.equal(['TRIBUTARY_REDIS_ALLOW_INSECURE']);
      const redis = { TRIBUTARY_REDIS_ALLOW_INSECURE: 'true' };
      expect(mistakes({ ...plain, ...postgres, ...redis })).to.deep.equal([]);
      const encrypted = {
        TRIBUTARY_POSTGRES_TLS: 'true',
        TRIBUTARY_REDIS_URL: `rediss://ingest:${password}@redis:6379`,
      };
      expect(mistakes({ ...plain, ...encrypted })).to.deep.equal([]);
    });
  });
});

function settingsOf<C, T>(
  result: { config: C } | { mistakes: string[] },
  settings: (config: C) => T,
): T {
  if ('mistakes' in result) throw new Error(result.mistakes.join('\n'));
  return settings(result.config);
}
