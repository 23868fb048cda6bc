import { eventCodec } from '@tributary/contracts/event-record';
import { connectTo, type KafkaAddress } from '@tributary/event-log/testing';
import { readWatermarks } from '@tributary/event-log/watermarks';
import pg from 'pg';
import type { Demo } from '../deploy/demo/demo-file.ts';
import { type DecisionLog, readDecisions } from './decided-once.ts';
import { countRecords, readLog } from './read-log.ts';

export type Queryable = Pick<pg.Pool, 'query'>;

/** What topics and tables say, for a test that may look inside. */
export type Inspection = {
  eventsOfInvoice: Map<string, Set<string>>;
  decisions: DecisionLog;
  rewardsPerInvoice: Map<string, number>;
  issuances: number;
  ledgerSum: string;
  unbalancedPostings: number;
  /** Records not yet applied, over all projections and partitions. */
  lag: number;
  outboxRows: number;
  deadLetters: number;
};

export async function inspect(demo: Demo): Promise<Inspection> {
  const db = new pg.Client({ connectionString: demo.postgresUrl });
  await db.connect();
  try {
    return {
      eventsOfInvoice: await readEvents(demo),
      decisions: await readDecisions(demo),
      ...(await readRewards(db)),
      lag: await readLag(demo, db),
      outboxRows: await countOutboxRows(db),
      deadLetters: await countRecords(demo, 'deadLetters'),
    };
  } finally {
    await db.end();
  }
}

async function readEvents(demo: Demo): Promise<Map<string, Set<string>>> {
  const eventsOfInvoice = new Map<string, Set<string>>();
  for (const { value } of await readLog(demo, 'events', eventCodec)) {
    if (value.eventType !== 'purchase-created') continue;
    const invoiceId = value.purchase.invoiceId ?? '';
    // The stack plays one purchase of its own when it starts.
    if (!invoiceId.startsWith('kill-')) continue;
    const events = eventsOfInvoice.get(invoiceId) ?? new Set();
    eventsOfInvoice.set(invoiceId, events.add(value.eventId));
  }
  return eventsOfInvoice;
}

async function readRewards(db: pg.Client) {
  const rewards = await db.query<{ invoice: string; count: number }>(
    `select business_key::json ->> 2 as invoice, count(*)::int as count
     from rewards_g1.entitlement
     where business_key::json ->> 2 like 'kill-%' and state = 'issued' and entitled > 0
     group by 1`,
  );
  const issued = await db.query<{ count: number }>(
    `select count(*)::int as count from issuance.issuance i
     join rewards_g1.entitlement e on e.reward_id = i.reward_id
     where e.business_key::json ->> 2 like 'kill-%'`,
  );
  const ledger = await db.query<{ sum: string; unbalanced: number }>(
    `select coalesce(sum(credits), 0)::float8::text as sum,
            (select count(*)::int from (select 1 from rewards_g1.ledger_entry
              group by posting_id having sum(credits) <> 0) as wrong) as unbalanced
     from rewards_g1.ledger_entry`,
  );
  return {
    rewardsPerInvoice: new Map(rewards.rows.map((row) => [row.invoice, row.count])),
    issuances: issued.rows[0]!.count,
    ledgerSum: ledger.rows[0]!.sum,
    unbalancedPostings: ledger.rows[0]!.unbalanced,
  };
}

/**
 * Every projection that has positions, against the ends of the topics it reads. It has not begun a
 * partition of these of which it has none.
 */
export async function readLag(
  kafka: KafkaAddress,
  db: Queryable,
  leavesOut: (schema: string) => boolean = () => false,
): Promise<number> {
  type Reading = { topic: string; next: Record<string, string> };
  const readings: Reading[] = [];
  for (const schema of await schemasWith(db, 'projection_position')) {
    if (leavesOut(schema)) continue;
    const { rows } = await db.query<Reading>(
      `select topic, json_object_agg(partition, next_offset::text) as next
       from ${schema}.projection_position group by topic`,
    );
    readings.push(...rows);
  }
  const topics = [...new Set(readings.map(({ topic }) => topic))];
  const marks = await readWatermarks(connectTo(kafka), topics);
  let lag = 0n;
  for (const [name, { low, high }] of marks) {
    const [topic, partition] = name.split('/') as [string, string];
    for (const reading of readings.filter((one) => one.topic === topic)) {
      lag += high - BigInt(reading.next[partition] ?? low);
    }
  }
  return Number(lag);
}

export async function countOutboxRows(
  db: Queryable,
  leavesOut: (schema: string) => boolean = () => false,
): Promise<number> {
  let rows = 0;
  for (const table of ['outbox', 'issuance_outbox']) {
    for (const schema of await schemasWith(db, table)) {
      if (leavesOut(schema)) continue;
      const counted = await db.query<{ count: number }>(
        `select count(*)::int as count from ${schema}.${table}`,
      );
      rows += counted.rows[0]!.count;
    }
  }
  return rows;
}

export async function schemasWith(db: Queryable, table: string): Promise<string[]> {
  const { rows } = await db.query<{ schema: string }>(
    'select schemaname as schema from pg_tables where tablename = $1',
    [table],
  );
  return rows.map((row) => row.schema);
}
