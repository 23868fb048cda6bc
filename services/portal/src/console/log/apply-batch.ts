import type { CatalogRecord } from '@tributary/contracts/catalog-record';
import type { CodeRecord } from '@tributary/contracts/code-record';
import type { DeadLetterFact } from '@tributary/contracts/dead-letter-record';
import type { DecisionRecord } from '@tributary/contracts/decision-record';
import type { DeliveryFact } from '@tributary/contracts/delivery-record';
import type { EventRecord } from '@tributary/contracts/event-record';
import type { IssuanceFact } from '@tributary/contracts/issuance-record';
import type { PersonRecord } from '@tributary/contracts/people-record';
import type { RefusalRecord } from '@tributary/contracts/refusal-record';
import type { RewardRecord } from '@tributary/contracts/reward-record';
import type { Incoming } from '@tributary/event-log/projection';
import type { Tx } from '@tributary/runtime/postgres';
import { toChangeTexts } from '../domain/change-texts.ts';
import { changesOf } from './changes-of.ts';
import type { TopicRead } from './sources.ts';
import { announceChanges } from '../db/writes/announce-changes.ts';
import { writeDeadLetters } from '../db/writes/dead-letters.ts';
import { writeDecisions } from '../db/writes/decisions.ts';
import { writeDeliveries } from '../db/writes/deliveries.ts';
import { writeErasures } from '../db/writes/erasures.ts';
import { writeEvents } from '../db/writes/events.ts';
import { writeIssuances } from '../db/writes/issuances.ts';
import { writeCodes } from '../db/writes/codes.ts';
import { writePeople } from '../db/writes/people.ts';
import { recordedOf } from '../db/writes/recorded.ts';
import { writeRefusals } from '../db/writes/refusals.ts';
import { writeRevisions } from '../db/writes/revisions.ts';
import { writeRewards } from '../db/writes/rewards.ts';

/**
 * Records of one topic into the tables, in a few statements however many they are. Nothing
 * here depends on what another topic has said so far, and a record that comes again, or late,
 * changes nothing: rows of entities are replaced by higher versions only, facts are written once.
 *
 * Batches of several processes may meet in the same rows (a fact and its decision, a person and
 * its erasure). All of them write table after table in one order, `event` before `decision` before
 * `undecided`, and in each the rows in the order of their keys, so none waits for another in a
 * circle.
 */
export async function applyBatch(tx: Tx, batch: readonly Incoming[]): Promise<void> {
  await writeBatch(tx, batch);
  await announceChanges(tx, toChangeTexts(changesOf(batch)));
}

async function writeBatch(tx: Tx, batch: readonly Incoming[]): Promise<void> {
  const topic = batch[0]?.source as TopicRead | undefined;
  switch (topic) {
    case undefined:
      return;
    case 'events':
      return writeEvents(tx, recordedOf<EventRecord>(batch));
    case 'people':
      return writePeople(tx, batch as readonly Incoming<PersonRecord>[]);
    case 'codes':
      return writeCodes(tx, recordedOf<CodeRecord>(batch));
    case 'catalog': {
      const records = recordedOf<CatalogRecord>(batch);
      await writeRevisions(
        tx,
        records.flatMap(({ record, recordedAt }) =>
          record.entity === 'campaign-revision' ? [{ record, recordedAt }] : [],
        ),
      );
      return writeErasures(
        tx,
        records.flatMap(({ record }) => (record.entity === 'erasure' ? [record] : [])),
      );
    }
    case 'attributions':
      return writeDecisions(tx, recordedOf<DecisionRecord>(batch));
    case 'rewards':
      return writeRewards(tx, recordedOf<RewardRecord>(batch));
    case 'issuances':
      return writeIssuances(tx, recordedOf<IssuanceFact>(batch));
    case 'deliveries':
      return writeDeliveries(tx, recordedOf<DeliveryFact>(batch));
    case 'deadLetters':
      return writeDeadLetters(tx, batch as readonly Incoming<DeadLetterFact>[]);
    case 'refusals':
      return writeRefusals(
        tx,
        recordedOf<RefusalRecord>(batch).map(({ record }) => record),
      );
    default:
      throw new Error(`no such source: ${String(topic satisfies never)}`);
  }
}
