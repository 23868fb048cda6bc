import {
  createReadModelWorld,
  type ReadModelWorld,
} from '@tributary/generations/testing/read-model-world';
import { readModelPlan } from '../log/plan.ts';

/** What the read model keeps. */
export const tables = ['code', 'decision', 'reward', 'reward_action', 'person'];

/** Topics and a database of their own, in which read models are built as in production. */
export function createWidgetWorld(): Promise<ReadModelWorld> {
  return createReadModelWorld({ plan: readModelPlan, tables });
}
