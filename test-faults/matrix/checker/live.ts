import { type Topic, topicName, topicOfName } from '@tributary/contracts/topics';
import { schemaOfGeneration } from '@tributary/generations/generation';
import type { Generations } from '../../generations.ts';
import type { Evidence, LogRecord, TableRow } from '../evidence.ts';

const alone: Generations = { live: 1, lost: [], run: [1] };

/** The generations that there were at the end, without the one that is built then. */
export function generationsOf({ row }: Evidence): Generations {
  return row.generations ?? alone;
}

/** What a generation of the folds has published, and what is in its tables. */
export function generationOf({ topics, tables }: Evidence, generation: number) {
  const rowsOf = (first: string, table: string): TableRow[] =>
    tables[`${schemaOfGeneration(first, generation)}.${table}`] ?? [];
  return {
    records: (topic: Topic): LogRecord[] =>
      topics[topicName(topic, { prefix: '', generation })] ?? [],
    rows: (stage: 'attribution' | 'rewards', table: string) => rowsOf(`${stage}_g1`, table),
  };
}

export function liveOf(evidence: Evidence) {
  return generationOf(evidence, generationsOf(evidence).live);
}

/** What generations have published, also those that were live before; without the last one. */
export function everPublished({ row, topics }: Evidence, topic: Topic): LogRecord[] {
  const { generation } = row.rebuild ?? {};
  const built = generation === undefined ? '' : topicName(topic, { prefix: '', generation });
  return Object.entries(topics).flatMap(([name, records]) =>
    topicOfName(name, '') === topic && name !== built ? records : [],
  );
}
