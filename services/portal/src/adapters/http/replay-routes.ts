import type { InternalClient } from '@tributary/http/internal-client';
import { inTransaction } from '@tributary/runtime/postgres';
import type { Deployment } from '../../commands/deployment.ts';
import { readTenant } from '../postgres/tenants.ts';
import { answerOf } from './internal-answer.ts';
import { limitOf, limitParameter } from './paged-answer.ts';
import { idText, oneOf, type Parameter, readQuery } from './query.ts';
import { Refusal } from './refusal.ts';
import { readAskerBody, readRebuildBody, readVerifyBody, somebody } from './replay-bodies.ts';
import { type AdminRequest, type Answer, noSuchTenant, type Route } from './route.ts';

/**
 * Jobs of the replay service, and the generations that they build and swap: asked of it over its
 * internal listener, which has the last word. Previews and their commits are in preview-routes.ts.
 */
export function replayRoutes(deployment: Deployment, replay: InternalClient): Route[] {
  const start = async (
    request: AdminRequest,
    job: { kind: string; params: object; by: string | undefined },
  ): Promise<Answer> => {
    const { by = somebody, ...asked } = job;
    return answerOf(await replay.post(['jobs'], { ...asked, by }, request));
  };
  /** Jobs that need nothing but who asks for them. */
  const startBy = async (request: AdminRequest, kind: string, params: object): Promise<Answer> => {
    const { by } = readAskerBody(await request.optionalJson());
    return start(request, { kind, params, by });
  };

  return [
    {
      path: '/api/replay/jobs',
      methods: {
        GET: async (request) => {
          const { cursor, ...asked } = readQuery(request.search, jobParameters);
          const limit = limitOf(asked.limit);
          const answer = answerOf(await replay.get(['jobs'], { limit, before: cursor }, request));
          const { jobs } = answer.body as { jobs: { jobId: string }[] };
          // Ids grow with time, and a page begins before the last one of the page in front of it.
          const nextCursor = jobs.length < limit ? null : (jobs.at(-1)?.jobId ?? null);
          return { status: answer.status, body: { jobs, nextCursor } };
        },
        POST: async (request) => {
          const { params = {}, by } = readVerifyBody(await request.json());
          if (params.tenantId !== undefined) await refuseNoTenant(deployment, params.tenantId);
          return start(request, { kind: 'verify', params, by });
        },
      },
    },
    {
      path: '/api/replay/jobs/:jobId',
      methods: {
        GET: async (request) =>
          answerOf(await replay.get(['jobs', jobIdOf(request, 'jobId')], {}, request)),
      },
    },
    {
      path: '/api/replay/jobs/:jobId/cancel',
      methods: {
        POST: async (request) => {
          const { by = somebody } = readAskerBody(await request.optionalJson());
          const path = ['jobs', jobIdOf(request, 'jobId'), 'cancel'];
          return answerOf(await replay.post(path, { by }, request));
        },
      },
    },
    {
      path: '/api/replay/generations',
      methods: {
        GET: async (request) => answerOf(await replay.get(['generations'], {}, request)),
        POST: async (request) => {
          const { by, ...params } = readRebuildBody(await request.optionalJson());
          return start(request, { kind: 'rebuild', params, by });
        },
      },
    },
    {
      path: '/api/replay/generations/rollback',
      methods: { POST: (request) => startBy(request, 'rollback', {}) },
    },
    {
      path: '/api/replay/generations/:number/swap',
      methods: { POST: (request) => startBy(request, 'swap', { to: generationOf(request) }) },
    },
    {
      path: '/api/replay/generations/:number',
      methods: {
        DELETE: (request) => startBy(request, 'drop', { generation: generationOf(request) }),
      },
    },
  ];
}

const jobParameters = { limit: limitParameter, cursor: theirCursor(/^[0-9a-f-]{36}$/) };

export const changeParameters = {
  kind: oneOf('new', 'withdrawn', 'changed', 'review'),
  rule: idText(),
  recipient: idText(),
  month: month(),
  limit: limitParameter,
  cursor: theirCursor(/^[\w.-]{1,600}$/),
};

/** What breaks the form of an id cannot exist. */
export function jobIdOf(request: AdminRequest, name: 'jobId' | 'previewId'): string {
  const id = request.param(name);
  if (uuidPattern.test(id)) return id;
  const what = name === 'jobId' ? 'job' : 'preview';
  throw new Refusal('NOT_FOUND', { detail: `There is no ${what} with this id.` });
}

const uuidPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

function generationOf(request: AdminRequest): number {
  const text = request.param('number');
  if (/^[1-9][0-9]{0,5}$/.test(text)) return Number(text);
  throw new Refusal('NOT_FOUND', { detail: 'There is no generation with this number.' });
}

/** @throws {Refusal} NOT_FOUND, judged by who knows tenants first. */
export async function refuseNoTenant({ pool }: Deployment, tenantId: string): Promise<void> {
  const tenant = await inTransaction(pool, (tx) => readTenant(tx, tenantId));
  if (tenant === undefined) throw noSuchTenant();
}

/** What is in it only the replay service can say. */
function theirCursor(form: RegExp): Parameter<string> {
  return {
    expected: 'the nextCursor of an answer of this list',
    read: (text) => (form.test(text) ? { value: text } : { code: 'INVALID_FORMAT' }),
  };
}

function month(): Parameter<string> {
  return {
    expected: 'a month such as 2026-03',
    read: (text) =>
      /^[0-9]{4}-(0[1-9]|1[0-2])$/.test(text) ? { value: text } : { code: 'INVALID_FORMAT' },
  };
}
