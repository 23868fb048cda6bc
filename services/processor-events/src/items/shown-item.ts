import type { EventRecord, Payment } from '@tributary/contracts/event-record';
import type { ItemType } from '../domain/model.ts';

/** An item as people see it (items/search, items/:itemId/show). */
export type ShownItem = {
  itemId: string;
  connectionId: string;
  type: ItemType;
  objectId: string;
  customerId: string | null;
  state: 'reported' | 'waiting' | 'unmatched' | 'ignored';
  /** Absent when reported. */
  reason?: string;
  /** Words on the reason. */
  detail?: string;
  /** Stripe's minor units; of a charge what was given back. null: not known. */
  amount: number | null;
  /** Upper case; null: not known. */
  currency: string | null;
  /** When the object was made at Stripe, RFC 3339 UTC; null: not known. */
  createdAt: string | null;
  /** When we first knew of it, UTC with milliseconds. The list is sorted by it, newest first. */
  knownSince: string;
  /** How many facts were made of it. */
  facts: number;
};

export type ShownProcessorEvent = {
  processorEventId: string;
  kind: string;
  apiVersion: string | null;
  /** At Stripe, RFC 3339 UTC. */
  createdAt: string | null;
  receivedAt: string;
};

/** A fact that was made of an item; the members of the payment are there as the record has them. */
export type ShownFact = {
  eventId: string;
  eventType: EventRecord['eventType'];
  occurredAt: string;
  receivedAt: string;
  ucc: string;
  newUserId: string;
} & Partial<Payment> &
  Pick<EventRecord, 'warnings'>;

export type ShownNeed = {
  type: string;
  id: string;
  /** When it is asked next, at the earliest. */
  dueAt: string;
  attempts: number;
  lastError: string | null;
};

export type ConnectionStatus = {
  connectionId: string;
  /** When the last event came; null: none has. */
  lastEventAt: string | null;
  /** The longest gap of the last 30 days, with at least 10 events in them; else null. */
  usualGapSeconds: number | null;
  silent: boolean;
  failing: { since: string; detail: string } | null;
  items: { reported: number; waiting: number; unmatched: number; ignored: number };
};
