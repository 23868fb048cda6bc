import type { Tx } from '@tributary/runtime/postgres';
import { type Missing, missingOf, type Stored, takeStored } from '../domain/fold-dialogue.ts';
import type { Subject } from '../domain/fold-subject.ts';
import type { Reading, ReportedPurchase } from '../domain/model.ts';
import { readPurchases } from '../db/facts.ts';
import { readReadings } from '../db/readings.ts';

/** Puts into the subjects what is stored of these readings and purchases. */
export async function loadInto(
  tx: Tx,
  wanted: readonly (Missing & { subject: Subject })[],
): Promise<void> {
  const stored = await readStored(
    tx,
    wanted.map(({ subject, ...asked }) => ({
      subjectId: subject.subjectId,
      ...missingOf(subject, asked),
    })),
  );
  wanted.forEach(({ subject }, i) => takeStored(subject, stored[i]!));
}

/** One answer for each, with an entry for all that it asks for. */
export async function readStored(
  tx: Tx,
  asked: readonly (Missing & { subjectId: string })[],
): Promise<Stored[]> {
  const answers = new Map(
    asked.map(({ subjectId, readingKeys, invoiceIds }) => [
      subjectId,
      {
        readings: new Map<string, Reading | null>(readingKeys.map((key) => [key, null])),
        purchases: new Map<string, ReportedPurchase | null>(invoiceIds.map((id) => [id, null])),
      },
    ]),
  );
  const readings = asked.flatMap(({ subjectId, readingKeys }) =>
    readingKeys.map((key) => ({ subjectId, key })),
  );
  for (const { subjectId, key, reading } of await readReadings(tx, readings)) {
    answers.get(subjectId)!.readings.set(key, reading);
  }
  const purchases = asked.flatMap(({ subjectId, invoiceIds }) =>
    invoiceIds.map((invoiceId) => ({ subjectId, invoiceId })),
  );
  for (const { subjectId, invoiceId, purchase } of await readPurchases(tx, purchases)) {
    answers.get(subjectId)!.purchases.set(invoiceId, purchase);
  }
  return asked.map(({ subjectId }) => answers.get(subjectId)!);
}
