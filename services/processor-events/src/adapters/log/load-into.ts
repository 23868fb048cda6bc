import type { Tx } from '@tributary/runtime/postgres';
import type { Missing } from '../../fold-judge.ts';
import type { Subject } from '../../fold-subject.ts';
import { readPurchases } from '../postgres/facts.ts';
import { readReadings } from '../postgres/readings.ts';

/**
 * Puts into the subjects what is stored of these readings and purchases, null where there is
 * nothing; what a subject has in memory stays, which may be newer.
 */
export async function loadInto(
  tx: Tx,
  wanted: readonly (Missing & { subject: Subject })[],
): Promise<void> {
  const stored = wanted.filter(({ subject }) => !subject.fresh);
  const byId = new Map(stored.map(({ subject }) => [subject.subjectId, subject]));
  const places = stored.flatMap(({ subject: { subjectId, readings }, readingKeys }) =>
    [...new Set(readingKeys)]
      .filter((key) => !readings.has(key))
      .map((key) => ({ subjectId, key })),
  );
  for (const { subjectId, key } of places) byId.get(subjectId)!.readings.set(key, null);
  for (const { subjectId, key, reading } of await readReadings(tx, places)) {
    byId.get(subjectId)!.readings.set(key, reading);
  }
  const purchasePlaces = stored.flatMap(({ subject: { subjectId, purchases }, invoiceIds }) =>
    invoiceIds.filter((id) => !purchases.has(id)).map((invoiceId) => ({ subjectId, invoiceId })),
  );
  for (const { subjectId, invoiceId } of purchasePlaces) {
    byId.get(subjectId)!.purchases.set(invoiceId, null);
  }
  for (const { subjectId, invoiceId, purchase } of await readPurchases(tx, purchasePlaces)) {
    byId.get(subjectId)!.purchases.set(invoiceId, purchase);
  }
}
