import type {
  CommitCheckResult,
  SwapResult,
  VerifyResult,
} from '@tributary/contracts/admin/replay-results';
import { lines, nextPage, printable, table } from '../print.ts';
import { describeCheck } from './check-texts.ts';
import type { Job } from './job.ts';
import { describeRebuild, type Rebuild } from './rebuild-texts.ts';
import { describeReport, isReport } from './report-texts.ts';
import { describeVerification } from './verify-texts.ts';

/** What came of a job that has ended. */
export function describeJobEnd(job: Job): string {
  const { kind, status, error, result } = job;
  if (status === 'failed') return printable(`Failed: ${error ?? 'no reason is known'}`);
  if (status === 'cancelled') return 'Cancelled.';
  if (kind === 'verify') return describeVerification(result as VerifyResult);
  if (kind === 'commit-check') return describeCheck(result as CommitCheckResult);
  if (kind === 'rebuild') return describeRebuild(result as Rebuild);
  if (kind === 'swap' || kind === 'rollback') return describeSwap(result as SwapResult);
  if (isReport(result)) return describeReport(result);
  return lines(`Done: ${kind}`, (result ?? {}) as Record<string, unknown>);
}

function describeSwap({ from, to, frozenMs, releasesHeldMs }: SwapResult): string {
  return lines(`Generation ${to} is live instead of ${from}`, {
    ...(frozenMs !== undefined && { 'decisions waited': `${Math.round(frozenMs)} ms` }),
    ...(releasesHeldMs !== undefined && { 'releases waited': `${Math.round(releasesHeldMs)} ms` }),
  });
}

/** One job with its history, and its result when it has one. */
export function describeJob(job: Job): string {
  const { jobId, kind, status, by, attempts, createdAt, startedAt, endedAt, params } = job;
  const { draft, ...shown } = params as { draft?: { campaignId: string; revision: number } };
  const about = draft === undefined ? {} : { campaign: draft.campaignId, revision: draft.revision };
  return [
    lines(`Job ${jobId}`, {
      ...{ kind, status, by, attempts, createdAt, startedAt, endedAt },
      ...about,
      ...shown,
    }),
    ...(job.history ?? []).map(({ at, line }) => `  ${printable(at)}  ${printable(line)}`),
    ...(status === 'done' || status === 'failed' ? ['', describeJobEnd(job)] : []),
  ].join('\n');
}

export function describeJobs(jobs: readonly Job[], nextCursor: string | null): string {
  if (jobs.length === 0) return 'There is no job.';
  const rows = jobs.map((job) => ({ ...job, last: job.history?.at(-1)?.line }));
  return [
    table(['createdAt', 'jobId', 'kind', 'status', 'by', 'last'], rows),
    ...nextPage(nextCursor),
  ].join('\n');
}
