import type { Codec } from '@tributary/contracts/record';
import { type Topic, topicName } from '@tributary/contracts/topics';
import { type CatchUp, createCatchUp } from '@tributary/event-log/catch-up';
import { connectLog, type Log } from '@tributary/event-log/connect-log';
import { createKafka } from '@tributary/event-log/kafka';
import { requireRights } from '@tributary/event-log/missing-rights';
import { createRelay } from '@tributary/event-log/relay';
import { createProjection, type Incoming, type Projection } from '@tributary/event-log/projection';
import { topicSources } from '@tributary/event-log/topic-sources';
import { createAdminListener, everything, type Losses } from '@tributary/http/admin-listener';
import { createGenerationRouter } from '@tributary/http/generation-router';
import { createInternalRouter, type InternalRoute } from '@tributary/http/internal-router';
import { createGenerationMetrics, mergedMetrics } from '@tributary/http/metrics';
import { createLife, type ServiceLife } from '@tributary/http/service-life';
import type { Component } from '@tributary/runtime/component';
import type { Logger } from '@tributary/runtime/logger';
import { poolComponent, type Tx } from '@tributary/runtime/postgres';
import { openTracer, type Tracer, type TraceSettings } from '@tributary/runtime/tracer';
import type { ServiceSettings } from '@tributary/runtime/variables';
import type pg from 'pg';
import {
  type FoldSettings,
  type GenerationSettings,
  hostFold,
  type HostLife,
} from './host-fold.ts';
import { evaluateGeneration } from './evaluate-generation.ts';
import type { HostedGenerations } from './host-generations.ts';
import { createReadingGate, type Lag } from './reading-gate.ts';
import { findGeneration } from './registry.ts';

/** A fold of topics into tables, and into a topic that each generation writes for itself. */
export type FoldPlan<S, T> = {
  /** Its projection has the same name. */
  service: string;
  reads: readonly Topic[];
  /** Those among them that a generation that is built reads before the others (reading-gate.ts). */
  readsFirst: readonly Topic[];
  /** Those of them that nobody waits for; see the projection. */
  unhurried?: Partial<Readonly<Record<Topic, number>>>;
  /** Shorter than the projection's own, where what is read was gathered by another stage. */
  gatherMs?: number;
  /** Whose records are traced, among what it reads. */
  traces: Topic;
  writes: Topic;
  codec: Codec<T>;
  /** How many of these the schema knows, in their version or a higher one. */
  countKnown: (db: pg.Pool, records: readonly T[]) => Promise<number>;
  /** The schema has records, and none is left to be sent. */
  hasSent: (db: pg.Pool) => Promise<boolean>;
  /** Given for the fold whose output comes first: the topic of what was granted. */
  grants?: Topic;
  /** What it keeps for all generations together. */
  sharedSchema?: (settings: S) => string;
  /** Makes the schema of a generation; the pool looks names up in it, and ends with it. */
  prepare: (settings: S & GenerationSettings, logger: Logger) => Promise<pg.Pool>;
  build: (context: FoldContext<S>) => FoldParts | Promise<FoldParts>;
};

/** What the parts of a generation are made with. */
export type FoldContext<S> = Log & {
  settings: S & GenerationSettings;
  /** Reaches the registry of generations. */
  generations: pg.Pool;
  pool: pg.Pool;
  life: ServiceLife;
  /** Whether this generation was the live one a second ago. */
  isLive: () => boolean;
  isIntact: Projection['isIntact'];
  betweenBatches: Projection['betweenBatches'];
  /** Whether all that these topics hold by now has been applied. */
  catchUpWith: (...topics: Topic[]) => CatchUp;
};

export type FoldParts = {
  apply: (tx: Tx, batch: readonly Incoming[]) => Promise<void>;
  onCommitted: (batch: readonly Incoming[]) => void;
  /** Started once the projection reads, in this order. */
  workers: Readonly<Record<string, Component>>;
  /** What others ask of a generation. */
  routes: readonly InternalRoute[];
};

export type ServedFoldSettings = Omit<ServiceSettings, 'topics'> &
  FoldSettings & {
    /** Accepted from other services, on the admin listener. */
    internalTokens: readonly string[];
    traces?: TraceSettings;
  };

/** Runs the generations of a fold that are registered, and one admin listener for all of them. */
export async function serveFold<S extends ServedFoldSettings, T>(
  plan: FoldPlan<S, T>,
  settings: S,
  life: ServiceLife,
): Promise<{ adminPort: number }> {
  const { service, reads: topics, sharedSchema } = plan;
  const tracer = await openTracer(settings.traces, life);
  type Run = NonNullable<Awaited<ReturnType<typeof startGeneration>>>;
  let hosts: HostedGenerations<Run> | undefined = undefined;
  const hosted = await hostFold<Run>(settings, {
    ...life,
    projection: service,
    topics,
    ...(sharedSchema && { sharedSchema: sharedSchema(settings) }),
    start: (generation, host) =>
      startGeneration(plan, { ...settings, ...generation }, host, {
        tracer,
        liveLag() {
          const live = hosts?.live();
          return live === hosts?.get(generation.topics.generation) ? undefined : live?.lag();
        },
      }),
  });
  hosts = hosted;
  const running = () => [...hosted.running().values()];
  const shown = {
    ...life,
    registry: mergedMetrics(() => [life.registry, ...running().map(({ metrics }) => metrics)]),
    checks: () => ({ ...life.checks(), ...hosted.checks() }),
    losses,
  };
  const router = createGenerationRouter(hosted);
  const listener = life.add('admin-listener', createAdminListener(settings, shown, router));
  return { adminPort: await listener.start() };
}

