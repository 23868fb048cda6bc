import { cutFraction } from './cut-fraction.ts';
import type { NewUser, RefundedSubscription } from './public/event-fields.ts';
import { type EventRecord, eventSchemaVersion } from './event-record.ts';
import { type PersonRecord, personSchemaVersion } from './people-record.ts';
import type { PurchaseCreated } from './public/purchase-created.ts';
import type { PurchaseRefunded } from './public/purchase-refunded.ts';
import type { Warning } from './warning.ts';
import type { V2Bodies, V2EventType } from './public/v2-events.ts';

/** What the service adds to a body: who sent it, when it came, and how it was validated. */
export type Receipt = {
  tenantId: string;
  accessKeyId?: string;
  eventId: string;
  receivedAt: string;
  occurredAtSeconds: string;
  warnings: readonly Warning[];
  idempotency?: { key: string; fingerprint: string };
};

/** Event type → its record. A new event type is one row here and one in `v2Events`. */
const toRecord: { [T in V2EventType]: (body: V2Bodies[T], receipt: Receipt) => EventRecord } = {
  'purchase-created': (body, receipt) => ({
    ...commonFields(body, receipt),
    eventType: 'purchase-created',
    purchase: { ...toPayment(body), subscription: toSubscription(body.subscription) },
  }),
  'signup-created': (body, receipt) => ({
    ...commonFields(body, receipt),
    eventType: 'signup-created',
  }),
  'demo-attended': (body, receipt) => ({
    ...commonFields(body, receipt),
    eventType: 'demo-attended',
  }),
  'purchase-refunded': (body, receipt) => ({
    ...commonFields(body, receipt),
    eventType: 'purchase-refunded',
    refund: {
      ...toPayment(body),
      ...(body.subscription && { subscription: toSubscription(body.subscription) }),
    },
  }),
};

/** The fact for `referral.events`. It never holds e-mail and name (design 5). */
export function toEventRecord<T extends V2EventType>(
  eventType: T,
  body: V2Bodies[T],
  receipt: Receipt,
): EventRecord {
  return toRecord[eventType](body, receipt);
}

/** E-mail and name for `referral.people`; undefined when the caller sent neither. */
export function toPersonRecord(
  { newUser }: { newUser: NewUser },
  { tenantId, eventId, receivedAt }: Receipt,
): PersonRecord | undefined {
  const { id, email, name } = newUser;
  if (email === undefined && name === undefined) return undefined;
  return {
    schemaVersion: personSchemaVersion,
    tenantId,
    userId: id,
    ...(email === undefined ? {} : { email }),
    ...(name === undefined ? {} : { name }),
    receivedAt,
    eventId,
  };
}

function commonFields(body: V2Bodies[V2EventType], receipt: Receipt) {
  const { tenantId, accessKeyId, eventId, receivedAt, occurredAtSeconds } = receipt;
  const { warnings, idempotency } = receipt;
  const { id, organizationId } = body.newUser;
  return {
    schemaVersion: eventSchemaVersion,
    eventId,
    tenantId,
    source: 'v2' as const,
    receivedAt,
    occurredAt: body.occurredAt,
    occurredAtSeconds: cutFraction(occurredAtSeconds),
    ucc: body.ucc,
    newUser: organizationId === undefined ? { id } : { id, organizationId },
    ...(warnings.length === 0 ? {} : { warnings: [...warnings] }),
    ...(accessKeyId === undefined ? {} : { accessKeyId }),
    ...(idempotency === undefined ? {} : { idempotency }),
  };
}

function toPayment({ invoiceId, currency, amount }: PurchaseCreated | PurchaseRefunded) {
  return { invoiceId, currency, amount };
}

function toSubscription<S extends RefundedSubscription>({ seatsUsed, ...rest }: S) {
  return seatsUsed === undefined ? rest : { ...rest, seatsUsed: String(seatsUsed) };
}
