import { Type } from '@sinclair/typebox';
import { closedObject } from '../closed-object.ts';
import type { Violation } from '../violation.ts';
import { adminRoute, serviceRoute } from './admin-route.ts';
import { extended, nullable, Remark, text } from './answer-fields.ts';
import { refined } from './body-validator.ts';
import { by } from './operator-note.ts';
import { cursorLike, limit } from './paging.ts';
import { PreviewBody } from './preview-body.ts';
import { idText, oneOf, textLike, wholeNumber } from './query-parameters.ts';
import { Change, Commit, Generations, Job } from './replay-answers.ts';
import { foldVersion } from './replay-fields.ts';
import { anyText, identifier } from './text-fields.ts';

/** The body of requests that need nothing but who asks. */
const Asker = closedObject({ by });
const AskedBy = Type.Object({ by: anyText(255) });

const changeFilter = {
  kind: oneOf('new', 'withdrawn', 'changed', 'review'),
  rule: idText(),
  recipient: idText(),
  month: textLike(/^[0-9]{4}-(0[1-9]|1[0-2])$/, 'a month such as 2026-03'),
};

const tenantMissing: Violation = {
  pointer: '/params/tenantId',
  code: 'REQUIRED',
  detail: 'is missing: two tenants may use the same userId',
};

/** Every kind of job is asked for by it. */
export const startJob = serviceRoute({
  service: 'replay',
  method: 'POST',
  path: '/jobs',
  body: Type.Object({ kind: Type.String(), params: Type.Object({}), ...AskedBy.properties }),
  answer: Job,
});

