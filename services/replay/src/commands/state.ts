import type { Report } from '@tributary/contracts/admin/replay-results';
import type pg from 'pg';
import type { JobKind } from './job-kind.ts';
import type { StateParams } from './job-params.ts';
import { makeReport } from './make-report.ts';
import { cutOf, liveSnapshotOf } from './live-cut.ts';
import type { ReplayTools } from './replay-tools.ts';

/**
 * The state as it was at a past moment: only what had been received, issued and published by then
 * is folded. The report is of what has become of it since: `before` is then, `after` is live now.
 */
export function createState(
  tools: ReplayTools,
  { pool, prefix }: { pool: pg.Pool; prefix: string },
): JobKind<StateParams, Report> {
  return {
    name: 'state',
    async run(context, { tenantId, until }) {
      await tools.spool(context, { tenantId });
      const live = await liveSnapshotOf(tools, context, { tenantId });
      const positions = cutOf(live, prefix);
      const folded = await tools.fold(context, {
        until: { positions, receivedAt: until },
        foldVersion: live.foldVersion,
        tenantId,
      });
      return makeReport(context, {
        ...{ pool, live, folded, positions },
        orientation: 'replayed-first',
        about: { ...(tenantId !== undefined && { tenantId }), until },
        describeDifferences: tools.describeDifferences,
      });
    },
  };
}
