import { verifyKeyOf } from '../../packages/runtime/src/token-keys.ts';
import { demoTenants } from '../demo/demo-tenants.ts';
import type { DeploymentSecrets } from './deployment-secrets.ts';

/** Where a service of this deployment finds its servers. */
export type Servers = {
  kafkaBrokers: string;
  postgresUrl: string;
  redisUrl: string;
  /** Present: all three are encrypted, with certificates of the authority in this file. */
  caFile?: string;
};

/** Where it finds the internal listeners of other services. */
export type InternalUrls = {
  attributionUrl: string;
  rewardsUrl: string;
  webhookDispatcherUrl: string;
  replayUrl: string;
  processorEventsUrl: string;
};

/** What webhooks may be sent to beside the public internet: this deployment's own receivers. */
export type AllowedReceivers = { networks: string; ports: string };

/** Where webhooks of the payment processor come in, and where it is asked. */
export type StripeAccess = {
  /** Base URL of the edge, as Stripe sees it. */
  publicUrl: string;
  /** Another one than the real Stripe, for tests. */
  stripeUrl?: string | undefined;
};

/**
 * What the caller's environment says of it, else the edge as services see it and the real Stripe.
 */
export function stripeAccessFrom(env: NodeJS.ProcessEnv, edgeUrl: string): StripeAccess {
  return {
    publicUrl: env['TRIBUTARY_PUBLIC_URL'] || edgeUrl,
    stripeUrl: env['TRIBUTARY_STRIPE_URL'] || undefined,
  };
}

/** Directories of services that keep something on disk. */
export type Places = { replayDir: string };

/** Receivers on the machine itself, at whatever port. */
export const receiversOfThisMachine: AllowedReceivers = {
  networks: '127.0.0.0/8,::1/128',
  ports: '1-65535',
};

/**
 * Every variable a service of a single-node sandbox may want, by name, but for what it reaches the
 * servers by (server-variables.ts). A service is given those that its own schema names ({@link
 * pickVariables}), so that it sees no other service's secrets and meets no variable that it would
 * refuse.
 */
export function deploymentVariables(deployment: {
  internal: InternalUrls;
  receivers: AllowedReceivers;
  stripe: StripeAccess;
  secrets: DeploymentSecrets;
  places: Places;
}): Record<string, string> {
  const { internal, receivers, stripe, secrets, places } = deployment;
  const { stripeUrl } = stripe;
  return {
    SERVICE_ENV: 'sandbox',
    TRIBUTARY_TOPIC_REPLICATION: '1',
    TRIBUTARY_TOPIC_MIN_INSYNC: '1',
    TRIBUTARY_KAFKA_COMPRESSION: 'zstd',
    TRIBUTARY_OPERATOR_TOKEN: secrets.operatorToken,
    TRIBUTARY_INSECURE_COOKIES: 'true',
    TRIBUTARY_DOCS_TENANT: demoTenants[0].tenantId,
    TRIBUTARY_INTERNAL_TOKEN: secrets.internalToken,
    TRIBUTARY_ATTRIBUTION_ADMIN_URL: internal.attributionUrl,
    TRIBUTARY_REWARDS_ADMIN_URL: internal.rewardsUrl,
    TRIBUTARY_WEBHOOK_DISPATCHER_URL: internal.webhookDispatcherUrl,
    TRIBUTARY_REPLAY_ADMIN_URL: internal.replayUrl,
    TRIBUTARY_PROCESSOR_ADMIN_URL: internal.processorEventsUrl,
    TRIBUTARY_PUBLIC_URL: stripe.publicUrl,
    ...passkeyVariables(stripe.publicUrl),
    ...(stripeUrl === undefined ? {} : { TRIBUTARY_STRIPE_URL: stripeUrl }),
    TRIBUTARY_REPLAY_DIR: places.replayDir,
    TRIBUTARY_WEBHOOK_ALLOWED_NETWORKS: receivers.networks,
    TRIBUTARY_WEBHOOK_ALLOWED_PORTS: receivers.ports,
    ...keyVariables(secrets),
    TRIBUTARY_ACCESS_KEY_DIGEST_KEY: secrets.accessKeyDigestKey,
    TRIBUTARY_FINGERPRINT_KEY: secrets.fingerprintKey,
    TRIBUTARY_UCC_KEY: secrets.uccKey,
  };
}

/** No authenticator makes a passkey for an address; this machine has a name, too. */
function passkeyVariables(publicUrl: string): Record<string, string> {
  const { hostname, origin } = new URL(publicUrl);
  if (hostname !== '127.0.0.1') return {};
  return {
    TRIBUTARY_PASSKEY_RP_ID: 'localhost',
    TRIBUTARY_PASSKEY_ORIGINS: origin.replace(hostname, 'localhost'),
  };
}

function keyVariables(secrets: DeploymentSecrets): Record<string, string> {
  const { tokenSigningKey, secretKeyRing } = secrets;
  return {
    TRIBUTARY_TOKEN_SIGNING_KEY: tokenSigningKey,
    TRIBUTARY_TOKEN_VERIFY_KEYS: verifyKeyOf(tokenSigningKey),
    TRIBUTARY_PRODUCT_SECRET_KEY_RING: secrets.productSecretKeyRing,
    TRIBUTARY_WEBHOOK_PASSWORD_KEY_RING: secrets.webhookPasswordKeyRing,
    TRIBUTARY_PROCESSOR_KEY_RING: secrets.processorKeyRing,
    TRIBUTARY_SECOND_FACTOR_KEY_RING: secrets.secondFactorKeyRing,
    ...(secretKeyRing === undefined ? {} : { TRIBUTARY_SECRET_KEY_RING: secretKeyRing }),
  };
}

export function pickVariables(
  values: Record<string, string>,
  schema: { properties: Record<string, unknown> },
): Record<string, string> {
  return Object.fromEntries(Object.entries(values).filter(([name]) => name in schema.properties));
}
