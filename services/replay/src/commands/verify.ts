import type {
  Positions,
  VerifiedTenant,
  VerifyResult,
} from '@tributary/contracts/admin/replay-results';
import type { StateLine } from '@tributary/contracts/state-item';
import type { FoldedState } from '../fold/types.ts';
import type { JobContext, JobKind } from './job-kind.ts';
import type { VerifyParams } from './job-params.ts';
import { compareStates } from '../live/compare-states.ts';
import type { Comparison, LineDifference, LiveSnapshot } from '../domain/live-state.ts';
import { createFirstOf } from '../domain/first-of.ts';
import { cutOf, liveSnapshotOf } from './live-cut.ts';
import { narrowFiles } from './narrow-files.ts';
import type { ReplayTools } from './replay-tools.ts';

/** Whether the live state is what the whole log says it must be. */
export function createVerify(
  tools: ReplayTools,
  { prefix }: { prefix: string },
): JobKind<VerifyParams, VerifyResult> {
  return {
    name: 'verify',
    run: (context, params) => verify(tools, context, { ...params, prefix }),
  };
}

/** Reads the log, takes a snapshot of live, folds the log to exactly there, compares. */
export async function verify(
  tools: ReplayTools,
  context: JobContext,
  { prefix, tenantId, userId, generation }: VerifyParams & { prefix: string },
): Promise<VerifyResult> {
  await tools.spool(context, { tenantId });
  const live = await liveSnapshotOf(tools, context, { tenantId, userId, generation });
  const positions = cutOf(live, prefix);
  const { foldVersion } = live;
  const folded = await tools.fold(context, { until: { positions }, foldVersion, tenantId });
  return compareWithFold(tools, context, { live, folded, positions, userId });
}

const shownAtMost = 20;

async function compareWithFold(
  tools: Pick<ReplayTools, 'describeDifferences'>,
  context: JobContext,
  sides: {
    live: LiveSnapshot;
    folded: FoldedState;
    positions: Positions;
    userId: string | undefined;
  },
): Promise<VerifyResult> {
  const { live, folded, positions, userId } = sides;
  const { dir, signal } = context;
  context.progress({ phase: 'comparing', done: 0, unit: 'lines' });
  const all = [...folded.files.decisions, ...folded.files.rewards];
  const first = createFirstOf<LineDifference>({ most: shownAtMost, compare: inOrder });
  const comparison = await compareStates({
    live: [live.attribution.file, live.rewards.file],
    replayed: userId === undefined ? all : await narrowFiles(all, { userId, dir }),
    ...{ dir, signal },
    onDifference: (difference: LineDifference) => first.add(difference),
  });
  const differences = first.list();
  const shown =
    differences.length === 0
      ? []
      : await tools.describeDifferences({
          generation: live.generation,
          differences,
          replayedItems: folded.explainItems,
          signal,
        });
  return {
    outcome: comparison.identical ? 'identical' : 'different',
    generation: live.generation,
    positions,
    tenants: comparison.tenants.map(tenantOf),
    events: folded.events,
    broken: folded.broken,
    frozenMs: live.frozenMs,
    differences: { count: comparison.differences, shown },
  };
}

function tenantOf(tenant: Comparison['tenants'][number]): VerifiedTenant {
  const { tenantId, live, replayed, identical } = tenant;
  return { tenantId, ...live, identical, ...(!identical && { replayed }) };
}

/** Decisions before what follows from them, then by tenant and id. */
function inOrder(a: LineDifference, b: LineDifference): number {
  const [keyA, keyB] = [keyOf(a), keyOf(b)];
  return keyA < keyB ? -1 : keyA > keyB ? 1 : 0;
}

const rank = { decision: 0, reward: 1, recipient: 2 };

function keyOf({ live, replayed }: LineDifference): string {
  const line = live ?? replayed;
  if (line === null) throw new Error('a difference with neither side');
  return JSON.stringify([rank[line.kind], line.tenantId, idOf(line)]);
}

function idOf(line: StateLine): string {
  if (line.kind === 'decision') return line.eventId;
  return line.kind === 'reward' ? line.rewardId : line.recipientId;
}
