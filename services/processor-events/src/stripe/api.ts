import type {
  StripeCharge,
  StripeCheckoutSession,
  StripeInvoice,
  StripeObject,
  StripeRefund,
} from '@tributary/contracts/processor-record';
import type { Need } from '../domain/model.ts';

/**
 * An account at Stripe and how it is asked. The key never leaves this adapter, not even in an
 * error.
 */
export type StripeAccount = {
  connectionId: string;
  apiKey: string;
  /** `Stripe-Version` of every request. */
  apiVersion: string;
};

/** What became of a question. Questions are never given up here: `later` says when to ask again. */
export type Refusal =
  /**
   * 429, 5xx, a timeout, no connection. `afterMs`: what Stripe asked for (Retry-After). `unasked`:
   * it was not its turn, and no request was made.
   */
  | { outcome: 'later'; afterMs?: number; detail: string; limit?: StripeLimit; unasked?: true }
  /** 401, 403, or a request that Stripe does not take: for people, with Stripe's own message. */
  | { outcome: 'refused'; detail: string; because?: 'key-rejected' | 'not-permitted' };

/**
 * Which limit a request was over, by `Stripe-Rate-Limited-Reason`
 * (https://docs.stripe.com/rate-limits); `unnamed`, when the answer does not say so.
 */
export const stripeLimits = [
  'global-rate',
  'endpoint-rate',
  'global-concurrency',
  'endpoint-concurrency',
  'resource-specific',
  'unnamed',
] as const;
export type StripeLimit = (typeof stripeLimits)[number];

export type FetchOutcome =
  /** 404 is an object too: `absent`. */
  { outcome: 'object'; object: StripeObject } | Refusal;

export type ListKind = 'invoices' | 'sessions' | 'refunds';

/** One of a list, for a reconciliation; `createdAt` in seconds. */
export type Listed =
  | { kind: 'invoices'; id: string; createdAt: number; object: StripeInvoice | null }
  | { kind: 'sessions'; id: string; createdAt: number; object: StripeCheckoutSession | null }
  /** `charge` is the refund's, as it is now; null when it has none or is not readable. */
  | {
      kind: 'refunds';
      id: string;
      createdAt: number;
      object: StripeRefund | null;
      charge: StripeCharge | null;
    };

export type ListOutcome =
  /** The newest first; `nextCursor` null at the end. */
  { outcome: 'page'; listed: Listed[]; nextCursor: string | null } | Refusal;

export type WebhookEndpoint = {
  id: string;
  url: string;
  enabled: boolean;
  kinds: string[];
  apiVersion: string | null;
  livemode: boolean;
  /** Which connection made it, by its metadata; null when it was made by hand. */
  connectionId: string | null;
  /** Seconds. */
  createdAt: number;
};

/**
 * What is asked of Stripe: reading only, webhook endpoints aside. Nothing here ever throws a Stripe
 * error.
 */
export type StripeApi = {
  fetch(account: StripeAccount, need: Pick<Need, 'type' | 'id'>): Promise<FetchOutcome>;
  /** Paid invoices, complete sessions, or refunds, created at or after `createdSince` (seconds). */
  list(
    account: StripeAccount,
    asked: { kind: ListKind; createdSince: number; cursor?: string; limit: number },
  ): Promise<ListOutcome>;
  endpoints: {
    /** All of the account. */
    list(
      account: StripeAccount,
    ): Promise<{ outcome: 'endpoints'; endpoints: WebhookEndpoint[] } | Refusal>;
    /**
     * For the five kinds, in the account's API version. Repeated with the same `idempotencyKey` it
     * answers with the same endpoint (for 24 h at Stripe, and as it was then).
     */
    create(
      account: StripeAccount,
      asked: { url: string; idempotencyKey: string },
    ): Promise<{ outcome: 'endpoint'; endpoint: WebhookEndpoint; secret: string | null } | Refusal>;
    /** An endpoint that is not there is removed. */
    remove(account: StripeAccount, id: string): Promise<{ outcome: 'removed' } | Refusal>;
  };
  /** Whether the key may read what facts are made of, by kind of object. */
  permissions(account: StripeAccount): Promise<Permission[]>;
};

export type Permission = {
  /** As Stripe's dashboard calls it. */
  resource: string;
  /** The path in Stripe's API. */
  path: string;
  allowed: boolean;
  /** false: not known, as Stripe did not answer. */
  known: boolean;
  keyRejected: boolean;
  detail: string;
};
