import type { EventRecord } from '@tributary/contracts/event-record';
import type {
  FetchedType,
  IgnoredReason,
  StripeCharge,
  StripeCheckoutSession,
  StripeInvoice,
  StripeObject,
  StripeUnreadable,
  TaxPolicy,
} from '@tributary/contracts/processor-record';

/**
 * A thing at Stripe that facts are made of. There is one per tenant and object, however many events
 * tell of it, in whatever order; which of two tellings is kept is `betterTelling`.
 */
export type Item = {
  /** UUIDv5 of [tenant, type, object id]. */
  itemId: string;
  tenantId: string;
  /** Who is asked for what is missing. */
  connectionId: string;
  type: ItemType;
  objectId: string;
  /** Id of the customer, else of the object; see the record. */
  subject: string;
  object: StripeInvoice | StripeCheckoutSession | StripeCharge | StripeUnreadable;
  taxPolicy: TaxPolicy;
  /** When `object` was received, UTC with milliseconds. */
  receivedAt: string;
  /** Set when the event was of the other mode. */
  ignored?: IgnoredReason;
};

export type ItemType = 'invoice' | 'checkout-session' | 'charge';

/** Something to ask Stripe; an answer counts that was received at or after `since` (UTC, ms). */
export type Need = { type: FetchedType; id: string; since?: string };

/** The last that was read of an object at Stripe, received as an event or fetched. */
export type Reading = { object: StripeObject; receivedAt: string };

/**
 * What is known beside the item: by the type and id that would be asked for. Never of another
 * tenant.
 */
export type LookUp = {
  reading(type: FetchedType, id: string): Reading | undefined;
  /**
   * The identity that a purchase was reported with, by invoiceId. Its refunds are reported with the
   * same.
   */
  reported(invoiceId: string): ReportedPurchase | undefined;
};

export type ReportedPurchase = { ucc: string; newUserId: string; taxPolicy: TaxPolicy };

/** What becomes of an item, by what is known now. */
export type Verdict =
  /** `needs`: of a charge whose later refunds are still to be listed. */
  | { state: 'reported'; facts: EventRecord[]; needs: Need[] }
  /** Not complete yet; `needs` is what is asked for. */
  | { state: 'waiting'; reason: WaitingReason; needs: Need[]; facts: EventRecord[] }
  /** Complete, and not to be attributed as it is. `needs` is asked for again, now and then. */
  | { state: 'unmatched'; reason: UnmatchedReason; detail?: string; needs: Need[] }
  | { state: 'ignored'; reason: IgnoredItemReason; needs: [] };

export type WaitingReason =
  /** Stripe is asked for the rest. */
  | 'incomplete'
  /** A checkout session whose payment is still under way. */
  | 'unpaid';

export type UnmatchedReason =
  | 'no-customer'
  | 'customer-deleted'
  /** Neither service_ucc nor new_user_id: as a rule a customer that nobody referred. */
  | 'no-metadata'
  | 'no-code'
  | 'no-user'
  /** A key is there with a text that the contract does not take (empty, or over 255 characters). */
  | 'unusable-metadata'
  | 'unknown-currency'
  /** More than the contract's largest amount. */
  | 'amount-out-of-range'
  | 'unreadable'
  | 'other-mode'
  /** Stripe no longer has it. */
  | 'absent';

export type IgnoredItemReason =
  /** Its invoice is reported instead. */
  | 'has-invoice'
  | 'no-payment-required'
  /** A session of mode setup. */
  | 'no-payment'
  /** Not paid (any more): an invoice in a state other than paid. */
  | 'not-paid';
