import type { Report } from '@tributary/contracts/admin/replay-results';
import type pg from 'pg';
import type { JobKind } from './job-kind.ts';
import type { PreviewParams } from './job-params.ts';
import { makeReport } from './make-report.ts';
import { cutOf, liveSnapshotOf } from './live-cut.ts';
import type { ReplayTools } from './replay-tools.ts';

/**
 * What a campaign would have done: history folded with a draft revision, beside live at the same
 * place of the log; or what another version of the fold would make of history, which a rebuild and
 * a swap then do. Of a draft, the fold's hashes are what live must have after the commit
 * (commit-check.ts).
 */
export function createPreview(
  tools: ReplayTools,
  { pool, prefix }: { pool: pg.Pool; prefix: string },
): JobKind<PreviewParams, Report> {
  return {
    name: 'preview',
    async run(context, params) {
      const { tenantId, draft } = params;
      await tools.spool(context, { tenantId });
      const live = await liveSnapshotOf(tools, context, { tenantId });
      const positions = cutOf(live, prefix);
      const { foldVersion = live.foldVersion } = params;
      const folded = await tools.fold(context, {
        until: { positions },
        ...{ foldVersion, tenantId, draft },
      });
      const drafted = draft && { campaignId: draft.campaignId, draftRevision: draft.revision };
      return makeReport(context, {
        ...{ pool, live, folded, positions },
        orientation: 'live-first',
        about: { ...(tenantId !== undefined && { tenantId }), ...drafted, foldVersion },
        describeDifferences: tools.describeDifferences,
      });
    },
  };
}
