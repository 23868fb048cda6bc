import { topicOfPartition } from '@tributary/event-log/position';
import { listTopics } from '@tributary/event-log/topic-admin';
import type { KafkaConnection } from '@tributary/event-log/kafka';
import { readWatermarks } from '@tributary/event-log/watermarks';
import type { GenerationsDb } from './registry.ts';

/**
 * A generation that wrote to its topic and that the registry has never heard of, though the
 * registry remembers also those that were removed: then the registry itself is older than the log,
 * made anew or restored from a backup, and the one that it calls live may have been swapped away
 * from long ago. Whoever trusted it would pay by a generation that was never meant to go on.
 *
 * @param topic of any generation; those of others are named after it.
 */
export async function findForgotten(options: {
  db: GenerationsDb;
  kafka: KafkaConnection;
  topic: string;
}): Promise<number | undefined> {
  const { db, kafka, topic } = options;
  const base = topic.replace(/\.g\d+$/, '');
  const { rows } = await db.query<{ number: number }>(
    'select number from generation union select number from generation_event',
  );
  const known = new Set(rows.map(({ number }) => number));
  const unknown = (await listTopics(kafka)).flatMap((name) => {
    const match = name.startsWith(`${base}.g`) ? /^\d+$/.exec(name.slice(base.length + 2)) : null;
    const number = match ? Number(match[0]) : undefined;
    return number === undefined || known.has(number) ? [] : [{ name, number }];
  });
  if (unknown.length === 0) return undefined;
  const marks = await readWatermarks(
    kafka,
    unknown.map(({ name }) => name),
  );
  const written = unknown.filter(({ name }) =>
    [...marks].some(([partition, { high }]) => high > 0n && topicOfPartition(partition) === name),
  );
  return written.length === 0 ? undefined : Math.max(...written.map(({ number }) => number));
}