/** Jobs of the replay service, and the generations that they build and swap. */
export const replayRoutes = {
  /** The one kind of job that is asked for by its name; the others have paths of their own. */
  startVerification: adminRoute({
    method: 'POST',
    path: '/api/replay/jobs',
    right: 'deployment',
    summary: 'Starts a job that checks whether the live state equals the fold of the log.',
    body: refined(
      closedObject({
        kind: Type.Literal('verify'),
        params: Type.Optional(
          closedObject({
            tenantId: Type.Optional(identifier()),
            userId: Type.Optional(anyText(255)),
            generation: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000 })),
          }),
        ),
        by,
      }),
      ({ params }) =>
        params?.userId !== undefined && params.tenantId === undefined ? [tenantMissing] : [],
    ),
    mayBeMissing: true,
    answers: { 202: Job },
  }),
  listJobs: adminRoute({
    method: 'GET',
    path: '/api/replay/jobs',
    right: 'deployment',
    summary: 'Lists jobs without their results, newest first.',
    query: { limit, cursor: cursorLike(/^[0-9a-f-]{36}$/) },
    answers: { 200: Type.Object({ jobs: Type.Array(Job), nextCursor: nullable(text) }) },
    asks: serviceRoute({
      service: 'replay',
      method: 'GET',
      path: '/jobs',
      query: { before: idText(), limit },
      answer: Type.Object({ jobs: Type.Array(Job) }),
    }),
  }),
  showJob: adminRoute({
    method: 'GET',
    path: '/api/replay/jobs/{jobId}',
    right: 'deployment',
    summary: 'Shows a job.',
    answers: { 200: Job },
    asks: serviceRoute({ service: 'replay', method: 'GET', path: '/jobs/{jobId}', answer: Job }),
  }),
  cancelJob: adminRoute({
    method: 'POST',
    path: '/api/replay/jobs/{jobId}/cancel',
    right: 'deployment',
    summary: 'Cancels a job.',
    body: Asker,
    bodyOptional: true,
    answers: { 202: Job },
    asks: serviceRoute({
      service: 'replay',
      method: 'POST',
      path: '/jobs/{jobId}/cancel',
      body: AskedBy,
      answer: Job,
    }),
  }),
  startPreview: adminRoute({
    method: 'POST',
    path: '/api/replay/previews',
    right: 'deployment',
    summary:
      'Previews a campaign (`tenantId`, `campaign`), a past state (`until`), or newer rules (`foldVersion`; cannot be committed).',
    body: PreviewBody,
    mayBeMissing: true,
    answers: { 202: extended(Job, { previewId: text, warnings: Type.Array(Remark) }) },
  }),
  showPreview: adminRoute({
    method: 'GET',
    path: '/api/replay/previews/{previewId}',
    right: 'deployment',
    summary:
      'Shows the job of a preview with its report as the result, its commit, and the check of the commit.',
    answers: { 200: extended(Job, { commit: nullable(Commit), check: nullable(Job) }) },
    asks: serviceRoute({
      service: 'replay',
      method: 'GET',
      path: '/previews/{previewId}',
      /** Its `commit` is the job that checks it. */
      answer: extended(Job, { commit: Type.Optional(Job) }),
    }),
  }),
  listChanges: adminRoute({
    method: 'GET',
    path: '/api/replay/previews/{previewId}/changes',
    right: 'deployment',
    summary: 'Lists the rewards that a preview changes, largest change first.',
    query: { ...changeFilter, limit, cursor: cursorLike(/^[\w.-]{1,600}$/) },
    answers: { 200: Type.Object({ changes: Type.Array(Change), nextCursor: nullable(text) }) },
    conflict: 'the preview is not finished',
    asks: serviceRoute({
      service: 'replay',
      method: 'GET',
      path: '/previews/{previewId}/changes',
      query: {
        ...changeFilter,
        after: textLike(/^.{1,600}$/, 'the next of an answer of this list'),
        limit: wholeNumber(1, 1_000),
      },
      answer: Type.Object({ changes: Type.Array(Change), next: Type.Optional(text) }),
    }),
  }),
  commitPreview: adminRoute({
    method: 'POST',
    path: '/api/replay/previews/{previewId}/commit',
    right: 'deployment',
    confirmed: true,
    secondPerson: true,
    summary: 'Publishes the revision of a finished preview.',
    body: closedObject({ by, note: Type.Optional(anyText(1_000)) }),
    bodyOptional: true,
    publishes: true,
    answers: { 200: Commit },
    conflict:
      'it is not finished, it previews a version of the fold, or the campaign has a newer revision',
  }),
  listGenerations: adminRoute({
    method: 'GET',
    path: '/api/replay/generations',
    right: 'deployment',
    summary: 'Lists the generations of the folds, and which one is live.',
    answers: { 200: Generations },
    asks: serviceRoute({
      service: 'replay',
      method: 'GET',
      path: '/generations',
      answer: Generations,
    }),
  }),
  startRebuild: adminRoute({
    method: 'POST',
    path: '/api/replay/generations',
    right: 'deployment',
    summary: 'Starts a job that builds a generation.',
    body: closedObject({ foldVersion, by }),
    bodyOptional: true,
    answers: { 202: Job },
  }),
  // In front of the routes that take any text for a number.
  startRollback: adminRoute({
    method: 'POST',
    path: '/api/replay/generations/rollback',
    right: 'deployment',
    confirmed: true,
    secondPerson: true,
    summary: 'Starts a job that makes the previous generation live again.',
    body: Asker,
    bodyOptional: true,
    answers: { 202: Job },
  }),
  startSwap: adminRoute({
    method: 'POST',
    path: '/api/replay/generations/{number}/swap',
    right: 'deployment',
    confirmed: true,
    secondPerson: true,
    summary: 'Starts a job that makes a generation live.',
    body: Asker,
    bodyOptional: true,
    answers: { 202: Job },
  }),
  startDrop: adminRoute({
    method: 'DELETE',
    path: '/api/replay/generations/{number}',
    right: 'deployment',
    confirmed: true,
    summary: 'Starts a job that drops a generation.',
    body: Asker,
    bodyOptional: true,
    answers: { 202: Job },
  }),
};
