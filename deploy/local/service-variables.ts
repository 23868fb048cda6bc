import type { DeploymentSecrets } from './deployment-secrets.ts';

/** Where a service of this deployment finds its servers. */
export type Servers = { kafkaBrokers: string; postgresUrl: string; redisUrl: string };

/** Where it finds the internal listeners of other services. */
export type InternalUrls = { attributionUrl: string; rewardsUrl: string };

/**
 * Every variable a service of a single-node sandbox may want, by name. A service is given those
 * that its own schema names ({@link pickVariables}), so that it sees no other service's secrets and
 * meets no variable that it would refuse.
 */
export function deploymentVariables(
  servers: Servers,
  internal: InternalUrls,
  secrets: DeploymentSecrets,
): Record<string, string> {
  return {
    SERVICE_ENV: 'sandbox',
    TRIBUTARY_KAFKA_BROKERS: servers.kafkaBrokers,
    TRIBUTARY_TOPIC_REPLICATION: '1',
    TRIBUTARY_TOPIC_MIN_INSYNC: '1',
    TRIBUTARY_POSTGRES_URL: servers.postgresUrl,
    TRIBUTARY_REDIS_URL: servers.redisUrl,
    TRIBUTARY_OPERATOR_TOKEN: secrets.operatorToken,
    TRIBUTARY_INTERNAL_TOKEN: secrets.internalToken,
    TRIBUTARY_ATTRIBUTION_ADMIN_URL: internal.attributionUrl,
    TRIBUTARY_REWARDS_ADMIN_URL: internal.rewardsUrl,
    TRIBUTARY_TOKEN_SIGNING_KEYS: secrets.tokenSigningKeys,
    TRIBUTARY_SECRET_KEY_RING: secrets.secretKeyRing,
    TRIBUTARY_ACCESS_KEY_DIGEST_KEY: secrets.accessKeyDigestKey,
    TRIBUTARY_FINGERPRINT_KEY: secrets.fingerprintKey,
    TRIBUTARY_UCC_KEY: secrets.uccKey,
  };
}

export function pickVariables(
  values: Record<string, string>,
  schema: { properties: Record<string, unknown> },
): Record<string, string> {
  return Object.fromEntries(Object.entries(values).filter(([name]) => name in schema.properties));
}
