import {
  createReadModelWorld as createWorld,
  dumpTables,
  type ReadModelWorld,
} from '@tributary/generations/testing/read-model-world';
import { readModelPlan } from '../console/log/plan.ts';

/** Topics and a database of their own, in which read models are built as in production. */
export function createReadModelWorld(): Promise<ReadModelWorld> {
  return createWorld({ plan: readModelPlan, tables });
}

/** Every row of every table as text, in the order of the rows' text. */
export function dumpReadModel(url: string, schema: string): Promise<string> {
  return dumpTables(url, schema, tables);
}

const tables = [
  'event',
  'decision',
  'undecided',
  'reward',
  'issuance',
  'reward_action',
  'delivery',
  'delivery_action',
  'code_change',
  'campaign_revision',
  'person',
  'dead_letter',
  'dead_letter_reader',
  'dead_letter_action',
  // A view of what is counted by day: without what no class has any more.
  'tally',
  'decision_version',
  'reward_version',
  'refused_request',
  'omitted_requests',
  'access_key_use',
];
