import { type EventRecord, eventCodec, type EventSource } from '@tributary/contracts/event-record';
import { topics as topicTable } from '@tributary/contracts/topics';
import type { Evidence, LogRecord, SentRequest } from '../evidence.ts';

/** What a request, or a record, says of itself; the same for a request and the event it made. */
export type Report = {
  tenantId: string;
  source: EventSource;
  eventType: string;
  key: string | undefined;
  userId: string;
  invoiceId: string | undefined;
  amount: string | undefined;
};

export function nameOf(report: Report): string {
  const { tenantId, source, eventType, key, userId, invoiceId, amount } = report;
  return JSON.stringify([tenantId, source, eventType, key, userId, invoiceId, amount]);
}

type V2Body = {
  newUser: { id: string };
  invoiceId?: string;
  amount?: unknown;
};
type LegacyBody = {
  payload: { newUserId: string; price: unknown };
  context: { event: { trigger: string }; subscription?: { invoiceId?: string } };
};

const typesOfTriggers: Record<string, string> = {
  'invoice-paid': 'purchase-created',
  'new-signup': 'signup-created',
  'demo-call-attended': 'demo-attended',
  'charge-refunded': 'purchase-refunded',
};

/** Undefined for a request that reports no event. */
export function reportOf(request: SentRequest): Report | undefined {
  if (request.by !== 'customer' || request.body === undefined) return undefined;
  const { tenantId, path, key } = request;
  const eventType = /^\/v2\/events\/([a-z-]+)$/.exec(path)?.[1];
  if (eventType !== undefined) {
    const { newUser, invoiceId, amount } = JSON.parse(request.body) as V2Body;
    return {
      ...{ tenantId, source: 'v2', eventType, key, userId: newUser.id, invoiceId },
      amount: textOf(amount),
    };
  }
  if (path !== '/events') return undefined;
  const { payload, context } = JSON.parse(request.body) as LegacyBody;
  const type = typesOfTriggers[context.event.trigger] ?? 'unknown';
  const isPayment = type.startsWith('purchase-');
  return {
    ...{ tenantId, source: 'legacy', eventType: type, key: undefined, userId: payload.newUserId },
    invoiceId: isPayment ? context.subscription?.invoiceId : undefined,
    amount: isPayment ? textOf(payload.price) : undefined,
  };
}

export function reportOfRecord(event: EventRecord): Report {
  const payment =
    event.eventType === 'purchase-created'
      ? event.purchase
      : event.eventType === 'purchase-refunded'
        ? event.refund
        : undefined;
  return {
    tenantId: event.tenantId,
    source: event.source,
    eventType: event.eventType,
    key: event.idempotency?.key,
    userId: event.newUser.id,
    invoiceId: payment?.invoiceId,
    amount: textOf(payment?.amount),
  };
}

function textOf(amount: unknown): string | undefined {
  return amount === undefined ? undefined : JSON.stringify(amount);
}

/** A record on the log that keeps its contract, with all the bytes it has there. */
export type LoggedEvent = { record: LogRecord; event: EventRecord };

/** Every record of the topic of events that keeps its contract, copies included. */
export function loggedEvents({ topics }: Evidence): LoggedEvent[] {
  return (topics[topicTable.events.name] ?? []).flatMap((record) => {
    const decoded = eventCodec.decode(record.value === null ? null : Buffer.from(record.value));
    return decoded.outcome === 'record' ? [{ record, event: decoded.value }] : [];
  });
}

/**
 * The first of each event: the log may hold copies of a record (decision 1), and of a signup that a
 * browser reported those have other times (decision 15).
 */
export function distinctEvents(evidence: Evidence): EventRecord[] {
  const found = new Map<string, EventRecord>();
  for (const { event } of loggedEvents(evidence)) {
    if (!found.has(event.eventId)) found.set(event.eventId, event);
  }
  return [...found.values()];
}

/** Reported by a customer's backend, and not by a browser or by Stripe. */
export function isOfBackend({ source }: Pick<EventRecord, 'source'>): boolean {
  return source === 'v2' || source === 'legacy';
}
