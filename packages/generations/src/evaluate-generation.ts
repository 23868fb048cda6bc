import type { Codec } from '@tributary/contracts/record';
import type { KafkaConnection } from '@tributary/event-log/kafka';
import { readRaw } from '@tributary/event-log/read-raw';
import { hasTopic, listTopics } from '@tributary/event-log/topic-admin';
import { readWatermarks } from '@tributary/event-log/watermarks';
import type { Logger } from '@tributary/runtime/logger';
import { allowIdle, inTransaction } from '@tributary/runtime/postgres';
import type pg from 'pg';
import { findForgotten } from './find-forgotten.ts';
import { type GenerationsDb, readLiveGeneration, setGenerationStatus } from './registry.ts';

/**
 * Whether a generation may go on from its schema. When Postgres was dropped or restored from an
 * older backup beside a newer log, the schema would be brought up from an older position and give
 * versions of entities a second time, to other contents; readers would keep the ones they know. So
 * before a fold reads anything, the last records of its output topic must be known to its schema:
 * an entity of each, in that version or a higher one. A record is committed to the schema before
 * it is sent, so a crash, whenever it comes, never looks like this.
 *
 * The reverse is a loss too: the schema has sent records, and the topic has none at all, or is gone
 * (this generation was dropped after the backup). So it is evaluated before the topics are checked.
 *
 * And so is a log that knows of grants while the live generation has decided nothing: one that was
 * imported. Released from its first decisions on, it would grant on less than was known when those
 * grants were made. Its successor grants nothing before it has read all there is.
 *
 * Evaluated under a lock, so that of several processes that start one evaluates, marks and tells.
 */
export async function evaluateGeneration<T>(options: {
  /** Reaches the registry. */
  pool: pg.Pool;
  kafka: KafkaConnection;
  logger: Logger;
  service: string;
  generation: number;
  /** The topic that this generation alone writes to. */
  topic: string;
  codec: Codec<T>;
  /** How many of these the schema knows, in their version or a higher one. */
  countKnown: (records: readonly T[]) => Promise<number>;
  /** The schema has records, and none is left to be sent. */
  hasSent: () => Promise<boolean>;
  /** Given for the generation whose output comes first: the topic of what was granted. */
  grantsTopic?: string;
}): Promise<'intact' | 'lost'> {
  const { pool, logger, service, generation, topic } = options;
  return inTransaction(pool, async (tx) => {
    // The lock keeps out other starts of this generation only, while the log is read.
    await allowIdle(tx, maxReadMs);
    await tx.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [
      `generation/${service}/${generation}`,
    ]);
    const reason =
      (await findForgottenBy(tx, options)) ??
      (await findLoss(options)) ??
      (await findImport(tx, options));
    if (reason === undefined) return 'intact';
    const note = `${service}: ${reason}. ${whatToDo}`;
    await setGenerationStatus(tx, generation, 'lost', note);
    logger.error(`alert: generation ${generation} is lost: ${note}`, { generation, topic });
    return 'lost';
  });
}

const whatToDo =
  'It is not run any more; facts are safe in their topics. ' +
  'The replay service builds the next generation from them; `tributary replay generations` ' +
  'shows it, `tributary replay rebuild` asks for it by hand';

/** A later one: what is built to take its place has a number above all that was ever written. */
async function findForgottenBy<T>(
  db: GenerationsDb,
  { kafka, topic, generation }: Parameters<typeof evaluateGeneration<T>>[0],
): Promise<string | undefined> {
  const forgotten = await findForgotten({ db, kafka, topic });
  if (forgotten === undefined || forgotten < generation) return undefined;
  return `the registry is older than the log: it does not know generation ${forgotten}`;
}

async function findImport<T>(
  db: GenerationsDb,
  { kafka, topic, generation, grantsTopic }: Parameters<typeof evaluateGeneration<T>>[0],
): Promise<string | undefined> {
  if (grantsTopic === undefined || (await readLiveGeneration(db)) !== generation) return undefined;
  const topics = [grantsTopic, topic];
  const listed = new Set(await listTopics(kafka));
  if (!topics.every((name) => listed.has(name))) return undefined;
  const marks = [...(await readWatermarks(kafka, topics))];
  const holds = (name: string) =>
    marks.some(([partition, { high }]) => high > 0n && partition.startsWith(`${name}/`));
  if (!holds(grantsTopic) || holds(topic)) return undefined;
  return `${grantsTopic} tells of grants and ${topic} of no decision, as after an import`;
}

const lastRecords = 50n;

async function findLoss<T>({
  kafka,
  logger,
  topic,
  codec,
  countKnown,
  hasSent,
}: Parameters<typeof evaluateGeneration<T>>[0]): Promise<string | undefined> {
  // Asked first: another process of this generation may send its very first records meanwhile.
  const sent = await hasSent();
  if (!(await hasTopic(kafka, topic))) {
    return sent ? `its schema has sent records, and there is no ${topic}` : undefined;
  }
  const marks = await readWatermarks(kafka, [topic]);
  if ([...marks.values()].every(({ high }) => high === 0n)) {
    return sent ? `its schema has sent records, and ${topic} has none` : undefined;
  }
  const found: T[] = [];
  await readRaw({
    kafka,
    logger,
    topic,
    ranges: new Map(
      [...marks].map(([name, { low, high }]) => [
        Number(name.slice(name.lastIndexOf('/') + 1)),
        { from: high - low > lastRecords ? high - lastRecords : low, to: high },
      ]),
    ),
    onSlice: ({ records }) => {
      for (const { value } of records) {
        const decoded = codec.decode(value);
        // One that this process cannot read says nothing about the schema.
        if (decoded.outcome === 'record') found.push(decoded.value);
      }
    },
    signal: AbortSignal.timeout(readTimeoutMs),
  });
  const known = await countKnown(found);
  if (known === found.length) return undefined;
  return (
    `its schema is older than its topic: it does not know ${found.length - known} of the last ` +
    `${found.length} records of ${topic}`
  );
}

/** Then the start fails, and is tried again. */
const readTimeoutMs = 30_000;
/** With the looks at the brokers before. */
const maxReadMs = 60_000;
