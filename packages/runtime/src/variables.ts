import { readFileSync } from 'node:fs';
import { type Static, type TObject, type TProperties, Type } from '@sinclair/typebox';
import { logLevels } from './logger.ts';
import {
  caFile,
  isBase64,
  mistakeOfBrokers,
  mistakeOfPostgresUrl,
  mistakeOfClusterNodes,
  mistakeOfRedisCa,
  mistakeOfRedisUrl,
  mistakeOfSentinels,
  mistakeOfTracesEndpoint,
  needs,
  productionNeeds,
  productionNeedsHttps,
  productionNeedsRedisTls,
  singleKey,
} from './variable-rules.ts';
import type { TraceSettings } from './tracer.ts';

// The environment variables that services share, in groups to spread into a service's own schema
// (see config.ts), and below them the functions that turn a group into settings.

const internalTokens = 'one token or a comma list, each of at least 16 characters without blanks';

export const processVariables = {
  SERVICE_ENV: Type.Union([Type.Literal('prod'), Type.Literal('sandbox')]),
  TRIBUTARY_HOST: Type.String({ default: '0.0.0.0' }),
  TRIBUTARY_ADMIN_PORT: port(),
  TRIBUTARY_LOG_LEVEL: Type.Union(
    logLevels.map((level) => Type.Literal(level)),
    { default: 'info' },
  ),
};

/** A consumer that is silent for so long has lost its partitions. */
export const defaultSessionTimeoutMs = 10_000;

export const kafkaVariables = {
  TRIBUTARY_KAFKA_BROKERS: Type.String({
    expected: 'host:port, or several with commas between',
    verify: mistakeOfBrokers,
  }),
  TRIBUTARY_KAFKA_TLS: Type.Boolean({ default: false }),
  TRIBUTARY_KAFKA_TLS_CA_FILE: caFile('TRIBUTARY_KAFKA_TLS'),
  TRIBUTARY_KAFKA_SASL_MECHANISM: Type.Optional(
    Type.Union(
      [Type.Literal('plain'), Type.Literal('scram-sha-256'), Type.Literal('scram-sha-512')],
      { verify: needs('TRIBUTARY_KAFKA_SASL_USERNAME', 'TRIBUTARY_KAFKA_SASL_PASSWORD') },
    ),
  ),
  TRIBUTARY_KAFKA_SASL_USERNAME: Type.Optional(
    Type.String({ verify: needs('TRIBUTARY_KAFKA_SASL_MECHANISM') }),
  ),
  TRIBUTARY_KAFKA_SASL_PASSWORD: Type.Optional(
    Type.String({ secret: true, verify: needs('TRIBUTARY_KAFKA_SASL_MECHANISM') }),
  ),
  TRIBUTARY_KAFKA_ALLOW_INSECURE: Type.Boolean({
    default: false,
    verify: productionNeeds('TRIBUTARY_KAFKA_TLS', 'TRIBUTARY_KAFKA_SASL_MECHANISM'),
  }),
  /** Not below the brokers' `group.min.session.timeout.ms`, nor above their maximum. */
  TRIBUTARY_KAFKA_SESSION_TIMEOUT_MS: Type.Integer({
    default: defaultSessionTimeoutMs,
    minimum: 1_000,
    maximum: 300_000,
  }),
  /** How batches are written; not zstd while a process runs that cannot read it (decision 35). */
  TRIBUTARY_KAFKA_COMPRESSION: Type.Union([Type.Literal('none'), Type.Literal('zstd')], {
    default: 'none',
  }),
  /** Put before every topic name, for several deployments on one cluster. */
  TRIBUTARY_TOPIC_PREFIX: Type.String({
    default: '',
    pattern: '^[A-Za-z0-9._-]*$',
    maxLength: 100,
    expected: 'at most 100 letters, digits, dots, dashes and underscores',
  }),
  TRIBUTARY_TOPIC_REPLICATION: Type.Integer({ default: 3, minimum: 1, maximum: 15 }),
  TRIBUTARY_TOPIC_MIN_INSYNC: Type.Integer({
    default: 2,
    minimum: 1,
    maximum: 15,
    verify: (minInsync: number, all: Readonly<Record<string, unknown>>) =>
      minInsync > Number(all['TRIBUTARY_TOPIC_REPLICATION'])
        ? 'must not be above TRIBUTARY_TOPIC_REPLICATION; nothing could be written'
        : undefined,
  }),
};

