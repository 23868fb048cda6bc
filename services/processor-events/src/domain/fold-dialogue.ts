import type { ReportedPurchase, Reading } from './model.ts';
import type { Subject } from './fold-subject.ts';

/**
 * What a fold asks of the tables: readings and purchases that its subject does not have in memory.
 * It knows only as it goes what it needs next, so it is a generator that yields what is missing and
 * is sent what is stored (runtime `run-dialogue.ts`).
 */
export type Dialogue<Result> = Generator<Missing, Result, Stored>;

export type Missing = { readingKeys: readonly string[]; invoiceIds: readonly string[] };

/** An entry for each that was asked for, null where nothing is stored. */
export type Stored = {
  readings: ReadonlyMap<string, Reading | null>;
  purchases: ReadonlyMap<string, ReportedPurchase | null>;
};

/** Those of which it is not known yet whether anything is stored. */
export function missingOf(subject: Subject, asked: Missing): Missing {
  if (subject.fresh) return { readingKeys: [], invoiceIds: [] };
  return {
    readingKeys: [...new Set(asked.readingKeys)].filter((key) => !subject.readings.has(key)),
    invoiceIds: [...new Set(asked.invoiceIds)].filter((id) => !subject.purchases.has(id)),
  };
}

/** What the subject has in memory stays: it may be newer. */
export function takeStored(subject: Subject, { readings, purchases }: Stored): void {
  for (const [key, reading] of readings) {
    if (!subject.readings.has(key)) subject.readings.set(key, reading);
  }
  for (const [invoiceId, purchase] of purchases) {
    if (!subject.purchases.has(invoiceId)) subject.purchases.set(invoiceId, purchase);
  }
}
