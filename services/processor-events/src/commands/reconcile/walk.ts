import type { FactPlace, Span } from '../../domain/fact-place.ts';
import type { ListKind } from '../../stripe/api.ts';

/**
 * A walk through one kind of object at Stripe, the newest first, a page at a time. Nothing is kept
 * of it here: where it is, is in the cursor that the caller brings back. A page covers the span of
 * time from its oldest object to that of the page before; the pages together cover all, to
 * `endsAt`.
 */
export type Walk = {
  kind: ListKind;
  /** What was paid or refunded at it or later is compared, UTC seconds. */
  since: number;
  /** Invoices are listed by when they were made, and may be paid so much later. */
  lookBackDays: number;
};

export type Place =
  /** Objects of the list are next; `after`: Stripe's cursor, absent for the first page. */
  | { at: 'list'; after?: string; until: number }
  /** Facts of a page's span are next that the list did not have, below the one of `below`. */
  | { at: 'extras'; span: Span; below: FactPlace; after: string | null };

const daySeconds = 86_400;
const never = Number.MAX_SAFE_INTEGER;

export const firstPlace: Place = { at: 'list', until: never };

/** Seconds. A checkout session is made before it is paid, by a day at most; Stripe ends it then. */
export function endOf({ kind, since, lookBackDays }: Walk): number {
  const days = { invoices: lookBackDays, sessions: 1, refunds: 0 }[kind];
  return Math.max(0, since - days * daySeconds);
}

/** What a page of the list covers. */
export function spanOf(
  walk: Walk,
  { until }: { until: number },
  listed: readonly { createdAt: number }[],
  isLast: boolean,
): Span {
  // A page that has nothing of this kind leaves its time to the next one.
  return { from: isLast ? endOf(walk) : (listed.at(-1)?.createdAt ?? until), until };
}

export function cursorOf(place: Place): string {
  return Buffer.from(JSON.stringify(place)).toString('base64url');
}

/** Undefined when it is none that was given out. */
export function placeOf(cursor: string): Place | undefined {
  try {
    const place: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
    return isPlace(place) ? place : undefined;
  } catch {
    return undefined;
  }
}

function isPlace(value: unknown): value is Place {
  if (!isRecord(value)) return false;
  const { at, after, until, span, below } = value;
  if (at === 'list') {
    return isSeconds(until) && (after === undefined || isText(after));
  }
  const isSpan = isRecord(span) && isSeconds(span['from']) && isSeconds(span['until']);
  const isBelow =
    isRecord(below) &&
    isSeconds(below['madeAt']) &&
    isUuid(below['itemId']) &&
    isUuid(below['eventId']);
  return at === 'extras' && isSpan && isBelow && (after === null || isText(after));
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function isSeconds(value: unknown): boolean {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value.length > 0 && value.length <= 255;
}

function isUuid(value: unknown): boolean {
  return typeof value === 'string' && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(value);
}