/** What every service has. */
export const serviceVariables = { ...processVariables, ...kafkaVariables };

/** What services with public HTTP have. */
export const publicServiceVariables = {
  ...processVariables,
  TRIBUTARY_PORT: port(),
  TRIBUTARY_DRAIN_MS: Type.Integer({ default: 1_000, minimum: 0, maximum: 10_000 }),
  ...kafkaVariables,
};

export const postgresVariables = {
  TRIBUTARY_POSTGRES_URL: Type.String({
    secret: true,
    expected: 'postgresql://user:password@host:port/database',
    verify: mistakeOfPostgresUrl,
  }),
  TRIBUTARY_POSTGRES_TLS: Type.Boolean({ default: false }),
  /** Production refuses a link in plain text without it. */
  TRIBUTARY_POSTGRES_ALLOW_INSECURE: Type.Boolean({
    default: false,
    verify: productionNeeds('TRIBUTARY_POSTGRES_TLS'),
  }),
  TRIBUTARY_POSTGRES_TLS_CA_FILE: caFile('TRIBUTARY_POSTGRES_TLS'),
  /** Every service gives its own default. */
  TRIBUTARY_POSTGRES_SCHEMA: Type.String({
    pattern: '^[a-z_][a-z0-9_]{0,62}$',
    expected: 'a lower-case name of letters, digits and underscores',
  }),
  TRIBUTARY_POSTGRES_POOL_SIZE: Type.Integer({ default: 10, minimum: 1, maximum: 1_000 }),
};

/**
 * For services that keep a read model, and for whoever removes one: where it is, when it is not in
 * the database of the rest.
 */
export const readModelVariables = {
  TRIBUTARY_READ_MODEL_POSTGRES_URL: Type.Optional(postgresVariables.TRIBUTARY_POSTGRES_URL),
};

/** How many events a second each process takes of a tenant that has no limit of its own. */
export const tenantLimitVariable = {
  TRIBUTARY_TENANT_EVENTS_PER_SECOND: Type.Integer({
    default: 20_000,
    minimum: 1,
    maximum: 1_000_000,
  }),
};

/** Where the spans of traces are sent; without it there are none. */
export const tracesVariable = {
  TRIBUTARY_TRACES_ENDPOINT: Type.Optional(
    Type.String({
      expected: 'http(s)://host:port/v1/traces, without user and password',
      verify: mistakeOfTracesEndpoint,
    }),
  ),
};

/** For where traces begin. */
export const tracesShareVariable = {
  /** The share of requests that are traced; callers have no say in it. */
  TRIBUTARY_TRACES_SAMPLED: Type.Number({ default: 0.01, minimum: 0, maximum: 1 }),
};

/** How long a webhook is kept after it was delivered, by whoever keeps something of it. */
export const deliveryRetentionVariable = {
  TRIBUTARY_WEBHOOK_DELIVERY_DAYS: Type.Integer({ default: 90, minimum: 1, maximum: 3_650 }),
};

export const redisVariables = {
  TRIBUTARY_REDIS_URL: Type.String({
    secret: true,
    expected: 'redis://host:port or rediss://user:password@host:port',
    verify: mistakeOfRedisUrl,
  }),
  /** With it, the URL says how to get to each node, and its address is one of them. */
  TRIBUTARY_REDIS_CLUSTER_NODES: Type.Optional(
    Type.String({ expected: 'host:port,host:port,host:port', verify: mistakeOfClusterNodes }),
  ),
  /** With it, the URL says how to get to each server, and its host is the name of the master. */
  TRIBUTARY_REDIS_SENTINELS: Type.Optional(
    Type.String({
      secret: true,
      expected: 'redis://host:port or rediss://user:password@host:port, three or more with commas',
      verify: mistakeOfSentinels,
    }),
  ),
  TRIBUTARY_REDIS_ALLOW_INSECURE: Type.Boolean({
    default: false,
    verify: productionNeedsRedisTls,
  }),
  TRIBUTARY_REDIS_TLS_CA_FILE: Type.Optional(
    Type.String({ expected: 'a PEM file', verify: mistakeOfRedisCa }),
  ),
};

/** For services that read topics; every service gives its own default. */
export const groupVariable = { TRIBUTARY_CONSUMER_GROUP: Type.String({ minLength: 1 }) };

/**
 * What services present to each other's admin listener as bearer token; a comma list while one
 * replaces another (the first is presented, all are accepted).
 */
