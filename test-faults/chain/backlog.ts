import type { Topic } from '@tributary/contracts/topics';
import { readWatermarks } from '@tributary/event-log/watermarks';
import type pg from 'pg';
import type { Topics } from './topics.ts';

/**
 * What stands between a fold and the end of its work. All zero: it has nothing to do. While there
 * is lag the others are not looked at: counting the rows of a busy outbox is work, and says
 * nothing.
 */
export type Backlog = {
  /** Records of its topics that are not applied yet. */
  lag: number;
  /** Records that are not on the log yet. */
  outbox: number;
  /** What the sweeper has left to do, and what is due to be released. */
  work: number;
};

/** For one generation, the first unless told otherwise. */
export async function attributionBacklog(
  db: pg.ClientBase,
  topics: Topics,
  generation = 1,
): Promise<Backlog> {
  const schema = `attribution_g${generation}`;
  const lag = await lagOf(db, topics, schema, ['events', 'codes', 'catalog']);
  return withRest(
    db,
    lag,
    `select (select count(*)::int from ${schema}.outbox) as outbox,
            (select count(*)::int from ${schema}.refold)
              + (select count(*)::int from ${schema}.fact where outcome = 'undecided')
            as work`,
  );
}

export async function rewardsBacklog(
  db: pg.ClientBase,
  topics: Topics,
  generation = 1,
): Promise<Backlog> {
  const schema = `rewards_g${generation}`;
  const of = { ...topics, nameOf: (topic: Topic) => topics.nameOf(topic, generation) };
  const lag = await lagOf(db, of, schema, ['attributions', 'issuances', 'catalog']);
  return withRest(
    db,
    lag,
    `select (select count(*)::int from ${schema}.outbox)
              + (select count(*)::int from issuance.issuance_outbox) as outbox,
            (select count(*)::int from ${schema}.recipient
               where due_at <= now() or undecided_reason is not null)
              + (select count(*)::int from ${schema}.decision
                 where status = 'waiting-for-revision') as work`,
  );
}

/** Both have come to the end, one after the other: the second reads what the first writes. */
export async function chainBacklog(
  db: pg.ClientBase,
  topics: Topics,
  generation = 1,
): Promise<Backlog> {
  const first = await attributionBacklog(db, topics, generation);
  const second = await rewardsBacklog(db, topics, generation);
  return {
    lag: first.lag + second.lag,
    outbox: first.outbox + second.outbox,
    work: first.work + second.work,
  };
}

async function lagOf(
  db: pg.ClientBase,
  { kafka, nameOf }: Topics,
  schema: string,
  read: readonly Parameters<Topics['nameOf']>[0][],
): Promise<number> {
  const ends = await readWatermarks(kafka, read.map(nameOf));
  const { rows } = await db.query<{ partition: string; next: string }>(
    `select topic || '/' || partition as partition, next_offset::text as next
     from ${schema}.projection_position`,
  );
  const applied = new Map(rows.map((row) => [row.partition, BigInt(row.next)]));
  return [...ends].reduce(
    (lag, [name, { high }]) => lag + Number(high - (applied.get(name) ?? 0n)),
    0,
  );
}

async function withRest(db: pg.ClientBase, lag: number, sql: string): Promise<Backlog> {
  if (lag > 0) return { lag, outbox: 0, work: 0 };
  const { rows } = await db.query<{ outbox: number; work: number }>(sql);
  return { lag, ...rows[0]! };
}
