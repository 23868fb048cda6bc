import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Codec } from '@tributary/contracts/record';
import { topicName, topicOfName, topics as topicTable } from '@tributary/contracts/topics';
import { scanTopic } from '@tributary/event-log/scan-topic';
import { connectTo, type KafkaAddress, silentLogger } from '@tributary/event-log/testing';
import { listTopics } from '@tributary/event-log/topic-admin';
import { readWatermarks } from '@tributary/event-log/watermarks';
import { schemaOfGeneration } from '@tributary/generations/generation';
import type pg from 'pg';
import { type Queryable, schemasWith } from '../inspect.ts';
import type { LogRecord, TableRow } from './evidence.ts';

/** Takes every record for text, also those that keep no contract. */
const textCodec: Codec<string> = {
  name: 'text',
  schemaVersion: 1,
  schema: {} as Codec<string>['schema'],
  decode: (bytes) =>
    bytes === null
      ? { outcome: 'tombstone' }
      : { outcome: 'record', value: bytes.toString('utf8') },
  encode: (value) => value,
};

/** Every record of every topic, of all generations or of this one, and where the topics end. */
export async function dumpTopics(
  where: KafkaAddress,
  generation?: number,
): Promise<{
  topics: Record<string, LogRecord[]>;
  ends: Record<string, number>;
}> {
  const kafka = connectTo(where);
  const names = (await listTopics(kafka)).filter((name) =>
    generation === undefined ? name.startsWith('referral.') : isTopicOf(generation, name),
  );
  const dumped: Record<string, LogRecord[]> = {};
  for (const topic of names) dumped[topic] = await dumpTopic(where, topic);
  const ends = [...(await readWatermarks(kafka, names))].map(
    ([where, { high }]) => [where, Number(high)] as const,
  );
  return { topics: dumped, ends: Object.fromEntries(ends) };
}

export async function dumpTopic(where: KafkaAddress, topic: string): Promise<LogRecord[]> {
  const records = new Map<string, LogRecord>();
  await scanTopic({
    ...{ kafka: connectTo(where), logger: silentLogger, topic, codec: textCodec },
    onRecord({ partition, offset, timestampMs, key, value }) {
      // A scan may hand a record over twice.
      const at = new Date(timestampMs).toISOString();
      const record = { partition, offset: Number(offset), at, key, value };
      records.set(`${partition}/${offset}`, record);
    },
  });
  return [...records.values()];
}

/** Whether a generation publishes there. */
function isTopicOf(generation: number, name: string): boolean {
  const topic = topicOfName(name, '');
  if (topic === undefined || !topicTable[topic].generational) return false;
  return topicName(topic, { prefix: '', generation }) === name;
}

/** Rows as Postgres writes them: a number that is parsed is no longer exact. */
type TextQuery = Pick<pg.Pool, 'query'>;

const asText = { getTypeParser: () => (value: string | Buffer) => String(value) };

async function rowsOf(db: TextQuery, text: string): Promise<TableRow[]> {
  return (await db.query<TableRow>({ text, types: asText })).rows;
}

/** Columns of the tables that are judged, by what stands behind the generation's number. */
function tablesOf(generation: number): Record<string, string> {
  const [facts, money, model] = ['attribution_g1', 'rewards_g1', 'portal_read_r2'].map((first) =>
    schemaOfGeneration(first, generation),
  );
  return {
    [`${facts}.fact`]: 'event_id, tenant_id, new_user_id, version, outcome, campaign_id, digest',
    [`${money}.entitlement`]:
      'reward_id, version, tenant_id, recipient_id, campaign_id, state, entitled, issued, ' +
      'campaign_revision, rule_id, recipient_role, business_key, event_id',
    [`${money}.ledger_posting`]: '*',
    [`${model}.event`]: 'event_id, tenant_id, event_type, source, new_user_id, ucc',
    [`${model}.reward`]: 'reward_id, tenant_id, recipient_id, new_user_id, state, entitled',
  };
}

const otherTables: Record<string, string> = {
  'issuance.issuance': 'issuance_id, reward_id, tenant_id, recipient_id, credits, webhook_event_id',
  'dispatch.delivery': 'webhook_event_id, tenant_id, issuance_id, recipient_id, state, attempts',
};

/** The tables that are judged, with those of these generations of the folds. */
export async function dumpTables(
  db: Queryable,
  generations: readonly number[],
): Promise<Record<string, TableRow[]>> {
  const tables = Object.assign({}, otherTables, ...generations.map(tablesOf)) as Record<
    string,
    string
  >;
  for (const table of ['projection_position', 'outbox', 'issuance_outbox']) {
    for (const schema of await schemasWith(db, table)) {
      const columns = table === 'projection_position' ? 'topic, partition, next_offset' : 'id';
      tables[`${schema}.${table}`] = columns;
    }
  }
  const dumped: Record<string, TableRow[]> = {};
  for (const [table, columns] of Object.entries(tables)) {
    if (!(await isThere(db, table))) continue;
    dumped[table] = await rowsOf(db, `select ${columns} from ${table}`);
  }
  return dumped;
}

/** A generation may be without some: nobody reads it yet. */
async function isThere(db: Queryable, table: string): Promise<boolean> {
  const { rows } = await db.query<{ found: boolean }>(
    'select to_regclass($1) is not null as found',
    [table],
  );
  return rows[0]!.found;
}

/** What must only grow, as it is now in these generations. */
export async function dumpLedger(
  db: Queryable,
  generations: readonly number[],
): Promise<Record<string, TableRow[]>> {
  const dumped: Record<string, TableRow[]> = {};
  for (const generation of generations) {
    const table = `rewards_g${generation}.ledger_posting`;
    dumped[table] = await rowsOf(db, `select * from ${table}`);
  }
  return dumped;
}

export function readLogs(dir: string): Record<string, string> {
  const files = readdirSync(dir).filter((name) => name.endsWith('.log'));
  return Object.fromEntries(files.map((name) => [name, readFileSync(join(dir, name), 'utf8')]));
}
