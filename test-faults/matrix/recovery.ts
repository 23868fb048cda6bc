import { setTimeout as delay } from 'node:timers/promises';
import type { KafkaAddress } from '@tributary/event-log/testing';
import type { Stack } from '../../deploy/local/stack.ts';
import { isOfGenerations, readGenerations } from '../generations.ts';
import { countOutboxRows, type Queryable, readLag, schemasWith } from '../inspect.ts';

const everyMs = 250;

/**
 * What is still to be done, in words; undefined when nothing is: every process is ready, nothing is
 * unread, unsent, undecided or due, and every issuance is delivered.
 */
export async function stillToDo(stack: Stack, db: Queryable): Promise<string | undefined> {
  const replicas = Object.values(stack.services).flatMap((group) => group.replicas);
  const ready = await Promise.all(replicas.map((replica) => replica.isReady()));
  const unready = replicas.filter((_, i) => !ready[i]).map(({ name }) => name);
  if (unready.length > 0) return `not ready: ${unready.join(', ')}`;
  const { kafkaBrokers, kafkaSasl } = stack.kafka;
  return workLeft({ kafkaBrokers, kafkaSasl }, db);
}

/** The same without a look at the processes. */
export async function workLeft(kafka: KafkaAddress, db: Queryable): Promise<string | undefined> {
  const { live, lost, run } = await readGenerations(db);
  if (lost.includes(live)) return `generation ${live} is lost, and no other one is live`;
  const isLost = isOfGenerations(lost);
  const lag = await readLag(kafka, db, isLost);
  if (lag > 0) return `${lag} records not read`;
  const outbox = await countOutboxRows(db, isLost);
  if (outbox > 0) return `${outbox} rows in outboxes`;
  const questions = await countQuestions(db);
  if (questions > 0) return `${questions} questions to Stripe`;
  for (const generation of run) {
    const unfinished = await countUnfinished(db, generation);
    if (unfinished > 0) return `${unfinished} decisions of generation ${generation} to make again`;
  }
  const { rows } = await db.query<{ due: number; undelivered: number }>(workOf(live));
  const { due, undelivered } = rows[0]!;
  if (due > 0) return `${due} recipients with something due`;
  if (undelivered > 0) return `${undelivered} webhooks not delivered`;
  return undefined;
}

/** What is to be asked of Stripe now; that it is not to be tried yet makes no difference. */
async function countQuestions(db: Queryable): Promise<number> {
  let questions = 0;
  for (const schema of await schemasWith(db, 'need')) {
    const { rows } = await db.query<{ due: number }>(
      `select count(*)::int as due from ${schema}.need where not answered and due_at <= now()`,
    );
    questions += rows[0]!.due;
  }
  return questions;
}

async function countUnfinished(db: Queryable, generation: number): Promise<number> {
  const { rows } = await db.query<{ unfinished: number }>(
    `select (open + undecided)::int as unfinished from attribution_g${generation}.stage_unfinished`,
  );
  return rows[0]!.unfinished;
}

const workOf = (live: number) => `
  select
    (select count(*) from rewards_g${live}.recipient
      where due_at <= now() or undecided_reason is not null)::int as due,
    ((select count(*) from issuance.issuance)
      - (select count(*) from dispatch.delivery where state = 'delivered'))::int as undelivered`;

/**
 * Waits until there is nothing to do, without any new traffic and without a restart. Gives how long
 * it took, in milliseconds, or at the deadline what is still to be done. One look sees the parts
 * one after the other, and what one has done is another's work: so it takes two looks that see
 * nothing.
 */
export async function recovered(
  stack: Stack,
  db: Queryable,
  deadlineMs: number,
  /** When the fault was undone, on the clock of `performance`. */
  healedAt = performance.now(),
): Promise<{ tookMs: number } | { still: string }> {
  const beganAt = performance.now();
  let doneAt: number | undefined;
  for (;;) {
    const still = await stillToDo(stack, db).catch((error: unknown) => String(error));
    const now = performance.now();
    if (still === undefined && doneAt !== undefined) return { tookMs: doneAt - healedAt };
    doneAt = still === undefined ? now : undefined;
    if (still !== undefined && now - beganAt > deadlineMs) return { still };
    await delay(everyMs);
  }
}