export const internalTokenVariable = {
  TRIBUTARY_INTERNAL_TOKEN: Type.String({
    secret: true,
    expected: internalTokens,
    verify: (text: string) =>
      text.split(',').every((token) => token.trim().length >= 16 && !/\s/.test(token.trim()))
        ? undefined
        : `must be ${internalTokens}`,
  }),
};

/**
 * Lets production ask other services over http, for a service that has these of their addresses.
 */
export function internalLinksVariable(...links: string[]) {
  return {
    TRIBUTARY_INTERNAL_ALLOW_INSECURE: Type.Boolean({
      default: false,
      verify: productionNeedsHttps(...links),
    }),
  };
}

/** For the job that makes the topics: a number, or such as `events=48,rewards=24`. */
export const topicPartitionsVariable = {
  TRIBUTARY_TOPIC_PARTITIONS: Type.Optional(
    Type.String({
      pattern: '^([0-9]+|[A-Za-z]+=[0-9]+(,[A-Za-z]+=[0-9]+)*)$',
      expected: 'a number, or numbers by topic such as events=48,rewards=24',
    }),
  ),
};

/** For folds: which run this is; other generations have other schemas, groups and topics. */
export const generationVariable = {
  TRIBUTARY_GENERATION: Type.Integer({ default: 1, minimum: 1 }),
};

/** Digests secret access keys. */
export const digestVariable = { TRIBUTARY_ACCESS_KEY_DIGEST_KEY: singleKey() };

/** Digests request bodies, to tell a repeated request from another one with the same key. */
export const fingerprintVariable = { TRIBUTARY_FINGERPRINT_KEY: singleKey() };

/** Derives referral codes. Never rotates: with another key every user's code would be another. */
export const uccVariable = { TRIBUTARY_UCC_KEY: singleKey() };

export type KafkaSettings = {
  brokers: string[];
  tls?: { ca?: string };
  sasl?: { mechanism: SaslMechanism; username: string; password: string };
  /** Default {@link defaultSessionTimeoutMs}. */
  sessionTimeoutMs?: number;
  /** Default `none`. */
  compression?: 'none' | 'zstd';
};
export type SaslMechanism = 'plain' | 'scram-sha-256' | 'scram-sha-512';
/** Where a service's database is and what is its own there. */
export type PostgresSettings = {
  /** `postgresql://user:password@host:port/database` */
  url: string;
  /** The service's own schema; SQL itself names none. */
  schema: string;
  /**
   * Present: encrypted, and the server's certificate is verified; by the system's CAs without `ca`.
   */
  tls?: { ca?: string };
  poolSize: number;
};
export type TopicWiring = {
  prefix: string;
  generation: number;
  replication: number;
  minInsync: number;
};
/** How to get to one server. */
export type RedisAddress = { url: string; tlsCa?: string };
/** With one of the lists, the URL is that of each server but for its address. */
export type RedisSettings = RedisAddress & {
  /** `host:port` of nodes that are asked who serves what. */
  clusterNodes?: readonly string[];
  sentinels?: { urls: readonly string[]; master: string };
};

type ConfigOf<P extends TProperties> = Static<TObject<P>>;

export function kafkaSettings(config: ConfigOf<typeof kafkaVariables>): KafkaSettings {
  const mechanism = config.TRIBUTARY_KAFKA_SASL_MECHANISM;
  const username = config.TRIBUTARY_KAFKA_SASL_USERNAME;
  const password = config.TRIBUTARY_KAFKA_SASL_PASSWORD;
  return {
    brokers: splitList(config.TRIBUTARY_KAFKA_BROKERS),
    sessionTimeoutMs: config.TRIBUTARY_KAFKA_SESSION_TIMEOUT_MS,
    compression: config.TRIBUTARY_KAFKA_COMPRESSION,
    ...(config.TRIBUTARY_KAFKA_TLS ? { tls: readCa(config.TRIBUTARY_KAFKA_TLS_CA_FILE) } : {}),
    ...(mechanism !== undefined && username !== undefined && password !== undefined
      ? { sasl: { mechanism, username, password } }
      : {}),
  };
}

/** How this deployment's topics are named and kept; generation 1 where nothing depends on it. */
export function topicWiring(
  config: ConfigOf<typeof kafkaVariables> & MayHaveGeneration,
): TopicWiring {
  return {
    prefix: config.TRIBUTARY_TOPIC_PREFIX,
    generation: config.TRIBUTARY_GENERATION ?? 1,
    replication: config.TRIBUTARY_TOPIC_REPLICATION,
    minInsync: config.TRIBUTARY_TOPIC_MIN_INSYNC,
  };
}