/**
 * Starts everything that one generation runs. It stops in reverse: first the workers, so that
 * nothing new is read or released, last the connections. Undefined: the generation is lost, and
 * nothing was read.
 */
async function startGeneration<S extends ServedFoldSettings, T>(
  plan: FoldPlan<S, T>,
  settings: S & GenerationSettings,
  { registry: generations, logger, onStop, isLive }: HostLife,
  { tracer, liveLag }: { tracer: Tracer | undefined; liveLag: () => Lag | undefined },
) {
  const { service, reads, readsFirst, gatherMs, unhurried, writes } = plan;
  const metrics = createGenerationMetrics(service, settings.topics.generation);
  const life = createLife({ service, logger, onStop, registry: metrics });
  await requireOutputRights(plan, settings, logger);
  const pool = await plan.prepare(settings, logger);
  life.add('postgres', poolComponent(pool));
  if ((await evaluate(plan, settings, { generations, pool, logger })) === 'lost') return undefined;
  const topicsUsed: Topic[] = [...reads, writes, 'deadLetters'];
  const log = await connectLog(settings, { ...life, topicsUsed });
  const { kafka, appender, nameOf } = log;
  await life.start('outbox', createRelay({ pool, appender, logger }));

  const isIntact: Projection['isIntact'] = (...asked) => projection.isIntact(...asked);
  const setbacks = () => projection.setbacks();
  const betweenBatches: Projection['betweenBatches'] = (topic, work) =>
    projection.betweenBatches(topic, work);
  const catchUpWith: FoldContext<S>['catchUpWith'] = (...topics) =>
    createCatchUp({
      kafka,
      pool,
      name: service,
      projection: { setbacks },
      topics: topics.map(nameOf),
    });
  const parts = await plan.build({
    ...log,
    settings,
    generations,
    pool,
    life,
    isLive,
    isIntact,
    betweenBatches,
    catchUpWith,
  });
  const isBuilt =
    (await findGeneration(generations, settings.topics.generation))?.status === 'building';
  const gate = createReadingGate({
    logger,
    ...(isBuilt && { first: { sources: readsFirst, areRead: catchUpWith(...readsFirst) } }),
    own: () => projection.lag(),
    live: liveLag,
  });
  const projection = createProjection({
    kafka,
    logger,
    pool,
    name: service,
    group: settings.group,
    ...{ generation: settings.topics.generation, isLive },
    sources: topicSources(reads, nameOf),
    apply: parts.apply,
    deadLetterTopic: nameOf('deadLetters'),
    whenOlder: 'stand-still',
    onCommitted: parts.onCommitted,
    ...{ tracer, tracedSource: plan.traces },
    ...(isBuilt && { maxBatchRecords: whileBuilt }),
    mayRead: (name) => gate.mayRead(name),
    givesWay: () => gate.givesWay(),
    ...(gatherMs && { gatherMs }),
    ...(unhurried && { unhurried }),
  });
  gate.start();
  onStop('reading-gate', () => gate.stop());
  await life.start('projection', projection);
  for (const [name, worker] of Object.entries(parts.workers)) await life.start(name, worker);
  const router = createInternalRouter(parts.routes, { logger, registry: metrics });
  return {
    metrics,
    router,
    checks: life.checks(),
    isIntact: () => isIntact(),
    lag: () => projection.lag(),
  };
}

/**
 * A topic that this principal may not see would be taken for one that is gone, and the generation
 * for lost. By the topic of the next generation it is seen whether a later one wrote.
 */
async function requireOutputRights<S, T>(
  { service, writes, grants }: FoldPlan<S, T>,
  { kafka: settings, topics: wiring }: Pick<ServiceSettings, 'kafka'> & GenerationSettings,
  logger: Logger,
): Promise<void> {
  const kafka = createKafka({ settings, clientId: service, logger });
  const topics = grants ? [writes, grants] : [writes];
  await requireRights({ kafka, service, wiring, topics });
  const later = { ...wiring, generation: wiring.generation + 1 };
  await requireRights({ kafka, service, wiring: later, topics: [writes] });
}

/** Before anything is read, and before the topics are looked at: they may be gone with it. */
function evaluate<S, T>(
  { service, writes, codec, countKnown, hasSent, grants }: FoldPlan<S, T>,
  { kafka, topics }: Pick<ServiceSettings, 'kafka'> & GenerationSettings,
  { generations, pool, logger }: { generations: pg.Pool; pool: pg.Pool; logger: Logger },
): Promise<'intact' | 'lost'> {
  return evaluateGeneration({
    pool: generations,
    kafka: createKafka({ settings: kafka, clientId: service, logger }),
    logger,
    service,
    generation: topics.generation,
    topic: topicName(writes, topics),
    codec,
    countKnown: (records) => countKnown(pool, records),
    hasSent: () => hasSent(pool),
    ...(grants && { grantsTopic: topicName(grants, topics) }),
  });
}

/** Names of checks are those of the live generation. */
const losses: Losses = {
  generations: everything,
  postgres: everything,
  kafka: 'nothing is read, and what was decided stays in the outbox',
  projection: 'partitions named there are not read',
  outbox: 'what was decided does not reach the log',
};

/** In a transaction. The live generation, in the same process, waits for those that have begun. */
const whileBuilt = 500;
