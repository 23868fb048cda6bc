import { createProjection, source } from '../projection.ts';
import { connectTo, noteCodec, preparePool, silentLogger } from '../testing.ts';

/**
 * A reader of notes in a process of its own, for tests that put it to sleep. Writes what it reads
 * to the table `applied`, and reports every moment how it is.
 */
export type NoteReaderReport = { states: string[]; health: { ok: boolean; detail?: string } };

const { BROKERS = '', DATABASE = '', TOPIC = '' } = process.env;
const projection = createProjection({
  kafka: connectTo(BROKERS),
  logger: silentLogger,
  pool: await preparePool(DATABASE),
  name: 'notes',
  group: `group-${TOPIC}`,
  sources: [source('notes', TOPIC, noteCodec)],
  apply: async (tx, batch) => {
    const numbers = batch.map(({ value }) => (value as { n: number }).n);
    await tx.query('insert into applied select unnest($1::int[])', [numbers]);
  },
  deadLetterTopic: 'none',
});
await projection.start();

setInterval(() => {
  const states = projection.partitions().map(({ state }) => state);
  process.send?.({ states, health: projection.health() } satisfies NoteReaderReport);
}, 100);
process.once('disconnect', () => process.exit());
