import type { Positions, Report } from '@tributary/contracts/admin/replay-results';
import type pg from 'pg';
import type { FoldedState } from '../fold/types.ts';
import type { JobContext } from './job-kind.ts';
import type { DescribeDifferences, LiveSnapshot } from '../domain/live-state.ts';
import { type Orientation, writeReport } from './write-report.ts';

/** What the two sides of a report are. */
export type ReportAbout = Pick<
  Report,
  'tenantId' | 'campaignId' | 'draftRevision' | 'until' | 'foldVersion'
>;

/** The difference between a snapshot of live and a fold of history, stored under the job's id. */
export async function makeReport(
  context: JobContext,
  options: {
    pool: pg.Pool;
    live: LiveSnapshot;
    folded: FoldedState;
    /** Up to where both had read the log. */
    positions: Positions;
    orientation: Orientation;
    about: ReportAbout;
    describeDifferences: DescribeDifferences;
  },
): Promise<Report> {
  const { pool, live, folded, positions, orientation, about, describeDifferences } = options;
  const { sums } = await writeReport(context, {
    ...{ pool, orientation, describeDifferences },
    live: { files: [live.attribution.file, live.rewards.file], generation: live.generation },
    replayed: [...folded.files.decisions, ...folded.files.rewards],
    replayedItems: folded.explainItems,
  });
  return {
    previewId: context.jobId,
    ...about,
    generation: live.generation,
    liveFoldVersion: live.foldVersion,
    positions,
    facts: folded.events,
    tenants: folded.tenants.map(({ tenantId, decisions, rewards, recipients }) => {
      return { tenantId, decisions, rewards, recipients };
    }),
    ...sums,
  };
}
