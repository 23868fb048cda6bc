import type { ProcessorConnectionRecord } from '@tributary/contracts/catalog-record';
import {
  type ProcessorFetched,
  processorSchemaVersion,
  type StripeObject,
} from '@tributary/contracts/processor-record';
import type { Claim } from '../db/claim-needs.ts';
import { readingsOf } from '../domain/readings-of.ts';

/** What goes on the log of an answer; `askedAt` from {@link momentOf}. */
export function recordOf(
  { tenantId, subject }: Claim,
  { connectionId, taxPolicy }: ProcessorConnectionRecord,
  { object, askedAt }: { object: StripeObject; askedAt: string },
): ProcessorFetched {
  return {
    schemaVersion: processorSchemaVersion,
    type: 'fetched',
    cause: 'need',
    processor: 'stripe',
    tenantId,
    connectionId,
    subject,
    receivedAt: askedAt,
    taxPolicy,
    object,
  };
}

/**
 * The moment of a question, UTC with milliseconds; taken before it is asked, as what comes back may
 * be as old as that. What made it necessary was applied, and its time had come, before the claim,
 * whatever the clocks of those who reported it say: by a clock that is behind them the answer would
 * be too early, and the question due again at once, for as long as the clock is behind.
 */
export function momentOf({ since, dueAt }: Claim, now: Date): string {
  return [now.toISOString(), since ?? '', dueAt].reduce((a, b) => (b > a ? b : a));
}

/** Nobody would wait for another object: the question would never be settled. */
export function isAnswer({ type, id }: Claim, record: ProcessorFetched): boolean {
  return readingsOf(record).some((reading) => reading.type === type && reading.id === id);
}
