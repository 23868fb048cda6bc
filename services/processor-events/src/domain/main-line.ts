import type { StripeLine } from '@tributary/contracts/processor-record';
import { compareContent, compareText } from './compare-text.ts';

/**
 * The line that an invoice is about, which says its interval, seats and product: a line of the
 * subscription before others, a whole period before a proration, then the largest amount, then by
 * id.
 */
export function mainLine(lines: readonly StripeLine[]): StripeLine | undefined {
  return [...lines].sort(compareLines)[0];
}

/** Negative when `a` says more of its invoice. */
export function compareLines(a: StripeLine, b: StripeLine): number {
  return (
    Number(b.recurring) - Number(a.recurring) ||
    (a.recurring ? Number(a.proration) - Number(b.proration) : 0) ||
    b.amount - a.amount ||
    compareText(a.id ?? '', b.id ?? '') ||
    compareContent(a, b)
  );
}
