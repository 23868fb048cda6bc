import type { Evidence } from '../evidence.ts';

/** The records of a topic as objects, to be changed and written again. */
export function edit(
  evidence: Evidence,
  topic: string,
  change: (records: Record<string, unknown>[]) => void,
): void {
  const log = evidence.topics[topic]!;
  const records = log.map(({ value }) => JSON.parse(value!) as Record<string, unknown>);
  change(records);
  evidence.topics[topic] = records.map((record, offset) => ({
    ...{ partition: 0, offset, key: 'key', value: JSON.stringify(record) },
  }));
}
