import { type Topic, topicName, topics as topicTable } from '@tributary/contracts/topics';
import { topicOfPartition } from '@tributary/event-log/position';
import { listTopics } from '@tributary/event-log/topic-admin';
import { readWatermarks } from '@tributary/event-log/watermarks';
import { isSchemaOfGeneration } from '@tributary/generations/generation';
import { readRemembered } from '../../db/generation-marks.ts';
import { databasesOf } from './stages.ts';
import type { SwapDeps } from './swap.ts';

/** Topics that every generation has of its own. */
export const generationalTopics = (Object.keys(topicTable) as Topic[]).filter(
  (topic) => topicTable[topic].generational,
);

/**
 * A number that nothing was ever written under: above all that are or were registered, or whose
 * topics hold records, and one by which no schema is called, whichever stage left it. What an older
 * backup of the registry has forgotten is still on the brokers, and a schema that was left behind
 * must not be taken for a beginning. Empty topics are no obstacle: they are what a killed attempt
 * to build this very generation left. Nor is a database of read models that does not answer: money
 * waits for the number.
 */
export async function nextGenerationNumber(deps: SwapDeps): Promise<number> {
  const { pool, kafka, topics } = deps;
  const registered = await readRemembered(pool);
  const schemas = await databasesOf(deps).listSchemas();
  const written = await writtenGenerations({ kafka, topics });
  const isTaken = (generation: number) =>
    schemas.some((schema) => isSchemaOfGeneration(schema, generation));
  let number = Math.max(0, ...registered, ...written) + 1;
  while (isTaken(number)) number += 1;
  return number;
}

async function writtenGenerations({
  kafka,
  topics,
}: Pick<SwapDeps, 'kafka' | 'topics'>): Promise<number[]> {
  const firstNames = generationalTopics.map((topic) =>
    topicName(topic, { ...topics, generation: 1 }),
  );
  const found = (await listTopics(kafka)).flatMap((name) => {
    const generation = firstNames
      .map((base) => generationOf(name, base))
      .find((n) => n !== undefined);
    return generation === undefined ? [] : [{ name, generation }];
  });
  const marks = await readWatermarks(
    kafka,
    found.map(({ name }) => name),
  );
  const withRecords = new Set(
    [...marks].flatMap(([partition, { high }]) => (high > 0n ? [topicOfPartition(partition)] : [])),
  );
  return found.filter(({ name }) => withRecords.has(name)).map(({ generation }) => generation);
}

function generationOf(name: string, base: string): number | undefined {
  if (name === base) return 1;
  const match = name.startsWith(base) ? /^\.g(\d+)$/.exec(name.slice(base.length)) : null;
  return match ? Number(match[1]) : undefined;
}
