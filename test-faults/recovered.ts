import type { KafkaAddress } from '@tributary/event-log/testing';
import { eventually } from '@tributary/testkit/eventually';
import { expect } from 'chai';
import pg from 'pg';
import type { Stack } from '../deploy/local/stack.ts';
import { countOutboxRows, type Queryable, readLag, schemasWith } from './inspect.ts';

export type Running = { name: string; isReady(): Promise<boolean> };

/**
 * How a test that injects a fault ends. From now on it does nothing: no traffic and no restart.
 * Every process that runs must come to be ready, and all work must be done: nothing unread on the
 * log, nothing in an outbox, no webhook waiting for an endpoint that takes it.
 */
export async function expectRecovered(
  where: KafkaAddress & { db: Queryable; running: readonly Running[] },
  deadlineMs = 60_000,
): Promise<void> {
  const { db, running } = where;
  await eventually(
    async () => {
      const ready = await Promise.all(running.map((one) => one.isReady()));
      expect(
        running.filter((_, i) => !ready[i]).map(({ name }) => name),
        'not ready',
      ).to.deep.equal([]);
      expect(await readLag(where, db), 'lag').to.equal(0);
      expect(await countOutboxRows(db), 'outbox rows').to.equal(0);
      expect(await countUnsent(db), 'webhooks not sent').to.equal(0);
    },
    { deadlineMs, everyMs: 200 },
  );
}

/** Expects it of all that runs; what a test has stopped for good is not waited for. */
export async function expectStackRecovered(
  { demo, services }: Pick<Stack, 'demo' | 'services'>,
  deadlineMs?: number,
): Promise<void> {
  const running = Object.values(services).flatMap(({ replicas }) =>
    replicas.filter((replica) => replica.isRunning()),
  );
  expect(running.length).to.be.greaterThan(0);
  const { kafkaBrokers, kafkaSasl } = demo;
  const db = new pg.Pool({ connectionString: demo.postgresUrl });
  try {
    await expectRecovered({ kafkaBrokers, kafkaSasl, db, running }, deadlineMs);
  } finally {
    await db.end();
  }
}

/**
 * Those of paused and disabled endpoints wait for an operator, and what an endpoint has refused
 * waits for its next attempt, which may be hours away.
 */
async function countUnsent(db: Queryable): Promise<number> {
  let count = 0;
  for (const schema of await schemasWith(db, 'delivery')) {
    if (!schema.startsWith('dispatch')) continue;
    const { rows } = await db.query<{ count: number }>(
      `select count(*)::int as count
       from ${schema}.delivery join ${schema}.endpoint using (tenant_id)
       where state = 'pending' and endpoint.status = 'active'
         and due_at < now() + interval '1 minute'`,
    );
    count += rows[0]!.count;
  }
  return count;
}
