import type { DecisionContent } from '@tributary/attribution-fold/decision';
import { type DecisionRecord, decisionSchemaVersion } from '@tributary/contracts/decision-record';
import { shardOf } from '../store/hash.ts';
import { type Entry, jsonOf, type Store } from '../store/store.ts';

/** Hands a decision to each of its recipients, without what rewards do not look at. */
export function appendStep(
  store: Store,
  decision: DecisionContent,
  recipients: readonly string[],
  shards: number,
): void {
  const { tests: _t, flags: _f, schemaVersion: _s, ...step } = decision;
  const text = JSON.stringify(step);
  for (const recipient of recipients) {
    store.append(`steps/${shardOf(recipient, shards)}`, recipient, text);
  }
}

export function readStep(entry: Entry): DecisionRecord {
  const step = jsonOf<Omit<DecisionRecord, 'tests' | 'flags' | 'schemaVersion' | 'version'>>(entry);
  return { ...step, schemaVersion: decisionSchemaVersion, version: 1, tests: [], flags: [] };
}
