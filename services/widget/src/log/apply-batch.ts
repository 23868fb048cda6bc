import type { CatalogRecord } from '@tributary/contracts/catalog-record';
import type { CodeRecord } from '@tributary/contracts/code-record';
import type { DecisionRecord } from '@tributary/contracts/decision-record';
import type { IssuanceFact } from '@tributary/contracts/issuance-record';
import type { PersonRecord } from '@tributary/contracts/people-record';
import type { RewardRecord } from '@tributary/contracts/reward-record';
import type { Incoming } from '@tributary/event-log/projection';
import type { Tx } from '@tributary/runtime/postgres';
import type { TopicRead } from './sources.ts';
import { writeCodes } from '../db/writes/codes.ts';
import { writeDecisions } from '../db/writes/decisions.ts';
import { writeErasures } from '../db/writes/erasures.ts';
import { writePeople } from '../db/writes/people.ts';
import { writeRewardActions } from '../db/writes/reward-actions.ts';
import { writeRewards } from '../db/writes/rewards.ts';

/**
 * Records of one topic into its table, in one statement however many they are. Nothing here depends
 * on what another topic has said so far, and a record that comes again, or late, changes nothing.
 *
 * Batches of several processes may meet in the same rows (a person and their erasure): every
 * statement writes its rows in the order of their keys, so none waits for another in a circle.
 */
export async function applyBatch(tx: Tx, batch: readonly Incoming[]): Promise<void> {
  const topic = batch[0]?.source as TopicRead | undefined;
  switch (topic) {
    case undefined:
      return;
    case 'codes':
      return writeCodes(tx, valuesOf<CodeRecord>(batch));
    case 'people':
      return writePeople(tx, batch as readonly Incoming<PersonRecord>[]);
    case 'catalog': {
      const records = valuesOf<CatalogRecord>(batch);
      const erasures = records.filter((record) => record.entity === 'erasure');
      return writeErasures(tx, erasures);
    }
    case 'attributions':
      return writeDecisions(tx, valuesOf<DecisionRecord>(batch));
    case 'rewards':
      return writeRewards(tx, valuesOf<RewardRecord>(batch));
    case 'issuances': {
      const facts = valuesOf<IssuanceFact>(batch);
      const actions = facts.filter((fact) => fact.type !== 'issued');
      return writeRewardActions(tx, actions);
    }
    default:
      throw new Error(`no such source: ${String(topic satisfies never)}`);
  }
}

/** Only people are erased by tombstones; elsewhere one says nothing. */
function valuesOf<T>(batch: readonly Incoming[]): T[] {
  return batch.flatMap(({ value }) => (value === null ? [] : [value as T]));
}
