import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { catalogSchemaVersion } from '@tributary/contracts/catalog-record';
import { eventSchemaVersion } from '@tributary/contracts/event-record';
import { startFold } from '../../deploy/local/start-fold.ts';
import { attributionBacklog, rewardsBacklog } from '../../test-faults/chain/backlog.ts';
import { openTopics } from '../../test-faults/chain/topics.ts';
import type { Workload } from './workload.ts';

/** How a checkout's folds are started, fed and watched. */
export type Tree = {
  startFold: typeof startFold;
  openTopics: typeof openTopics;
  attributionBacklog: typeof attributionBacklog;
  rewardsBacklog: typeof rewardsBacklog;
  eventSchemaVersion: number;
  catalogSchemaVersion: number;
};

export const thisTree: Tree = {
  ...{ startFold, openTopics, attributionBacklog, rewardsBacklog },
  ...{ eventSchemaVersion, catalogSchemaVersion },
};

/** A workload as a checkout takes it: what it says means the same in every version. */
export function inVersionsOf(tree: Tree, { revisions, codes, events }: Workload): Workload {
  const as = <T extends { schemaVersion: number }>(records: readonly T[], version: number) =>
    records.map((record): T => ({ ...record, schemaVersion: version }));
  return {
    revisions: as(revisions, tree.catalogSchemaVersion),
    codes,
    events: as(events, tree.eventSchemaVersion),
  };
}

/**
 * Another version of the product, to be measured in the same run: its own processes, and its own
 * idea of topics and of when there is nothing left to do. The directory is a checkout with its
 * dependencies installed.
 */
export async function otherTree(directory: string): Promise<Tree> {
  const load = (file: string) => import(pathToFileURL(join(directory, file)).href);
  return {
    ...((await load('deploy/local/start-fold.ts')) as Pick<Tree, 'startFold'>),
    ...((await load('test-faults/chain/backlog.ts')) as Pick<Tree, 'attributionBacklog'> &
      Pick<Tree, 'rewardsBacklog'>),
    ...((await load('test-faults/chain/topics.ts')) as Pick<Tree, 'openTopics'>),
    ...((await load('packages/contracts/src/event-record.ts')) as Pick<Tree, 'eventSchemaVersion'>),
    ...((await load('packages/contracts/src/catalog-record.ts')) as Pick<
      Tree,
      'catalogSchemaVersion'
    >),
  };
}
