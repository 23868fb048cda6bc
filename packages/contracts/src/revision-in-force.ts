import { compareDecimal } from './canonical-order.ts';
import { parseTimestamp } from './rfc3339.ts';

/** As an `effectiveFrom`: before every event that can be reported (docs/decisions/0004). */
export const always = '0000-01-01T00:00:00.000Z';

/** The earliest moment that RFC 3339 can write; in UTC it lies in the year before 0000. */
const earliest = '0000-01-01T00:00:00+23:59';

/** Exact decimal seconds since the epoch; undefined when the text is no timestamp. */
export function effectiveFromSeconds(effectiveFrom: string): string | undefined {
  return parseTimestamp(effectiveFrom === always ? earliest : effectiveFrom)?.seconds;
}

/** When a campaign revision takes effect, in exact decimal seconds since the epoch. */
export type Dated = { revision: number; effectiveFromSeconds: string };

/**
 * The revision of a campaign that holds at a time: the latest to take effect by then; of two with
 * the same time, the higher. Undefined before the first of them.
 */
export function revisionInForce<R extends Dated>(
  revisions: readonly R[],
  atSeconds: string,
): R | undefined {
  return revisions
    .filter((r) => compareDecimal(r.effectiveFromSeconds, atSeconds) <= 0)
    .reduce<R | undefined>((best, r) => (best && !isLater(r, best) ? best : r), undefined);
}

function isLater(a: Dated, b: Dated): boolean {
  return (
    (compareDecimal(a.effectiveFromSeconds, b.effectiveFromSeconds) || a.revision - b.revision) > 0
  );
}
