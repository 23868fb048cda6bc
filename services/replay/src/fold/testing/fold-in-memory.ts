import { newestFoldVersion } from '@tributary/attribution-fold/fold-version';
import type { History } from '@tributary/attribution-fold/decide-from-scratch';
import type { CampaignRevisionRecord, CatalogRecord } from '@tributary/contracts/catalog-record';
import type { IssuanceFact } from '@tributary/contracts/issuance-record';
import { readCatalog } from '../catalog.ts';
import { brokerName, type Cut, type Shape, spooledTopics, type SpooledTopic } from '../cut.ts';
import { runPhases } from '../phases/run-phases.ts';
import type { TaskContext } from '../phases/task.ts';
import { type RunPhase, runTask } from '../phases/tasks.ts';
import { type Route, routes } from '../spool/route-record.ts';
import { createMemoryStore } from '../store/memory-store.ts';
import { appendSpooled } from '../store/spooled.ts';
import type { Store } from '../store/store.ts';
import type { Tally } from '../tally.ts';

/** What a fold came to, with its lines in order. */
export type FoldedInMemory = { tally: Tally; decisions: string[]; rewards: string[] };

/** All phases over a history in memory, in this process: the fold without files and processes. */
export async function foldInMemory(
  history: History & { issuances?: readonly IssuanceFact[] },
  shape: Shape,
  {
    stores = { log: createMemoryStore(), store: createMemoryStore() },
    receivedAt,
    draft,
  }: {
    stores?: { log: Store; store: Store };
    receivedAt?: string;
    draft?: CampaignRevisionRecord;
  } = {},
): Promise<FoldedInMemory> {
  const { log, store } = stores;
  const catalog: CatalogRecord[] = [...history.revisions, ...(history.tenants ?? [])];
  const records = {
    ...{ events: history.events, codes: history.codes, catalog },
    issuances: history.issuances ?? [],
  };
  for (const topic of spooledTopics) spoolAll(log, shape, topic, records[topic]);
  log.flush();
  const cut: Cut = {
    ...{ prefix: '', receivedAt, draft },
    foldVersion: history.foldVersion ?? newestFoldVersion,
    positions: Object.fromEntries(
      spooledTopics.map((topic) => [`${brokerName(topic, '')}/0`, String(records[topic].length)]),
    ),
  };
  const context: TaskContext = { log, store, shape, cut, catalog: readCatalog(log, cut) };
  const run: RunPhase = (name, inputs) =>
    Promise.resolve(inputs.map((input) => runTask(context, name, input)));
  const tally = await runPhases(run, shape);
  const linesOf = (list: string) =>
    Array.from({ length: shape.shards }, (_, shard) => store.lines(`${list}/${shard}`)).flat();
  return {
    tally,
    decisions: linesOf('decisions').sort(),
    rewards: linesOf('rewards').sort(),
  };
}

function spoolAll(log: Store, shape: Shape, topic: SpooledTopic, records: readonly object[]): void {
  const route = routes[topic] as Route<object>;
  for (const [offset, record] of records.entries()) {
    const place = route.placeOf(record, shape);
    if (!place) continue;
    appendSpooled(log, place, { partition: 0, offset }, Buffer.from(JSON.stringify(record)));
  }
}
