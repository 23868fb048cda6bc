import { cutFraction } from '@tributary/contracts/cut-fraction';
import { type EventRecord, eventSchemaVersion } from '@tributary/contracts/event-record';
import { contractWarnings } from './contract-warnings.ts';
import type { FieldReader, Section } from './field-reader.ts';
import { isZero, readMoney } from './read-money.ts';
import { readOccurrence } from './read-occurrence.ts';
import { readPayment } from './read-payment.ts';
import { chooseEventType, triggers } from './trigger.ts';

/** What the service adds to an event: who sent it, and when it came. */
export type Receipt = {
  eventId: string;
  tenantId: string;
  accessKeyId?: string;
  receivedAt: Date;
  backdatingWindowDays: number;
};

/**
 * The fact for `referral.events`, without e-mail and name. Undefined when something was refused.
 */
export function readEvent(
  fields: FieldReader,
  sent: {
    payload: Section;
    context: Section;
    newUser: Section;
    newUserId: string;
    receipt: Receipt;
  },
): EventRecord | undefined {
  const { payload, context, newUser, newUserId, receipt } = sent;
  const { eventId, tenantId, accessKeyId, receivedAt, backdatingWindowDays } = receipt;
  const eventContext = fields.section(context, 'event');
  const subscription = fields.section(context, 'subscription');
  const money = readMoney(fields, payload);
  const eventType = chooseEventType(fields.text(eventContext, 'trigger'), {
    isZero: isZero(money),
    hasCurrency: money.currency !== undefined,
  });
  if (!eventType) {
    return fields.refuse(`context.event.trigger must be one of ${triggers.join(', ')}`);
  }
  const isPayment = eventType === 'purchase-created' || eventType === 'purchase-refunded';
  const payment = isPayment ? readPayment(fields, money, subscription) : undefined;
  const ucc = fields.text(payload, 'ucc') ?? '';
  const organizationId = fields.text(newUser, 'organizationId');
  warnOfOtherId(fields, newUser, newUserId);
  const occurredAt = readOccurrence(fields, eventContext, receivedAt);
  if (!occurredAt) return undefined;

  const warnings = [
    ...contractWarnings({
      occurredAtMs: occurredAt.epochMs,
      receivedAtMs: receivedAt.getTime(),
      backdatingWindowDays,
      body: { newUser: { organizationId }, subscription: payment?.subscription },
    }),
    ...fields.warnings(),
  ];
  const common = {
    schemaVersion: eventSchemaVersion,
    eventId,
    tenantId,
    source: 'legacy' as const,
    receivedAt: receivedAt.toISOString(),
    occurredAt: occurredAt.text,
    occurredAtSeconds: cutFraction(occurredAt.seconds),
    ...(occurredAt.raw !== undefined && { occurredAtRaw: occurredAt.raw }),
    ucc,
    newUser: { id: newUserId, ...(organizationId !== undefined && { organizationId }) },
    ...(warnings.length > 0 && { warnings }),
    ...(accessKeyId !== undefined && { accessKeyId }),
  };
  switch (eventType) {
    case 'signup-created':
    case 'demo-attended':
      return { ...common, eventType };
    case 'purchase-created':
      return payment && { ...common, eventType, purchase: payment };
    case 'purchase-refunded':
      return payment && { ...common, eventType, refund: payment };
    default:
      return eventType satisfies never;
  }
}

/** The user of an event is `payload.newUserId` (interface 4.4), whatever else was sent. */
function warnOfOtherId(fields: FieldReader, newUser: Section, newUserId: string): void {
  const id = fields.optionalText(newUser, 'id', { maxLength: 255 });
  if (id === undefined || id === newUserId) return;
  fields.warn({
    code: 'NEW_USER_ID_DIFFERS',
    detail: 'The id is another one than payload.newUserId, which counts.',
    pointer: '/context/newUser/id',
  });
}
