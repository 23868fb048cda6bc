import { readWatermarks } from '@tributary/event-log/watermarks';
import { setTimeout as delay } from 'node:timers/promises';
import { withClient } from '@tributary/testkit/database';
import type pg from 'pg';
import type { Stack } from '../../deploy/local/stack.ts';
import { startThrowawayStack } from '../../deploy/local/throwaway-stack.ts';
import { call } from '../../test-e2e/calls.ts';
import { chainBacklog } from '../../test-faults/chain/backlog.ts';
import { openTopics, type Topics } from '../../test-faults/chain/topics.ts';
import { startWebhookSink } from '../../test-faults/webhook-sink.ts';
import { type Latency, measureLatency } from '../ingest/latency.ts';
import { peakMiB } from '../process-memory.ts';
import { readOutcome } from './check-run.ts';
import { readWalPosition } from './counters.ts';
import { keepToTwoCores, topicBytesIn } from './servers.ts';
import { type RelationBytes, relationBytes } from './table-bytes.ts';
import { readWalCosts, type WalCosts } from './wal-costs.ts';
import { makeWorkload, type Workload } from './workload.ts';

export type WholeSystem = {
  latency: Latency;
  /** While 200 events a second came in by HTTP and went out as webhooks. */
  atRate: { events: number; wal: WalCosts };
  /** By service, the most that its process held until the end. */
  peakMiB: Record<string, number>;
  /** The benchmark's events through every service, read models and webhooks included. */
  inAll: { events: number; relations: RelationBytes[]; topics: Record<string, number> } & {
    wal: WalCosts;
  };
};

/** The whole local stack, with all read models. */
export async function measureWholeSystem(options: {
  events: number;
  progress: (line: string) => void;
}): Promise<WholeSystem> {
  const { events, progress } = options;
  await keepToTwoCores();
  progress('starting the whole stack');
  const stack = await startThrowawayStack();
  try {
    return await withClient(stack.servers.postgres.url, async (db) => {
      await db.query('create extension if not exists pg_walinspect');
      await db.query(`alter system set wal_keep_size = '64GB'`);
      await db.query('select pg_reload_conf()');
      progress('202 to webhook, 200 events/s');
      let from = '';
      let to = '';
      const latency = await measureLatency(stack, {
        onBegin: async () => void (from = await readWalPosition(db)),
        onEnd: async () => void (to = await readWalPosition(db)),
      });
      const atRate = { events: latency.count, wal: await readWalCosts(db, { from, to }) };
      const inAll = await measureInAll(stack, db, events, progress);
      const peaks = Object.entries(stack.services).map(
        ([name, { replicas }]) => [name, peakMiB(replicas[0]!.pid)] as const,
      );
      return { latency, atRate, inAll, peakMiB: Object.fromEntries(peaks) };
    });
  } finally {
    await stack.stop();
  }
}

async function measureInAll(
  stack: Stack,
  db: pg.Client,
  count: number,
  progress: (line: string) => void,
): Promise<WholeSystem['inAll']> {
  const { kafka } = stack.servers;
  const tenant = stack.demo.tenants[1]!;
  const workload = ofTenant(makeWorkload(count, new Date()), tenant.tenantId);
  const { password } = tenant.webhook;
  const sink = await startWebhookSink();
  const topics = await openTopics(stack.kafka, '');
  try {
    await call(`${stack.demo.baseUrl}/api/tenants/${tenant.tenantId}/webhook`, {
      ...{ method: 'PUT', token: stack.demo.adminToken, body: { url: sink.url, password } },
    });
    // Published long ago, which an operator's route cannot do: nothing is in review.
    await topics.append([...workload.revisions, ...workload.codes]);
    await untilSettled(db, topics);
    const before = await look(db, kafka.dir);
    progress(`${count} events through every service`);
    await topics.append(workload.events);
    await untilSettled(db, topics);
    const outcome = await readOutcome(topics, workload);
    if (outcome.issued === 0) throw new Error('nothing was issued');
    await untilDelivered(sink.received, outcome.issued);
    await untilSettled(db, topics);
    const after = await look(db, kafka.dir);
    return {
      events: count,
      relations: grownBy(before.relations, after.relations),
      topics: Object.fromEntries(
        Object.entries(after.topics)
          .map(([topic, bytes]) => [topic, bytes - (before.topics[topic] ?? 0)] as const)
          .filter(([, bytes]) => bytes > 0),
      ),
      wal: await readWalCosts(db, { from: before.wal, to: after.wal }),
    };
  } finally {
    await topics.close();
    await sink.stop();
  }
}

function ofTenant(workload: Workload, tenantId: string): Workload {
  return {
    revisions: workload.revisions.map((revision) => ({ ...revision, tenantId })),
    codes: workload.codes.map((code) => ({ ...code, tenantId })),
    events: workload.events.map((event) => ({ ...event, tenantId })),
  };
}

async function look(db: pg.Client, kafkaDir: string) {
  return {
    relations: await relationBytes(db, await listSchemas(db)),
    topics: await topicBytesIn(kafkaDir),
    wal: await readWalPosition(db),
  };
}

async function listSchemas(db: pg.Client): Promise<string[]> {
  const { rows } = await db.query<{ schema: string }>(
    `select nspname as schema from pg_namespace
     where nspname !~ '^pg_' and nspname <> 'information_schema'`,
  );
  return rows.map(({ schema }) => schema);
}

function grownBy(before: readonly RelationBytes[], after: readonly RelationBytes[]) {
  const nameOf = ({ schema, table, index }: RelationBytes) => `${schema} ${table} ${index}`;
  const then = new Map(before.map((relation) => [nameOf(relation), relation.bytes]));
  return after.map((relation) => ({
    ...relation,
    bytes: relation.bytes - (then.get(nameOf(relation)) ?? 0),
  }));
}

/** The folds have nothing left to do, and every projection has read all of its topics. */
async function untilSettled(db: pg.Client, topics: Topics): Promise<void> {
  const deadline = performance.now() + 600_000;
  for (let inARow = 0; inARow < 3; await delay(500)) {
    const backlog = await chainBacklog(db, topics);
    const behind = backlog.lag + backlog.outbox + backlog.work || (await countBehind(db, topics));
    inARow = behind === 0 ? inARow + 1 : 0;
    if (performance.now() > deadline) throw new Error(`still behind: ${behind}`);
  }
}

async function countBehind(db: pg.Client, topics: Topics): Promise<number> {
  const positions = new Map<string, bigint[]>();
  const names = new Set<string>();
  for (const schema of await listSchemas(db)) {
    const { rows } = await db
      .query<{ topic: string; partition: number; next: string }>(
        `select topic, partition, next_offset::text as next from ${schema}.projection_position`,
      )
      .catch(() => ({ rows: [] }));
    for (const { topic, partition, next } of rows) {
      names.add(topic);
      const place = `${topic}/${partition}`;
      positions.set(place, [...(positions.get(place) ?? []), BigInt(next)]);
    }
  }
  let behind = 0;
  for (const [place, { high }] of await readWatermarks(topics.kafka, [...names])) {
    for (const next of positions.get(place) ?? []) behind += Number(high - next);
  }
  return behind;
}

async function untilDelivered(received: readonly { eventId: string }[], count: number) {
  const deadline = performance.now() + 300_000;
  for (;;) {
    const delivered = new Set(received.map(({ eventId }) => eventId)).size;
    if (delivered === count) return;
    if (performance.now() > deadline) throw new Error(`${delivered} of ${count} were delivered`);
    await delay(500);
  }
}