type MayHaveGeneration = Partial<ConfigOf<typeof generationVariable>>;

/** What every service is set up with; those with public HTTP with more. */
export type ServiceSettings = ReturnType<typeof serviceSettings>;
export type PublicServiceSettings = Omit<ReturnType<typeof publicServiceSettings>, 'drainMs'> & {
  /** See `listen` of @tributary/http. Default: 0. */
  drainMs?: number;
};

export function serviceSettings(config: ConfigOf<typeof serviceVariables> & MayHaveGeneration) {
  return {
    host: config.TRIBUTARY_HOST,
    adminPort: config.TRIBUTARY_ADMIN_PORT,
    kafka: kafkaSettings(config),
    topics: topicWiring(config),
  };
}

export function publicServiceSettings(
  config: ConfigOf<typeof publicServiceVariables> & MayHaveGeneration,
) {
  return {
    ...serviceSettings(config),
    environment: config.SERVICE_ENV,
    port: config.TRIBUTARY_PORT,
    drainMs: config.TRIBUTARY_DRAIN_MS,
  };
}

export function postgresSettings(config: ConfigOf<typeof postgresVariables>): PostgresSettings {
  return {
    url: config.TRIBUTARY_POSTGRES_URL,
    schema: config.TRIBUTARY_POSTGRES_SCHEMA,
    poolSize: config.TRIBUTARY_POSTGRES_POOL_SIZE,
    ...postgresTlsSettings(config),
  };
}

type PostgresTls = Pick<
  ConfigOf<typeof postgresVariables>,
  'TRIBUTARY_POSTGRES_TLS' | 'TRIBUTARY_POSTGRES_TLS_CA_FILE'
>;

export function postgresTlsSettings(config: PostgresTls): Pick<PostgresSettings, 'tls'> {
  const tls = config.TRIBUTARY_POSTGRES_TLS;
  return tls ? { tls: readCa(config.TRIBUTARY_POSTGRES_TLS_CA_FILE) } : {};
}

/** Absent: nothing is traced. */
export function traceSettings(config: ConfigOf<typeof tracesVariable>): { traces?: TraceSettings } {
  const endpoint = config.TRIBUTARY_TRACES_ENDPOINT;
  return endpoint === undefined ? {} : { traces: { endpoint } };
}

/** The same server settings with the read model's own database, where it has one. */
export function readModelSettings(
  config: ConfigOf<typeof postgresVariables> & ConfigOf<typeof readModelVariables>,
): PostgresSettings {
  const postgres = postgresSettings(config);
  return { ...postgres, url: config.TRIBUTARY_READ_MODEL_POSTGRES_URL ?? postgres.url };
}

export function redisSettings(config: ConfigOf<typeof redisVariables>): RedisSettings {
  const url = config.TRIBUTARY_REDIS_URL;
  const nodes = config.TRIBUTARY_REDIS_CLUSTER_NODES;
  const sentinels = config.TRIBUTARY_REDIS_SENTINELS;
  return {
    url,
    ...redisTlsCa(config),
    ...(nodes === undefined ? {} : { clusterNodes: splitList(nodes) }),
    ...(sentinels === undefined
      ? {}
      : { sentinels: { urls: splitList(sentinels), master: new URL(url).hostname } }),
  };
}

export function redisTlsCa(
  config: Pick<ConfigOf<typeof redisVariables>, 'TRIBUTARY_REDIS_TLS_CA_FILE'>,
): Pick<RedisAddress, 'tlsCa'> {
  const { ca } = readCa(config.TRIBUTARY_REDIS_TLS_CA_FILE);
  return ca === undefined ? {} : { tlsCa: ca };
}

export function parseKey(base64: string): Buffer {
  if (!isBase64(base64)) throw new Error('a key is not base64');
  return Buffer.from(base64, 'base64');
}

function splitList(text: string): string[] {
  return text.split(',').map((item) => item.trim());
}

function readCa(file: string | undefined): { ca?: string } {
  return file === undefined ? {} : { ca: readFileSync(file, 'utf8') };
}

function port() {
  // 0 lets the system choose, which tests want.
  return Type.Integer({ minimum: 0, maximum: 65_535 });
}
