import { type Static, Type } from '@sinclair/typebox';
import { parseTokenList } from '@tributary/http/fixed-tokens';
import type { KeyRing } from '@tributary/runtime/secrets';
import { outsideUrl } from '@tributary/runtime/variable-rules';
import {
  groupVariable,
  internalTokenVariable,
  type PostgresSettings,
  postgresSettings,
  postgresVariables,
  type PublicServiceSettings,
  publicServiceSettings,
  publicServiceVariables,
} from '@tributary/runtime/variables';
import { processorKeyRing, readKeyRing } from '@tributary/runtime/key-rings';
import { questionsAtOnce, type StripeRates, stripeRatesOf } from './domain/stripe-rates.ts';
import { defaultFetchSettings, type FetchSettings } from './workers/fetch-worker.ts';
import { defaultMaintenanceSettings, type MaintenanceSettings } from './workers/maintenance.ts';

/** The variables of this service; the keys are their names. */
export const ProcessorEventsConfig = Type.Object({
  ...publicServiceVariables,
  ...postgresVariables,
  ...processorKeyRing,
  ...internalTokenVariable,
  TRIBUTARY_POSTGRES_SCHEMA: {
    ...postgresVariables.TRIBUTARY_POSTGRES_SCHEMA,
    default: 'processor',
  },
  TRIBUTARY_CONSUMER_GROUP: {
    ...groupVariable.TRIBUTARY_CONSUMER_GROUP,
    default: 'processor-events',
  },
  /** Where Stripe is asked; the customers' keys go there. */
  TRIBUTARY_STRIPE_URL: { ...outsideUrl(), default: 'https://api.stripe.com' },
  /**
   * How much of Stripe's documented limits all processes together use of each account. Over 100 is
   * for accounts with higher limits.
   */
  TRIBUTARY_STRIPE_LIMIT_PERCENT: Type.Integer({ default: 60, minimum: 1, maximum: 1_000 }),
  /** The edge as Stripe sees it: its events come to `/processor/stripe/{connectionId}` below it. */
  TRIBUTARY_PUBLIC_URL: outsideUrl(),
  /** A customer's metadata that was read so long before a payment still counts for it. */
  TRIBUTARY_PROCESSOR_METADATA_TTL_SECONDS: Type.Integer({
    default: 600,
    minimum: 0,
    maximum: 86_400,
  }),
});
export type ProcessorEventsConfig = Static<typeof ProcessorEventsConfig>;

export type ProcessorEventsSettings = PublicServiceSettings & {
  /** Accepted from other services; the first is also presented. */
  internalTokens: readonly string[];
  postgres: PostgresSettings;
  group: string;
  secrets: KeyRing;
  /** Both without a slash at the end. */
  stripeUrl: string;
  publicUrl: string;
  metadataTtlMs: number;
  /** For one whole exchange with Stripe. */
  stripeTimeoutMs: number;
  stripeRates: StripeRates;
  fetches: FetchSettings;
  maintenance: MaintenanceSettings;
};

export function processorEventsSettings(config: ProcessorEventsConfig): ProcessorEventsSettings {
  const publicService = publicServiceSettings(config);
  const stripeRates = stripeRatesOf({
    livemode: publicService.environment === 'prod',
    percent: config.TRIBUTARY_STRIPE_LIMIT_PERCENT,
  });
  return {
    ...publicService,
    internalTokens: parseTokenList(config.TRIBUTARY_INTERNAL_TOKEN),
    postgres: postgresSettings(config),
    group: config.TRIBUTARY_CONSUMER_GROUP,
    secrets: readKeyRing(config.TRIBUTARY_PROCESSOR_KEY_RING, config.TRIBUTARY_SECRET_KEY_RING),
    stripeUrl: new URL(config.TRIBUTARY_STRIPE_URL).origin,
    publicUrl: new URL(config.TRIBUTARY_PUBLIC_URL).origin,
    metadataTtlMs: config.TRIBUTARY_PROCESSOR_METADATA_TTL_SECONDS * 1_000,
    stripeTimeoutMs: 10_000,
    stripeRates,
    fetches: { ...defaultFetchSettings, maxPerConnection: questionsAtOnce(stripeRates) },
    maintenance: defaultMaintenanceSettings,
  };
}
