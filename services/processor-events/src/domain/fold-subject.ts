import type { EventRecord } from '@tributary/contracts/event-record';
import type { FetchedType } from '@tributary/contracts/processor-record';
import type { Item, Need, Reading, ReportedPurchase, Verdict } from './model.ts';

/** An item with what became of it so far. */
export type KeptItem = {
  item: Item;
  /** When its first telling was received, UTC with milliseconds. */
  knownSince: string;
  state: Verdict['state'];
  /** `internal` when it could not be evaluated, which is a fault of ours; null when reported. */
  reason: string | null;
  detail: string | null;
  needs: Need[];
  /** Keys of the readings it was evaluated by, there or not. */
  asks: string[];
  /** The events of its facts. */
  eventIds: string[];
};

/** A fact that was made just now. */
export type NewFact = {
  eventId: string;
  itemId: string;
  connectionId: string;
  eventType: EventRecord['eventType'];
  occurredAtSeconds: string;
  /** Given for a purchase. */
  invoiceId: string | null;
  purchase: ReportedPurchase;
  /** As it goes on the log. */
  value: string;
};

export type SeenEvent = {
  connectionId: string;
  processorEventId: string;
  kind: string;
  apiVersion: string | null;
  createdAt: number;
  receivedAt: string;
  itemId: string | null;
};

/**
 * What is known of one subject while a batch is applied: as much of what is stored as the batch
 * needs, and what it adds. Nothing in it is of another subject, so what becomes of its items
 * follows from its own records in their order.
 */
export type Subject = {
  subjectId: string;
  tenantId: string;
  subject: string;
  /** Nothing is stored of it: what is not here is not there. */
  fresh: boolean;
  /** When its last event was received, UTC with milliseconds; empty before the first. */
  lastEventAt: string;
  /**
   * Which connection reported it last, by an event or a reconciliation; empty before the first. It
   * is the one that is asked: an account may have been disconnected and connected anew since an
   * item was reported.
   */
  lastConnectionId: string;
  seen: Set<string>;
  items: Map<string, KeptItem>;
  /** By {@link readingKey}; null: it is known that there is none. */
  readings: Map<string, Reading | null>;
  /** By invoiceId. */
  purchases: Map<string, ReportedPurchase | null>;
  added: Added;
};

export type Added = {
  seen: SeenEvent[];
  itemIds: Set<string>;
  /** Keys of what was read, whether it says anything new or not. */
  readings: Set<string>;
  facts: NewFact[];
  /** Items that could not be evaluated, each time that one was not. */
  faults: { itemId: string; fault: unknown }[];
};

export function emptySubject(
  of: Pick<
    Subject,
    'subjectId' | 'tenantId' | 'subject' | 'fresh' | 'lastEventAt' | 'lastConnectionId'
  >,
): Subject {
  return {
    ...of,
    seen: new Set(),
    items: new Map(),
    readings: new Map(),
    purchases: new Map(),
    added: nothingAdded(),
  };
}

function nothingAdded(): Added {
  return { seen: [], itemIds: new Set(), readings: new Set(), facts: [], faults: [] };
}

/** To be folded on, while this one stays as it is. */
export function copyOf(subject: Subject): Subject {
  return {
    ...subject,
    seen: new Set(subject.seen),
    items: new Map([...subject.items].map(([itemId, kept]) => [itemId, { ...kept }])),
    readings: new Map(subject.readings),
    purchases: new Map(subject.purchases),
    added: nothingAdded(),
  };
}

export function readingKey(type: FetchedType, id: string): string {
  return `${type}:${id}`;
}

/** The other way round: a type holds no colon. */
export function ofReadingKey(key: string): { type: FetchedType; id: string } {
  const colon = key.indexOf(':');
  return { type: key.slice(0, colon) as FetchedType, id: key.slice(colon + 1) };
}

export function seenKey(event: { connectionId: string; processorEventId: string }): string {
  return `${event.connectionId} ${event.processorEventId}`;
}

/** Evaluated again with each record of its subject: what it needs may be in any of them. */
export function isOpen({ state, needs }: KeptItem): boolean {
  return state === 'waiting' || state === 'unmatched' || needs.length > 0;
}

/** A purchase is made once; only of a charge there may be more to report. */
export function isDone({ item, eventIds }: KeptItem): boolean {
  return item.type !== 'charge' && eventIds.length > 0;
}
