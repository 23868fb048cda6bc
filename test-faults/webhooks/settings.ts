import { testSessionTimeoutMs } from '@tributary/testkit/session-timeout';

/** Small where production is patient; a test changes what it is about. */
export type Limits = Partial<typeof defaults>;

const defaults = {
  maxInFlight: 24,
  perEndpoint: 8,
  timeoutMs: 2_000,
  leaseMs: 4_000,
  horizonMs: 3_600_000,
  retryDelaysMs: [50, 100, 200, 400, 800, 800, 800] as readonly number[],
  breakerOpenMs: 100,
  breakerMaxOpenMs: 800,
};

/** The environment of a dispatcher process: the service's own variables, and what has none. */
export function environmentOf(where: {
  kafkaBrokers: string;
  postgresUrl: string;
  prefix: string;
  keyRing: string;
  limits: Limits;
}): Record<string, string> {
  const limits = { ...defaults, ...where.limits };
  return {
    SERVICE_ENV: 'sandbox',
    TRIBUTARY_HOST: '127.0.0.1',
    TRIBUTARY_ADMIN_PORT: '0',
    TRIBUTARY_KAFKA_BROKERS: where.kafkaBrokers,
    TRIBUTARY_KAFKA_SESSION_TIMEOUT_MS: String(testSessionTimeoutMs),
    TRIBUTARY_TOPIC_PREFIX: where.prefix,
    TRIBUTARY_TOPIC_REPLICATION: '1',
    TRIBUTARY_TOPIC_MIN_INSYNC: '1',
    TRIBUTARY_POSTGRES_URL: where.postgresUrl,
    TRIBUTARY_CONSUMER_GROUP: `${where.prefix}webhook-dispatcher`,
    TRIBUTARY_WEBHOOK_PASSWORD_KEY_RING: where.keyRing,
    TRIBUTARY_INTERNAL_TOKEN: 'only-between-these-processes',
    TRIBUTARY_WEBHOOK_MAX_IN_FLIGHT: String(limits.maxInFlight),
    TRIBUTARY_WEBHOOK_MAX_IN_FLIGHT_PER_ENDPOINT: String(limits.perEndpoint),
    TRIBUTARY_WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8,::1/128',
    TRIBUTARY_WEBHOOK_ALLOWED_PORTS: '1-65535',
    TEST_SETTINGS: JSON.stringify({
      worker: {
        // On a slow machine it may be longer than the variable allows.
        timeoutMs: limits.timeoutMs,
        leaseMs: limits.leaseMs,
        horizonMs: limits.horizonMs,
        retryDelaysMs: limits.retryDelaysMs,
      },
      breaker: { openMs: limits.breakerOpenMs, maxOpenMs: limits.breakerMaxOpenMs },
      maintenance: { expireEveryMs: 500 },
    }),
  };
}
