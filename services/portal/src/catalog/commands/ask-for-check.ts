import { startJob } from '@tributary/contracts/admin/replays';
import { askService } from '@tributary/http/ask-service';
import type { InternalClient } from '@tributary/http/internal-client';
import { listUncheckedCommits, type ReplayCommit, writeCheck } from '../db/replay-commits.ts';
import type { Deployment } from './deployment.ts';

/**
 * Asks the replay service to check a commit, and keeps which job does. Safe at any time and by any
 * number of processes: it makes one job of each preview and gives the same one again. A commit that
 * it cannot be asked about now stays as it is, to be asked about later.
 */
export async function askForCheck(
  { pool }: Deployment,
  replay: InternalClient,
  commit: ReplayCommit,
): Promise<ReplayCommit> {
  const { previewId, revision, publishedAt, by } = commit;
  const params = { previewId, revision, publishedAt: publishedAt.toISOString() };
  const body = { kind: 'commit-check', params, by };
  const answer = await askService(replay, startJob, { params: {}, body });
  if (answer.outcome === 'unavailable') return commit;
  const check =
    answer.outcome === 'answered'
      ? { checkJobId: answer.body.jobId, checkRefusal: null }
      : { checkJobId: null, checkRefusal: answer.problem.detail };
  await writeCheck(pool, previewId, check);
  return { ...commit, ...check };
}

const atOnce = 20;

/**
 * For commits whose process died, or found nobody to ask. Says whether there may be more right now.
 */
export async function askForMissingChecks(
  deployment: Deployment,
  replay: InternalClient,
): Promise<boolean> {
  const commits = await listUncheckedCommits(deployment.pool, atOnce);
  for (const commit of commits) {
    const { checkJobId, checkRefusal } = await askForCheck(deployment, replay, commit);
    if (checkJobId === null && checkRefusal === null) return false;
  }
  return commits.length === atOnce;
}
