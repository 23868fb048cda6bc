import { isDeepStrictEqual } from 'node:util';
import type {
  ArrivedFact,
  CommitCheckResult,
  Positions,
  Report,
} from '@tributary/contracts/admin/replay-results';
import type { CampaignRevisionRecord } from '@tributary/contracts/catalog-record';
import { eventCodec } from '@tributary/contracts/event-record';
import type pg from 'pg';
import { type JobContext, type JobKind, JobRefused } from './job-kind.ts';
import type { CommitCheckParams, PreviewParams } from './job-params.ts';
import { findJob } from '../db/job-rows.ts';
import { findPublished, type PublishedRevision } from './find-published.ts';
import { readBetween } from '../log/read-between.ts';
import type { ReplayTools } from './replay-tools.ts';
import { settledSnapshot } from './settled-snapshot.ts';
import { verify } from './verify.ts';

/**
 * Whether a commit came to what its preview showed. Facts go on arriving, so the two are not simply
 * equal; it is proved in two steps, which share the fold:
 *
 * 1. live, once it has converged, is what the whole log gives with the revision in it;
 * 2. the same fold, at the place where the preview had read to, gives the preview's hashes.
 */
export function createCommitCheck(
  tools: ReplayTools,
  { pool, prefix }: { pool: pg.Pool; prefix: string },
): JobKind<CommitCheckParams, CommitCheckResult> {
  return {
    name: 'commit-check',
    async run(context, { previewId, revision }) {
      const { draft, report } = await findPreview(pool, previewId);
      const { tenantId, campaignId } = draft;
      const published = await findPublished(tools, context, {
        ...{ prefix, from: report.positions },
        revision: { tenantId, campaignId, revision },
      });
      const { publishedAt } = published.value;
      await context.note(`published at ${publishedAt}`);
      const converged = {
        ...tools,
        takeLiveSnapshot: settledSnapshot(tools.takeLiveSnapshot, published),
      };
      const verified = await verify(converged, context, { tenantId, prefix });
      const previewHolds = await holds(tools, context, { report, draft, published });
      const arrived = await arrivedBetween(tools, context, {
        ...{ prefix, tenantId, publishedAt },
        ...{ from: report.positions, to: verified.positions },
      });
      const isSame = previewHolds && verified.outcome === 'identical';
      return {
        ...verified,
        outcome: isSame ? 'identical' : 'different',
        ...{ previewId, campaignId, revision, publishedAt, previewHolds, arrived },
      };
    },
  };
}

async function findPreview(
  pool: pg.Pool,
  previewId: string,
): Promise<{ draft: CampaignRevisionRecord; report: Report }> {
  const job = await findJob(pool, previewId);
  if (job?.kind !== 'preview' || job.status !== 'done') {
    throw new JobRefused(`there is no preview ${previewId} that is done`);
  }
  const { draft } = job.params as PreviewParams;
  if (!draft) throw new JobRefused(`preview ${previewId} is of a version of the fold`);
  return { draft, report: job.result as Report };
}

/** What was published is the draft, and history with it gives what the preview told. */
async function holds(
  tools: ReplayTools,
  context: JobContext,
  asked: { report: Report; draft: CampaignRevisionRecord; published: PublishedRevision },
): Promise<boolean> {
  const { report, draft, published } = asked;
  const content = ({ publishedAt: _at, previewId: _id, ...rest }: CampaignRevisionRecord) => rest;
  if (!isDeepStrictEqual(content(published.value), content(draft))) {
    await context.note('what was published is not the draft of the preview');
    return false;
  }
  const { positions, tenants } = report;
  const { tenantId } = draft;
  const folded = await tools.fold(context, {
    until: { positions },
    foldVersion: report.foldVersion ?? 1,
    ...{ tenantId, draft: published.value },
  });
  const again = folded.tenants.map(({ facts: _facts, ...hashes }) => hashes);
  return isDeepStrictEqual(again, tenants);
}

const shownAtMost = 100;

async function arrivedBetween(
  { kafka }: Pick<ReplayTools, 'kafka'>,
  { logger, signal }: JobContext,
  asked: {
    prefix: string;
    tenantId: string;
    publishedAt: string;
    from: Positions;
    to: Positions;
  },
): Promise<CommitCheckResult['arrived']> {
  const { prefix, tenantId, publishedAt, from, to } = asked;
  const shown: ArrivedFact[] = [];
  let events = 0;
  await readBetween({
    ...{ kafka, logger, prefix, from, to, signal },
    topic: 'events',
    codec: eventCodec,
    onRecord({ value }) {
      if (value.tenantId !== tenantId || value.receivedAt > publishedAt) return;
      events += 1;
      if (shown.length >= shownAtMost) return;
      const { eventId, eventType, occurredAt, receivedAt } = value;
      shown.push({ eventId, eventType, newUserId: value.newUser.id, occurredAt, receivedAt });
    },
  });
  return { events, shown };
}
