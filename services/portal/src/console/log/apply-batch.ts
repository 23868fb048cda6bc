import type { CatalogRecord } from '@tributary/contracts/catalog-record';
import type { CodeRecord } from '@tributary/contracts/code-record';
import type { DeadLetterFact } from '@tributary/contracts/dead-letter-record';
import type { DecisionRecord } from '@tributary/contracts/decision-record';
import type { DeliveryFact } from '@tributary/contracts/delivery-record';
import type { EventRecord } from '@tributary/contracts/event-record';
import type { IssuanceFact } from '@tributary/contracts/issuance-record';
import type { PersonRecord } from '@tributary/contracts/people-record';
import type { RewardRecord } from '@tributary/contracts/reward-record';
import type { Incoming } from '@tributary/event-log/projection';
import type { Tx } from '@tributary/runtime/postgres';
import type { TopicRead } from './sources.ts';
import { writeDeadLetters } from '../db/writes/dead-letters.ts';
import { writeDecisions } from '../db/writes/decisions.ts';
import { writeDeliveries } from '../db/writes/deliveries.ts';
import { writeErasures } from '../db/writes/erasures.ts';
import { writeEvents } from '../db/writes/events.ts';
import { writeIssuances } from '../db/writes/issuances.ts';
import { writeCodes } from '../db/writes/codes.ts';
import { writePeople } from '../db/writes/people.ts';
import { writeRevisions } from '../db/writes/revisions.ts';
import { writeRewards } from '../db/writes/rewards.ts';

/**
 * Records of one topic into the tables, in at most three statements however many they are. Nothing
 * here depends on what another topic has said so far, and a record that comes again, or late,
 * changes nothing: rows of entities are replaced by higher versions only, facts are written once.
 *
 * Batches of several processes may meet in the same rows (a fact and its decision, a person and
 * its erasure). All of them write table after table in one order, `event` before `decision` before
 * `undecided`, and in each the rows in the order of their keys, so none waits for another in a
 * circle.
 */
export async function applyBatch(tx: Tx, batch: readonly Incoming[]): Promise<void> {
  const topic = batch[0]?.source as TopicRead | undefined;
  switch (topic) {
    case undefined:
      return;
    case 'events':
      return writeEvents(tx, valuesOf<EventRecord>(batch));
    case 'people':
      return writePeople(tx, batch as readonly Incoming<PersonRecord>[]);
    case 'codes':
      return writeCodes(tx, valuesOf<CodeRecord>(batch));
    case 'catalog': {
      const records = valuesOf<CatalogRecord>(batch);
      await writeRevisions(
        tx,
        records.filter((record) => record.entity === 'campaign-revision'),
      );
      return writeErasures(
        tx,
        records.filter((record) => record.entity === 'erasure'),
      );
    }
    case 'attributions':
      return writeDecisions(tx, valuesOf<DecisionRecord>(batch));
    case 'rewards':
      return writeRewards(tx, batch as readonly Incoming<RewardRecord>[]);
    case 'issuances':
      return writeIssuances(tx, valuesOf<IssuanceFact>(batch));
    case 'deliveries':
      return writeDeliveries(tx, valuesOf<DeliveryFact>(batch));
    case 'deadLetters':
      return writeDeadLetters(tx, batch as readonly Incoming<DeadLetterFact>[]);
    default:
      throw new Error(`no such source: ${String(topic satisfies never)}`);
  }
}

/** Only people are erased by tombstones; elsewhere one says nothing. */
function valuesOf<T>(batch: readonly Incoming[]): T[] {
  return batch.flatMap(({ value }) => (value === null ? [] : [value as T]));
}
