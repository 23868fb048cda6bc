import { type Topic, topicName, topicOfName } from '@tributary/contracts/topics';
import type { Evidence, LogRecord, TableRow } from '../evidence.ts';

/** What the live generation of the folds has published, and what is in its tables. */
export function liveOf({ row, topics, tables }: Evidence) {
  const generation = row.live ?? 1;
  return {
    generation,
    records: (topic: Topic): LogRecord[] =>
      topics[topicName(topic, { prefix: '', generation })] ?? [],
    rows: (stage: 'attribution' | 'rewards', table: string): TableRow[] =>
      tables[`${stage}_g${generation}.${table}`] ?? [],
  };
}

/** What generations have ever published, also those that are not live any more. */
export function everPublished({ topics }: Evidence, topic: Topic): LogRecord[] {
  return Object.entries(topics).flatMap(([name, records]) =>
    topicOfName(name, '') === topic ? records : [],
  );
}
