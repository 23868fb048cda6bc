import { Type } from '@sinclair/typebox';
import { EventRecord, EventType, Purchase } from '../event-record.ts';
import { TaxPolicy } from '../processor-record.ts';
import { count, named, nullable, oneOfTexts, text, utc } from './answer-fields.ts';

const connection = {
  connectionId: text,
  processor: Type.Literal('stripe'),
  status: oneOfTexts('opening', 'active', 'disconnected'),
  apiVersion: text,
  /** null while it is opening. */
  livemode: nullable(Type.Boolean()),
  taxPolicy: TaxPolicy,
  connectedAt: nullable(utc),
  /** Where Stripe sends its events. */
  webhookUrl: text,
  endpointId: nullable(text),
  /** The endpoint before a rotation, whose events are still taken. */
  previousEndpoint: Type.Optional(Type.Object({ endpointId: text, until: utc })),
  reason: Type.Optional(text),
  changedBy: Type.Optional(text),
  changedAt: utc,
};

/** Everything but key and secrets. */
export const ProcessorConnection = named('Connection', Type.Object(connection));

const status = {
  lastEventAt: nullable(utc),
  /** The longest gap of the last 30 days, with at least 10 events in them; else null. */
  usualGapSeconds: nullable(count),
  silent: Type.Boolean(),
  failing: nullable(Type.Object({ since: text, detail: text })),
  items: Type.Object({ reported: count, waiting: count, unmatched: count, ignored: count }),
};
export const ConnectionStatus = Type.Object({ connectionId: text, ...status });

const statusIfKnown = {
  lastEventAt: Type.Optional(status.lastEventAt),
  usualGapSeconds: Type.Optional(status.usualGapSeconds),
  silent: Type.Optional(status.silent),
  failing: Type.Optional(status.failing),
  items: Type.Optional(status.items),
};
/** Without its status while processor-events cannot be asked. */
export const ConnectionWithStatus = named(
  'Connection with how it fares',
  Type.Object({ ...connection, ...statusIfKnown }),
);
/** Why there is no status. */
export const statusUnavailable = Type.Optional(text);

export const Finding = Type.Object({ check: text, ok: Type.Boolean(), detail: text });
export const ConnectionCheck = Type.Object({ ok: Type.Boolean(), findings: Type.Array(Finding) });

const ItemState = oneOfTexts('reported', 'waiting', 'unmatched', 'ignored');
export const itemStates = ItemState.anyOf.map(({ const: state }) => state);
const ItemType = oneOfTexts('invoice', 'checkout-session', 'charge');
export const itemTypes = ItemType.anyOf.map(({ const: type }) => type);

const item = {
  objectId: text,
  customerId: nullable(text),
  state: ItemState,
  reason: Type.Optional(text),
  detail: Type.Optional(text),
  amount: nullable(Type.Integer()),
  currency: nullable(text),
  createdAt: nullable(text),
  knownSince: utc,
  facts: count,
};
export const ProcessorItem = named(
  'Processor item',
  Type.Object({ itemId: text, connectionId: text, type: ItemType, ...item }),
);

/** A fact that waits for its code, listed behind the unmatched items. */
export const UnknownCodeItem = named(
  'Item of an unknown code',
  Type.Object({
    ...item,
    eventId: text,
    type: Type.Optional(EventType),
    objectId: nullable(text),
    ucc: Type.Optional(text),
    newUserId: Type.Optional(text),
  }),
);

const [anyEvent] = EventRecord.anyOf;
export const ItemDetail = Type.Object({
  item: ProcessorItem,
  events: Type.Array(
    Type.Object({
      processorEventId: text,
      kind: text,
      apiVersion: nullable(text),
      createdAt: nullable(text),
      receivedAt: utc,
    }),
  ),
  facts: Type.Array(
    Type.Object({
      eventId: text,
      eventType: EventType,
      occurredAt: text,
      receivedAt: utc,
      ucc: text,
      newUserId: text,
      ...Type.Partial(Purchase).properties,
      warnings: anyEvent.properties.warnings,
    }),
  ),
  needs: Type.Array(
    Type.Object({ type: text, id: text, dueAt: utc, attempts: count, lastError: nullable(text) }),
  ),
});
export const Retried = Type.Object({ retried: count, more: Type.Boolean() });

const differing = Type.Union([text, Type.Number(), Type.Null()]);
const Difference = Type.Object({ pointer: text, ours: differing, wanted: differing });

export const ReconciledPage = Type.Object({
  scanned: count,
  reachedAt: text,
  endsAt: text,
  findings: Type.Array(
    Type.Object({
      finding: oneOfTexts('missing', 'different', 'extra'),
      type: oneOfTexts('invoice', 'checkout-session', 'refund'),
      objectId: text,
      itemId: Type.Optional(text),
      state: Type.Optional(text),
      reason: Type.Optional(text),
      occurredAt: text,
      amount: nullable(Type.Integer()),
      currency: nullable(text),
      differences: Type.Optional(Type.Array(Difference)),
      detail: Type.Optional(text),
      appended: Type.Optional(Type.Literal(true)),
    }),
  ),
  appended: count,
  nextCursor: nullable(text),
});
