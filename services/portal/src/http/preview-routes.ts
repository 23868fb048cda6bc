import { replayRoutes as declared, startJob } from '@tributary/contracts/admin/replays';
import type { CampaignRevisionRecord } from '@tributary/contracts/catalog-record';
import { askService } from '@tributary/http/ask-service';
import type { InternalClient } from '@tributary/http/internal-client';
import { askForCheck } from '../catalog/commands/ask-for-check.ts';
import { commitPreview } from '../catalog/commands/commit-preview.ts';
import type { Deployment } from '../catalog/commands/deployment.ts';
import { draftRevision } from '../catalog/commands/draft-revision.ts';
import { warningsOfCampaign } from '../catalog/domain/campaign-warnings.ts';
import { warningsOfPreview } from '../catalog/domain/preview-warnings.ts';
import { readReplayCommit, type ReplayCommit } from '../catalog/db/replay-commits.ts';
import { answerOf } from './internal-answer.ts';
import { limitOf } from './paged-answer.ts';
import { createPreviewReader, type PreviewRequest } from './preview-body.ts';
import { Refusal } from './refusal.ts';
import { refuseNoTenant, uuidPattern } from './replay-routes.ts';
import { noSuchTenant, serve, type ServedRoute } from './route.ts';

/**
 * What a campaign would have done, and making it so. The portal owns campaigns: it validates the
 * draft, gives it its number and publishes it; the replay service folds the log with it.
 */
export function previewRoutes(deployment: Deployment, replay: InternalClient): ServedRoute[] {
  const readPreview = createPreviewReader(deployment.environment);

  return [
    serve(declared.startPreview)(async ({ body, requestId }) => {
      const previewRequest = readPreview(body, deployment.clock.now().toISOString());
      const { job, warnings } = await toJob(deployment, previewRequest);
      const question = { params: {}, body: { ...job, by: body.by }, requestId };
      const started = answerOf(await askService(replay, startJob, question)).body;
      // A preview is named by the job that makes it.
      return { status: 202, body: { previewId: started.jobId, ...started, warnings } };
    }),
    serve(declared.showPreview)(async ({ params, requestId }) => {
      refuseNoPreview(params.previewId);
      const route = declared.showPreview.asks;
      const found = answerOf(await askService(replay, route, { params, requestId })).body;
      // What they call its commit is the job that checks it.
      const { commit: check = null, ...preview } = found;
      const commit = (await readReplayCommit(deployment.pool, params.previewId)) ?? null;
      return { status: 200, body: { ...preview, commit, check } };
    }),
    serve(declared.listChanges)(async ({ params, query: asked, requestId }) => {
      const { cursor, limit, ...filter } = asked;
      refuseNoPreview(params.previewId);
      const query = { ...filter, after: cursor, limit: limitOf(limit) };
      const question = { params, query, requestId };
      const found = answerOf(await askService(replay, declared.listChanges.asks, question)).body;
      const { next = null, ...page } = found;
      return { status: 200, body: { ...page, nextCursor: next } };
    }),
    {
      ...committing(deployment, replay),
      tenantOf: ({ params: { previewId = '' }, requestId }) =>
        tenantOfUncommitted(deployment, replay, previewId, requestId),
    },
  ];
}

function committing(deployment: Deployment, replay: InternalClient): ServedRoute {
  return serve(declared.commitPreview)(async ({ params: { previewId }, body, requestId }) => {
    const { by, note } = body;
    refuseNoPreview(previewId);
    const commit =
      (await readReplayCommit(deployment.pool, previewId)) ??
      (await commitNow(deployment, replay, { previewId, by, note }, requestId));
    const checked =
      commit.checkJobId === null ? await askForCheck(deployment, replay, commit) : commit;
    return { status: 200, body: checked };
  });
}

/**
 * Whose campaign a preview would change: the path has no tenant, and that one may want a second
 * person all the same. What was committed already is only told again.
 */
async function tenantOfUncommitted(
  { pool }: Deployment,
  replay: InternalClient,
  previewId: string,
  requestId: string | undefined,
): Promise<string | undefined> {
  refuseNoPreview(previewId);
  if (await readReplayCommit(pool, previewId)) return undefined;
  const question = { params: { jobId: previewId }, requestId };
  const { body } = answerOf(await askService(replay, declared.showJob.asks, question));
  return (body.params as { draft?: CampaignRevisionRecord }).draft?.tenantId;
}

async function toJob(deployment: Deployment, previewRequest: PreviewRequest) {
  if (previewRequest.kind === 'state') {
    const { tenantId, until } = previewRequest;
    if (tenantId !== undefined) await refuseNoTenant(deployment, tenantId);
    return { job: { kind: 'state', params: { tenantId, until } }, warnings: [] };
  }
  if (previewRequest.kind === 'fold') {
    const { tenantId, foldVersion } = previewRequest;
    if (tenantId !== undefined) await refuseNoTenant(deployment, tenantId);
    return { job: { kind: 'preview', params: { tenantId, foldVersion } }, warnings: [] };
  }
  const { tenantId, campaignId, draft } = previewRequest;
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
  requestId: string | undefined,
): Promise<ReplayCommit> {
  const { previewId, by, note } = asked;
  const draft = await findDraft(replay, previewId, requestId);
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
  requestId: string | undefined,
): Promise<CampaignRevisionRecord> {
  const question = { params: { jobId: previewId }, requestId };
  const { body } = answerOf(await askService(replay, declared.showJob.asks, question));
  const { kind, status } = body;
  const params = body.params as { draft?: CampaignRevisionRecord; foldVersion?: number };
  if (kind !== 'preview') throw conflict(`This is not a preview of a campaign but a ${kind}.`);
  if (!params.draft) throw conflict(notToBeCommitted(params.foldVersion));
  if (status === 'queued' || status === 'running') {
    throw conflict('The preview is not ready: wait until it is, then review it.');
  }
  if (status !== 'done') throw conflict(`The preview is ${status}: create another one.`);
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

function refuseNoPreview(previewId: string): void {
  if (uuidPattern.test(previewId)) return;
  throw new Refusal('NOT_FOUND', { detail: 'There is no preview with this id.' });
}
