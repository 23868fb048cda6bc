import { replayRoutes as declared, startJob } from '@tributary/contracts/admin/replays';
import { askService } from '@tributary/http/ask-service';
import type { InternalClient } from '@tributary/http/internal-client';
import type { Deployment } from '../catalog/commands/deployment.ts';
import { isStoredTenant } from './existing-tenant.ts';
import { forward } from './forward.ts';
import { answerOf } from './internal-answer.ts';
import { limitOf } from './paged-answer.ts';
import { Refusal } from './refusal.ts';
import { noSuchTenant, serve, type ServedRoute } from './route.ts';

/**
 * Jobs of the replay service, and the generations that they build and swap: asked of it over its
 * internal listener, which decides. Previews and their commits are in preview-routes.ts.
 */
export function replayRoutes(deployment: Deployment, replay: InternalClient): ServedRoute[] {
  const start = async (
    { requestId }: { requestId: string | undefined },
    job: { kind: string; params: object; by: string },
  ) => {
    const asked = await askService(replay, startJob, { params: {}, body: job, requestId });
    return { status: 202, body: answerOf(asked).body } as const;
  };
  const numbered = ({ number }: { number: string }) => void generationOf(number);

  return [
    serve(declared.listJobs)(async ({ query, requestId }) => {
      const limit = limitOf(query.limit);
      const question = { params: {}, query: { limit, before: query.cursor }, requestId };
      const { jobs } = answerOf(await askService(replay, declared.listJobs.asks, question)).body;
      // Ids grow with time, and a page begins before the last one of the page in front of it.
      const nextCursor = jobs.length < limit ? null : (jobs.at(-1)?.jobId ?? null);
      return { status: 200, body: { jobs, nextCursor } };
    }),
    serve(declared.startVerification)(async (asked) => {
      const { params = {}, kind, by } = asked.body;
      if (params.tenantId !== undefined) await refuseNoTenant(deployment, params.tenantId);
      return start(asked, { kind, params, by });
    }),
    forward(declared.showJob, replay, { check: ({ params }) => refuseNoJob(params.jobId) }),
    forward(declared.cancelJob, replay, { check: ({ params }) => refuseNoJob(params.jobId) }),
    forward(declared.listGenerations, replay, { check: () => undefined }),
    serve(declared.startRebuild)((asked) => {
      const { by, ...params } = asked.body;
      return start(asked, { kind: 'rebuild', params, by });
    }),
    serve(declared.startRollback)((asked) =>
      start(asked, { kind: 'rollback', params: {}, by: asked.body.by }),
    ),
    serve(declared.startSwap, { first: numbered })((asked) => {
      const params = { to: generationOf(asked.params.number) };
      return start(asked, { kind: 'swap', params, by: asked.body.by });
    }),
    serve(declared.startDrop, { first: numbered })((asked) => {
      const params = { generation: generationOf(asked.params.number) };
      return start(asked, { kind: 'drop', params, by: asked.body.by });
    }),
  ];
}

function refuseNoJob(jobId: string): void {
  if (uuidPattern.test(jobId)) return;
  throw new Refusal('NOT_FOUND', { detail: 'There is no job with this id.' });
}

/** What breaks the form of an id cannot exist. */
export const uuidPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

function generationOf(text: string): number {
  if (/^[1-9][0-9]{0,5}$/.test(text)) return Number(text);
  throw new Refusal('NOT_FOUND', { detail: 'There is no generation with this number.' });
}

/** @throws {Refusal} NOT_FOUND, as the catalog's own tables know tenants first. */
export async function refuseNoTenant(deployment: Deployment, tenantId: string): Promise<void> {
  if (!(await isStoredTenant(deployment, tenantId))) throw noSuchTenant();
}
