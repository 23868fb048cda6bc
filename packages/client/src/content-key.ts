import { createHash } from 'node:crypto';

const prefix = 'content-v1-';

/**
 * The idempotency key of an event whose caller gave none: a digest of what makes it one business
 * fact, so that a retry by another process is the same event. What may differ between two reports
 * of one fact (code, e-mail, name, subscription) is no part of it. The recipe is public, in the
 * README, and never changes: another one gets another prefix (docs/decisions/0021).
 */
export function contentKey(eventType: string, event: object): string {
  const { newUser, occurredAt, invoiceId, currency, amount } = event as Record<string, unknown>;
  const { id } = (newUser ?? {}) as { id?: unknown };
  const identity = [eventType, id, momentOf(occurredAt), invoiceId, currency, amount];
  const hash = createHash('sha256');
  // No text that the service accepts contains a NUL, so none can imitate the end of another.
  for (const value of identity) hash.update(`${textOf(value)}\0`, 'utf8');
  return `${prefix}${hash.digest('hex')}`;
}

export function isContentKey(key: string | undefined): boolean {
  return key?.startsWith(prefix) === true;
}

/** Anything but text and numbers makes the service refuse the whole event, whatever its key. */
function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

const timestamp =
  /^(\d{4}-\d\d-\d\d)[Tt](\d\d:\d\d):(\d\d)(?:\.(\d+))?(?:[Zz]|([+-])(\d\d):(\d\d))$/;

/**
 * One text for all spellings of a moment: in UTC, the fraction exact and without trailing zeros. An
 * offset has whole minutes, so the second stays as it is, a leap second too. A text that is no
 * timestamp stays as it is (the service refuses it), and so does one outside the years 0001 to
 * 9999, as it is written or in UTC: not every language has other years.
 */
function momentOf(occurredAt: unknown): unknown {
  const parts = typeof occurredAt === 'string' ? timestamp.exec(occurredAt) : null;
  if (parts === null) return occurredAt;
  const [, date, minute, second, fraction = '', sign, hours = '0', minutes = '0'] = parts;
  const offset = (Number(hours) * 60 + Number(minutes)) * (sign === '-' ? -1 : 1);
  const local = Date.parse(`${date}T${minute}:00Z`);
  if (Number.isNaN(local) || date!.startsWith('0000')) return occurredAt;
  const utc = new Date(local - offset * 60_000).toISOString().replace(/:00\.000Z$/, '');
  if (!/^(?!0000)\d{4}-/.test(utc)) return occurredAt;
  const digits = fraction.replace(/0+$/, '');
  return `${utc}:${second}${digits === '' ? '' : `.${digits}`}Z`;
}
