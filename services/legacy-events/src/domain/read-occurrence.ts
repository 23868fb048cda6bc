import type { FieldReader, Section } from './field-reader.ts';
import { type OccurredAt, readOccurredAt } from './occurred-at.ts';

/**
 * When the event happened: at `context.event.timestamp`, else when it was received. Then the text
 * as sent is empty: it is part of the business key of a payment without an invoice id, and must be
 * the same each time such a payment is sent again (design 7).
 */
export function readOccurrence(
  fields: FieldReader,
  eventContext: Section,
  receivedAt: Date,
): OccurredAt | undefined {
  // Any length is accepted, as on v2: a fraction has no limit.
  const sent = fields.text(eventContext, 'timestamp', Number.POSITIVE_INFINITY);
  if (sent !== undefined) {
    const read = readOccurredAt(sent);
    return read ?? fields.refuse('context.event.timestamp is not an ISO 8601 date and time');
  }
  fields.warn({
    code: 'OCCURRED_AT_MISSING',
    detail: 'No timestamp was sent; the time of receipt stands for it.',
    pointer: '/context/event/timestamp',
  });
  const now = readOccurredAt(receivedAt.toISOString());
  return now && { ...now, raw: '' };
}
