import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type pg from 'pg';
import type { JobContext } from '../job-kind.ts';
import { cutOf, liveSnapshotOf } from '../live-cut.ts';
import type { ReplayTools } from '../replay-tools.ts';
import { verify } from '../verify.ts';
import { makeReport } from '../make-report.ts';
import type { RebuildChecks } from './rebuild.ts';

/**
 * A new generation beside the fold of the log, and the live one beside the same. Each has a
 * snapshot of its own; the log is read once for both.
 */
export function createRebuildChecks(
  tools: ReplayTools,
  { pool, prefix }: { pool: pg.Pool; prefix: string },
): RebuildChecks {
  return {
    async compareWithLog(context, generation) {
      const part = await partOf(context, `generation-${generation}`);
      const result = await verify(sharing(tools, context), part, { generation, prefix });
      return { identical: result.outcome === 'identical', result };
    },

    async reportAgainstLive(context, { live, foldVersion }) {
      const part = await partOf(context, `live-${live}`);
      await tools.spool(context, {});
      const snapshot = await liveSnapshotOf(tools, part, { generation: live });
      const positions = cutOf(snapshot, prefix);
      const folded = await tools.fold(context, { until: { positions }, foldVersion });
      return makeReport(part, {
        ...{ pool, live: snapshot, folded, positions },
        orientation: 'live-first',
        about: { foldVersion },
        describeDifferences: tools.describeDifferences,
      });
    },
  };
}

async function partOf(context: JobContext, name: string): Promise<JobContext> {
  const dir = join(context.dir, name);
  await mkdir(dir, { recursive: true });
  return { ...context, dir };
}

/** What is read of the log lies in the job's own directory. */
function sharing(tools: ReplayTools, context: JobContext): ReplayTools {
  return {
    ...tools,
    spool: (_part, asked) => tools.spool(context, asked),
    fold: (_part, asked) => tools.fold(context, asked),
  };
}
