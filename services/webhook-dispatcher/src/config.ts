import { type Static, Type } from '@sinclair/typebox';
import {
  deliveryRetentionVariable,
  groupVariable,
  internalTokenVariable,
  postgresSettings,
  postgresVariables,
  serviceSettings,
  serviceVariables,
  traceSettings,
  tracesVariable,
} from '@tributary/runtime/variables';
import { readKeyRing, webhookPasswordRing } from '@tributary/runtime/key-rings';
import { hostname } from 'node:os';
import { parseNetworks } from '@tributary/guarded-connections/address-rules';
import {
  listOf,
  mistakeOf,
  parseNameServers,
} from '@tributary/guarded-connections/outside-settings';
import type { DispatcherSettings } from './app.ts';
import { parsePorts } from './domain/allowed-ports.ts';
import { breakerSettings } from './domain/breaker.ts';
import { retryDelaysMs } from './domain/next-attempt.ts';

/** The variables of this service; the keys are their names. */
export const WebhookDispatcherConfig = Type.Object({
  ...serviceVariables,
  ...postgresVariables,
  ...webhookPasswordRing,
  ...internalTokenVariable,
  ...tracesVariable,
  TRIBUTARY_POSTGRES_SCHEMA: {
    ...postgresVariables.TRIBUTARY_POSTGRES_SCHEMA,
    default: 'dispatch',
  },
  TRIBUTARY_CONSUMER_GROUP: {
    ...groupVariable.TRIBUTARY_CONSUMER_GROUP,
    default: 'webhook-dispatcher',
  },
  /** Exchanges at once in this process. */
  TRIBUTARY_WEBHOOK_MAX_IN_FLIGHT: Type.Integer({ default: 1_000, minimum: 1, maximum: 10_000 }),
  /** Exchanges at once with one tenant's endpoint, over all processes. */
  TRIBUTARY_WEBHOOK_MAX_IN_FLIGHT_PER_ENDPOINT: Type.Integer({
    default: 32,
    minimum: 1,
    maximum: 1_000,
  }),
  /** For the whole exchange, from look-up to the end of the answer. */
  TRIBUTARY_WEBHOOK_TIMEOUT_MS: Type.Integer({ default: 10_000, minimum: 100, maximum: 60_000 }),
  /** From issue (or resend) to giving up; a little more than the schedule without jitter takes. */
  TRIBUTARY_WEBHOOK_HORIZON_HOURS: Type.Integer({ default: 76, minimum: 1, maximum: 720 }),
  /** Networks that may be sent to although they are not public, with commas between. */
  TRIBUTARY_WEBHOOK_ALLOWED_NETWORKS: Type.String({
    default: '',
    expected: 'networks like 10.0.0.0/8 or fd00::/8, with commas between',
    verify: mistakeOf(parseNetworks),
  }),
  /** Ports of endpoints. */
  TRIBUTARY_WEBHOOK_ALLOWED_PORTS: Type.String({
    default: '80,443,8080,8443',
    expected: 'ports or ranges like 8000-8999, with commas between',
    verify: mistakeOf(parsePorts),
  }),
  /** Name servers to ask instead of the machine's. */
  TRIBUTARY_WEBHOOK_DNS_SERVERS: Type.String({
    default: '',
    expected: 'addresses of name servers, with commas between; ports as 10.0.0.2:5353',
    verify: mistakeOf(parseNameServers),
  }),
  /** How long attempts, with what receivers answered, are kept. */
  TRIBUTARY_WEBHOOK_ATTEMPT_DAYS: Type.Integer({ default: 30, minimum: 1, maximum: 3_650 }),
  /** How long a delivery is kept after it was delivered, with its attempts. */
  ...deliveryRetentionVariable,
  /** Deliveries that are due, over all endpoints, before the intake is held back. */
  TRIBUTARY_WEBHOOK_BACKLOG_LIMIT: Type.Integer({
    default: 100_000,
    minimum: 100,
    maximum: 100_000_000,
  }),
});
export type WebhookDispatcherConfig = Static<typeof WebhookDispatcherConfig>;

/**
 * A lease outlives the timeout by this much: time to tell and write the result, also after a
 * hiccup.
 */
const leaseMarginMs = 15_000;

export function dispatcherSettings(config: WebhookDispatcherConfig): DispatcherSettings {
  const timeoutMs = config.TRIBUTARY_WEBHOOK_TIMEOUT_MS;
  return {
    environment: config.SERVICE_ENV,
    ...serviceSettings(config),
    ...traceSettings(config),
    internalTokens: listOf(config.TRIBUTARY_INTERNAL_TOKEN),
    postgres: postgresSettings(config),
    group: config.TRIBUTARY_CONSUMER_GROUP,
    secrets: readKeyRing(
      config.TRIBUTARY_WEBHOOK_PASSWORD_KEY_RING,
      config.TRIBUTARY_SECRET_KEY_RING,
    ),
    endpoints: {
      answerLimitBytes: 16 * 1024,
      allowedNetworks: parseNetworks(config.TRIBUTARY_WEBHOOK_ALLOWED_NETWORKS),
      allowedPorts: parsePorts(config.TRIBUTARY_WEBHOOK_ALLOWED_PORTS),
      dnsServers: parseNameServers(config.TRIBUTARY_WEBHOOK_DNS_SERVERS),
    },
    worker: {
      name: `${hostname()}/${process.pid}`,
      maxInFlight: config.TRIBUTARY_WEBHOOK_MAX_IN_FLIGHT,
      maxInFlightPerEndpoint: config.TRIBUTARY_WEBHOOK_MAX_IN_FLIGHT_PER_ENDPOINT,
      timeoutMs,
      leaseMs: timeoutMs + leaseMarginMs,
      pollMs: 1_000,
      retryDelaysMs,
      horizonMs: config.TRIBUTARY_WEBHOOK_HORIZON_HOURS * 3_600_000,
    },
    breaker: breakerSettings,
    maintenance: {
      expireEveryMs: 30_000,
      attemptDays: config.TRIBUTARY_WEBHOOK_ATTEMPT_DAYS,
      deliveryDays: config.TRIBUTARY_WEBHOOK_DELIVERY_DAYS,
      retentionEveryMs: 600_000,
    },
    sweepMs: 1_000,
    backlogLimit: config.TRIBUTARY_WEBHOOK_BACKLOG_LIMIT,
    failingAfterMs: 48 * 3_600_000,
  };
}
