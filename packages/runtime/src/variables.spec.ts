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

    describe('with a cluster or sentinels', () => {
      const url = 'rediss://u:p@cache-1:6379';
      const nodes = 'cache-1:6379, cache-2:6379,cache-3:6379';
      const sentinels = 'rediss://:pw@s1:26379,rediss://:pw@s2:26379,redis://s3:26379';
      const parse = (values: Record<string, string>) =>
        parseConfig(Type.Object(redisVariables), { TRIBUTARY_REDIS_URL: url, ...values });
      const mistakesOf = (values: Record<string, string>) => {
        const result = parse(values);
        return 'mistakes' in result ? result.mistakes : [];
      };

      it('become settings', () => {
        const cluster = parse({ TRIBUTARY_REDIS_CLUSTER_NODES: nodes });
        expect(settingsOf(cluster, redisSettings)).to.deep.equal({
          url,
          clusterNodes: ['cache-1:6379', 'cache-2:6379', 'cache-3:6379'],
        });
        const named = { TRIBUTARY_REDIS_URL: 'rediss://u:p@My_Master' };
        const watched = parse({ ...named, TRIBUTARY_REDIS_SENTINELS: sentinels });
        expect(settingsOf(watched, redisSettings)).to.deep.equal({
          url: 'rediss://u:p@My_Master',
          sentinels: { urls: sentinels.split(','), master: 'My_Master' },
        });
      });

      it('refuse both, an address where the name of the master must be, and too few', () => {
        const both = { TRIBUTARY_REDIS_CLUSTER_NODES: nodes, TRIBUTARY_REDIS_SENTINELS: sentinels };
        expect(mistakesOf(both).join()).to.match(/URL: must be .*the name of the master/);
        expect(mistakesOf(both).join()).to.match(/CLUSTER_NODES: is set beside .*SENTINELS/);
        const few = { TRIBUTARY_REDIS_CLUSTER_NODES: 'cache-1:6379,cache-2:6379,cache-1:6379' };
        expect(mistakesOf(few)).to.eql([
          'TRIBUTARY_REDIS_CLUSTER_NODES: has 2; it must have three nodes or more, as most of them say who serves a key',
        ]);
      });

      it('refuse a URL of another node, and entries that are no addresses, unrepeated', () => {
        const other = { TRIBUTARY_REDIS_URL: 'redis://:hunter2@else:1' };
        expect(mistakesOf({ ...other, TRIBUTARY_REDIS_CLUSTER_NODES: nodes })).to.eql([
          'TRIBUTARY_REDIS_URL: must have the address of one of TRIBUTARY_REDIS_CLUSTER_NODES, with its port',
        ]);
        const wrong = {
          TRIBUTARY_REDIS_URL: 'redis://m',
          TRIBUTARY_REDIS_SENTINELS: 'a,hunter2:1',
        };
        expect(mistakesOf(wrong).join()).to.match(/SENTINELS: entry 1 is wrong; it must be redis/);
        expect(mistakesOf(wrong).join()).not.to.include('hunter2');
      });

      it('need TLS at the sentinels, too, in production', () => {
        const schema = Type.Object({ ...processVariables, ...redisVariables });
        const result = parseConfig(schema, {
          SERVICE_ENV: 'prod',
          TRIBUTARY_ADMIN_PORT: '1',
          TRIBUTARY_REDIS_URL: `rediss://u:f3Kz9-qXw7Lp@keys`,
          TRIBUTARY_REDIS_SENTINELS: ['s1', 's2', 's3']
            .map((host) => `redis://:f3Kz9-qXw7Lp@${host}:26379`)
            .join(),
        });
        expect(result).to.deep.equal({
          mistakes: [
            'TRIBUTARY_REDIS_ALLOW_INSECURE: is not true, and production needs rediss:// in TRIBUTARY_REDIS_SENTINELS',
          ],
        });
      });
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
