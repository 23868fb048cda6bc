import type { ApiRequest } from './api-call.ts';
import { contentKey } from './content-key.ts';
import { type Answer, parseObject } from './failure.ts';
import type { CallOptions } from './settings.ts';
import type { Accepted } from './wire-types.ts';

export type EventOptions = CallOptions & {
  /**
   * Sent as the Idempotency-Key header; `idempotencyKey` in the event does the same. Without either
   * the client makes one of the event's content; two equal events at one moment need one each.
   */
  idempotencyKey?: string | undefined;
};

/**
 * POST /v2/events/<type>. An event always has a key, so that a repetition after a lost answer is
 * the same event and cannot double (interface 4.1 rule 8), also a repetition by another process.
 * Its text is made once: every attempt sends the same bytes.
 * @throws {TypeError} for a number that would not arrive as it is
 */
export function eventRequest(
  eventType: string,
  event: object,
  options: EventOptions,
): ApiRequest<Accepted> {
  refuseInexact(event);
  const body = JSON.stringify(event);
  // As it is sent: the key of a Date, say, is that of its text.
  const sent = JSON.parse(body) as { idempotencyKey?: string };
  const inBody = sent.idempotencyKey;
  const inHeader =
    options.idempotencyKey ?? (inBody === undefined ? contentKey(eventType, sent) : undefined);
  return {
    operation: `POST /v2/events/${eventType}`,
    method: 'POST',
    path: `/v2/events/${eventType}`,
    // The service reads the header's bytes as UTF-8; a header's text has one byte per character.
    headers:
      inHeader === undefined
        ? {}
        : { 'idempotency-key': Buffer.from(inHeader, 'utf8').toString('latin1') },
    body,
    idempotencyKey: inHeader ?? inBody,
    read: readAccepted,
  };
}

/**
 * Money is validated before it leaves: a number beyond 2^53 has already lost its last digits, and
 * the service could not tell. Everything else is the service's to validate.
 */
function refuseInexact(event: object): void {
  const { amount, subscription } = event as { amount?: unknown; subscription?: unknown };
  refuseUnsafe('amount', amount);
  if (typeof subscription !== 'object' || subscription === null) return;
  refuseUnsafe('subscription.seatsUsed', (subscription as { seatsUsed?: unknown }).seatsUsed);
}

function refuseUnsafe(name: string, value: unknown): void {
  const isNumeric = typeof value === 'number' || typeof value === 'bigint';
  if (!isNumeric || Number.isSafeInteger(value)) return;
  const unit =
    name === 'amount' ? ' in the minor unit of the currency, such as 4900 for 49.00' : '';
  throw new TypeError(
    `${name} must be a whole number${unit}, of type number and at most 9007199254740991`,
  );
}

function readAccepted({ status, text }: Answer): { value: Accepted } | undefined {
  const body = status === 202 ? parseObject(text) : undefined;
  return typeof body?.['eventId'] === 'string' ? { value: body as Accepted } : undefined;
}
