import type { CampaignRevisionRecord } from '@tributary/contracts/catalog-record';
import type { InternalClient } from '@tributary/http/internal-client';
import { askForCheck } from '../../commands/ask-for-check.ts';
import { commitPreview } from '../../commands/commit-preview.ts';
import type { Deployment } from '../../commands/deployment.ts';
import { draftRevision } from '../../commands/draft-revision.ts';
import { warningsOfCampaign } from '../../domain/campaign-warnings.ts';
import { warningsOfPreview } from '../../domain/preview-warnings.ts';
import { readReplayCommit, type ReplayCommit } from '../postgres/replay-commits.ts';
import { answerOf } from './internal-answer.ts';
import { limitOf } from './paged-answer.ts';
import { readQuery } from './query.ts';
import { Refusal } from './refusal.ts';
import {
  createPreviewReader,
  type PreviewWish,
  readCommitBody,
  somebody,
} from './replay-bodies.ts';
import { changeParameters, jobIdOf, refuseNoTenant } from './replay-routes.ts';
import { type AdminRequest, noSuchTenant, type Route } from './route.ts';
import { answerPublished } from './when-published.ts';

/**
 * What a campaign would have done, and making it so. The portal owns campaigns: it judges the
 * draft, gives it its number and publishes it; the replay service folds the log with it.
 */
export function previewRoutes(deployment: Deployment, replay: InternalClient): Route[] {
  const readWish = createPreviewReader(deployment.environment);

  return [
    {
      path: '/api/replay/previews',
      methods: {
        POST: async (request) => {
          const wish = readWish(await request.json(), deployment.clock.now().toISOString());
          const { job, warnings } = await toJob(deployment, wish);
          const by = wish.by ?? somebody;
          const { status, body } = answerOf(await replay.post(['jobs'], { ...job, by }, request));
          return { status, body: { ...withPreviewId(body), warnings } };
        },
      },
    },
    {
      path: '/api/replay/previews/:previewId',
      methods: {
        GET: async (request) => {
          const previewId = jobIdOf(request, 'previewId');
          const { status, body } = answerOf(await replay.get(['previews', previewId], {}, request));
          // What they call its commit is the job that checks it.
          const { commit: check = null, ...preview } = body as { commit?: object };
          const commit = await readReplayCommit(deployment.pool, previewId);
          return { status, body: { ...preview, commit: commit ? toAnswer(commit) : null, check } };
        },
      },
    },
    {
      path: '/api/replay/previews/:previewId/changes',
      methods: {
        GET: async (request) => {
          const { cursor, limit, ...filter } = readQuery(request.search, changeParameters);
          const path = ['previews', jobIdOf(request, 'previewId'), 'changes'];
          const query = { ...filter, after: cursor, limit: limitOf(limit) };
          const { status, body } = answerOf(await replay.get(path, query, request));
          const { next = null, ...page } = body as { next?: string };
          return { status, body: { ...page, nextCursor: next } };
        },
      },
    },
    {
      path: '/api/replay/previews/:previewId/commit',
      methods: {
        POST: async (request) => {
          const { by = somebody, note } = readCommitBody(await request.optionalJson());
          const previewId = jobIdOf(request, 'previewId');
          const commit =
            (await readReplayCommit(deployment.pool, previewId)) ??
            (await commitNow(deployment, replay, { previewId, by, note }, request));
          const checked =
            commit.checkJobId === null ? await askForCheck(deployment, replay, commit) : commit;
          const answer = { status: 200, body: toAnswer(checked) };
          return answerPublished(deployment, commit.tenantId, answer);
        },
      },
    },
  ];
}

async function toJob(deployment: Deployment, wish: PreviewWish) {
  if (wish.wish === 'state') {
    const { tenantId, until } = wish;
    if (tenantId !== undefined) await refuseNoTenant(deployment, tenantId);
    return { job: { kind: 'state', params: { tenantId, until } }, warnings: [] };
  }
  if (wish.wish === 'fold') {
    const { tenantId, foldVersion } = wish;
    if (tenantId !== undefined) await refuseNoTenant(deployment, tenantId);
    return { job: { kind: 'preview', params: { tenantId, foldVersion } }, warnings: [] };
  }
  const { tenantId, campaignId, draft } = wish;
  const drafted = await draftRevision(deployment, tenantId, campaignId, draft);
  if (drafted.outcome === 'no-tenant') throw noSuchTenant();
  if (drafted.outcome === 'no-default-campaign') throw noDefaultCampaign();
  const warnings = [...warningsOfPreview(drafted), ...warningsOfCampaign(draft)];
  const params = { tenantId, draft: drafted.draft, effectiveFrom: drafted.draft.effectiveFrom };
  return { job: { kind: 'preview', params }, warnings };
}

async function commitNow(
  deployment: Deployment,
  replay: InternalClient,
  asked: { previewId: string; by: string; note: string | undefined },
  request: AdminRequest,
): Promise<ReplayCommit> {
  const { previewId, by, note } = asked;
  const draft = await findDraft(replay, previewId, request);
  const result = await commitPreview(deployment, { previewId, draft }, { by, note });
  if (result.outcome === 'no-tenant') throw noSuchTenant();
  if (result.outcome === 'outdated') throw outdated(draft, result.newestRevision);
  return result.commit;
}

/**
 * The draft of a preview that has shown what it does.
 *
 * @throws {Refusal} NOT_FOUND, CONFLICT
 */
async function findDraft(
  replay: InternalClient,
  previewId: string,
  request: AdminRequest,
): Promise<CampaignRevisionRecord> {
  const { body } = answerOf(await replay.get(['jobs', previewId], {}, request));
  const { kind, status, params } = body as {
    kind: string;
    status: string;
    params: { draft?: CampaignRevisionRecord; foldVersion?: number };
  };
  if (kind !== 'preview') throw conflict(`This is no preview of a campaign, but a ${kind}.`);
  if (!params.draft) throw conflict(notToBeCommitted(params.foldVersion));
  if (status === 'queued' || status === 'running') {
    throw conflict('The preview is not ready: wait for it, and look at it.');
  }
  if (status !== 'done') throw conflict(`The preview is ${status}: make another one.`);
  return params.draft;
}

function notToBeCommitted(foldVersion = 0): string {
  return (
    `This is a preview of version ${foldVersion} of the fold, which no commit publishes: build a ` +
    'generation that folds by it with `tributary replay rebuild`, and make that live with ' +
    '`tributary replay swap`.'
  );
}

function outdated({ campaignId, revision }: CampaignRevisionRecord, newest: number): Refusal {
  return conflict(
    `The preview is of revision ${revision} of campaign ${campaignId}, which has revision ${newest} by now: ` +
      'make another preview to see what the draft changes.',
  );
}

function conflict(detail: string): Refusal {
  return new Refusal('CONFLICT', { detail });
}

function noDefaultCampaign(): Refusal {
  const detail = 'is missing, and the tenant has no default campaign';
  const violation = { pointer: '/campaignId', code: 'REQUIRED', detail } as const;
  return new Refusal('VALIDATION_ERROR', { errors: [violation] });
}

/** A preview is named by the job that makes it. */
function withPreviewId(body: unknown): object {
  const job = body as { jobId: string };
  return { previewId: job.jobId, ...job };
}

function toAnswer({ publishedAt, ...commit }: ReplayCommit): object {
  return { ...commit, publishedAt: publishedAt.toISOString() };
}
