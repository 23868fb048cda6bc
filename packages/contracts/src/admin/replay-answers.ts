import { type Static, Type } from '@sinclair/typebox';
import { count, named, nullable, oneOfTexts, text, utc } from './answer-fields.ts';

/** What a long piece of work tells of itself while it runs. */
export type Progress = Static<typeof Progress>;
export const Progress = Type.Object({
  /** What it does now, in words an operator reads: `reading the log`, `folding users`. */
  phase: text,
  /** How much of this phase is done, in `unit`. */
  done: Type.Number(),
  /** Absent: not known. */
  total: Type.Optional(Type.Number()),
  unit: text,
  /** Events per second over the last seconds. */
  eventsPerSecond: Type.Optional(Type.Number()),
  /** For the whole job. */
  remainingSeconds: Type.Optional(Type.Number()),
  /** Facts that the live attribution has not read yet. */
  liveLag: Type.Optional(Type.Number()),
});

export const Job = named(
  'Job',
  Type.Object({
    jobId: text,
    kind: text,
    params: Type.Unknown(),
    by: text,
    status: oneOfTexts('queued', 'running', 'done', 'failed', 'cancelled'),
    attempts: count,
    /** While it runs. */
    progress: Type.Optional(Progress),
    /** Once it is done; each kind of job has its own. */
    result: Type.Optional(Type.Unknown()),
    /** A sentence, when it failed. */
    error: Type.Optional(text),
    /** Who wants a running one to end. */
    cancelAskedBy: Type.Optional(text),
    createdAt: utc,
    startedAt: Type.Optional(utc),
    endedAt: Type.Optional(utc),
    history: Type.Array(Type.Object({ at: utc, line: text })),
  }),
);

export const Commit = named(
  'Commit',
  Type.Object({
    previewId: text,
    tenantId: text,
    campaignId: text,
    revision: Type.Integer(),
    effectiveFrom: utc,
    publishedAt: utc,
    by: text,
    note: nullable(text),
    /** null until the replay service has taken it, or when it refused. */
    checkJobId: nullable(text),
    checkRefusal: nullable(text),
  }),
);

/** A reward whose entitled credits are others after than before. */
export type Change = Static<typeof Change>;
export const Change = Type.Object({
  kind: oneOfTexts('new', 'withdrawn', 'changed'),
  /** Waits for an operator afterwards, and did not before. */
  toReview: Type.Boolean(),
  tenantId: text,
  rewardId: text,
  recipientId: text,
  campaignId: text,
  ruleId: text,
  recipientRole: text,
  /** `2026-03`, by occurredAt in UTC. */
  month: text,
  before: text,
  after: text,
});

export const Generations = Type.Object({
  live: Type.Integer(),
  generations: Type.Array(
    Type.Object({
      number: Type.Integer(),
      status: oneOfTexts('building', 'live', 'kept', 'lost'),
      foldVersion: Type.Integer(),
      note: Type.Optional(text),
      createdAt: utc,
    }),
  ),
  events: Type.Array(Type.Object({ number: Type.Integer(), at: utc, line: text })),
});
