import type { EventRecord } from '@tributary/contracts/event-record';
import type { PersonRecord } from '@tributary/contracts/people-record';
import { createFieldReader, type FieldReader } from './field-reader.ts';
import { type OccurredAt, readOccurredAt } from './occurred-at.ts';
import { isRawObject, type RawJson, type RawObject } from './raw-json.ts';
import { readPrice, readPurchase } from './read-payment.ts';
import { readWarnings } from './read-warnings.ts';
import { chooseTrigger } from './trigger.ts';
import { unknownFields } from './unknown-fields.ts';

/**
 * The frozen envelope (interface 4.4, design 8 "Legacy") as records for the log. Tolerant where the
 * meaning is clear, refusing where it is not: what is answered with 200 is processed.
 */
export type LegacyReading =
  | {
      outcome: 'event';
      event: EventRecord;
      /** Only when an e-mail or name was sent: they go to `referral.people` and nowhere else. */
      person?: PersonRecord;
      unknownFields: string[];
    }
  | { outcome: 'refused'; message: string };

export type Receipt = {
  eventId: string;
  tenantId: string;
  receivedAt: Date;
  backdatingWindowDays: number;
};

export function readLegacyEvent(body: RawJson, receipt: Receipt): LegacyReading {
  if (!isRawObject(body)) return refused('the body must be a JSON object');
  const fields = createFieldReader();
  const payload = fields.object(body, 'payload', 'payload');
  const newUserId = fields.text(payload, 'newUserId', 'payload.newUserId', 255);
  if (newUserId === undefined) {
    const refusal = fields.refusal();
    const named = refusal?.startsWith('payload.newUserId') ? refusal : undefined;
    return refused(named ?? 'payload.newUserId is missing');
  }
  const eventName = fields.text(body, 'eventName', 'eventName', 255);
  if (eventName !== undefined && eventName !== 'ReferralUpdated') {
    fields.refuse('eventName must be "ReferralUpdated"');
  }
  const context = fields.object(body, 'context', 'context');
  const newUser = fields.object(context, 'newUser', 'context.newUser');
  const event = readEvent(fields, { payload, context, newUser, newUserId, receipt });
  const person = readPerson(fields, newUser);

  const refusal = fields.refusal();
  if (refusal !== undefined || !event) return refused(refusal ?? 'the event cannot be read');
  const { tenantId, eventId, receivedAt } = event;
  return {
    outcome: 'event',
    event,
    ...(person && {
      person: { schemaVersion: 1, tenantId, userId: newUserId, ...person, receivedAt, eventId },
    }),
    unknownFields: unknownFields(body),
  };
}

function readEvent(
  fields: FieldReader,
  sent: {
    payload: RawObject;
    context: RawObject;
    newUser: RawObject;
    newUserId: string;
    receipt: Receipt;
  },
): EventRecord | undefined {
  const { payload, context, newUser, newUserId, receipt } = sent;
  const eventContext = fields.object(context, 'event', 'context.event');
  const subscription = fields.object(context, 'subscription', 'context.subscription');
  const price = readPrice(fields, payload);
  const currency = fields.text(payload, 'currency', 'payload.currency', 255);
  const trigger = chooseTrigger(
    fields.text(eventContext, 'trigger', 'context.event.trigger', 255),
    {
      isZero: !price || (price.minorUnits === 0n && !price.rounded),
      hasCurrency: currency !== undefined,
    },
  );
  if (trigger.outcome === 'refused') return fields.refuse(trigger.message);
  const isPurchase = trigger.trigger === 'invoice-paid';
  const purchase = isPurchase ? readPurchase(fields, price, currency, subscription) : undefined;

  const ucc = fields.text(payload, 'ucc', 'payload.ucc', 255) ?? '';
  const organizationPath = 'context.newUser.organizationId';
  const organizationId = fields.text(newUser, 'organizationId', organizationPath, 255);
  const timestamp = fields.text(eventContext, 'timestamp', 'context.event.timestamp', 255);
  const occurredAt = readTimestamp(fields, timestamp, receipt.receivedAt);
  if (!occurredAt) return undefined;

  const warnings = readWarnings({
    ...receipt,
    occurredAt,
    organizationId,
    purchase,
    timestampMissing: timestamp === undefined,
    priceRounded: isPurchase && price?.rounded === true,
  });
  const common = {
    schemaVersion: 1 as const,
    eventId: receipt.eventId,
    tenantId: receipt.tenantId,
    source: 'legacy' as const,
    receivedAt: receipt.receivedAt.toISOString(),
    occurredAt: occurredAt.text,
    occurredAtSeconds: occurredAt.seconds,
    ...(occurredAt.raw !== undefined && { occurredAtRaw: occurredAt.raw }),
    ucc,
    newUser: { id: newUserId, ...(organizationId !== undefined && { organizationId }) },
    ...(warnings.length > 0 && { warnings }),
  };
  if (!isPurchase) return { ...common, eventType: 'signup-created' };
  return purchase && { ...common, eventType: 'purchase-created', purchase };
}

/** Without a timestamp the event happened when it was received. */
function readTimestamp(
  fields: FieldReader,
  sent: string | undefined,
  receivedAt: Date,
): OccurredAt | undefined {
  const occurredAt = readOccurredAt(sent ?? receivedAt.toISOString());
  return occurredAt ?? fields.refuse('context.event.timestamp is not an ISO 8601 date and time');
}

function readPerson(
  fields: FieldReader,
  newUser: RawObject,
): Pick<PersonRecord, 'email' | 'name'> | undefined {
  const email = fields.text(newUser, 'email', 'context.newUser.email', 320);
  const name = fields.text(newUser, 'name', 'context.newUser.name', 255);
  if (email === undefined && name === undefined) return undefined;
  return { ...(email !== undefined && { email }), ...(name !== undefined && { name }) };
}

function refused(message: string): LegacyReading {
  return { outcome: 'refused', message };
}
