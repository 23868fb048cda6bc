import { topics as topicTable } from '@tributary/contracts/topics';
import { isOfGenerations } from '../../generations.ts';
import type { Evidence, LogRecord, PositionSample } from '../evidence.ts';
import type { Series, Steps } from './timeline.ts';

/**
 * Records that were on the log and that a projection had not applied yet, by projection and at the
 * end of each step. Nothing is measured for it: brokers write down when they appended a record, and
 * stored positions were looked at twice a second. So it is exact while positions stand still, and
 * up to half a second of traffic too high while they move. A partition without a stored position
 * is unread: a projection that has not noticed a new one is behind, too.
 *
 * Generations that are built when all is over are left out, and lost ones from when the database
 * fell back: nobody goes on with them.
 */
export function lagOverTime(evidence: Evidence, steps: Steps): Series[] {
  const ends = Array.from(
    { length: steps.count },
    (_, i) => steps.startMs + (i + 1) * steps.stepMs,
  );
  const builtFrom = evidence.row.rebuild?.beganAt ?? '9';
  const isLost = isOfGenerations(evidence.row.generations?.lost ?? []);
  const lostFrom = Date.parse(evidence.row.fellBackAt ?? '');
  return [...Map.groupBy(evidence.positions, ({ schema }) => schema)]
    .filter(([, samples]) => samples[0]!.at < builtFrom)
    .map(([name, samples]) => {
      const unread = unreadBy(samples, evidence.topics);
      const isOver = (at: number) => isLost(name) && at >= lostFrom;
      const lagAt = (at: number) => unread.reduce((sum, one) => sum + one(at), 0);
      return { name, values: ends.map((at) => (isOver(at) ? 0 : lagAt(at))) };
    })
    .sort((a, b) => Math.max(...b.values) - Math.max(...a.values));
}

/** Whether the evidence says when records were appended. */
export function hasAppendTimes({ topics }: Evidence): boolean {
  return Object.values(topics).some((records) => records.some(({ at }) => at !== undefined));
}

/** For each partition of the topics that a projection reads: how much of it is unread at a time. */
function unreadBy(samples: readonly PositionSample[], topics: Evidence['topics']) {
  const moves = Map.groupBy(samples, ({ topic, partition }) => `${topic}/${partition}`);
  const read = [...new Set(samples.map(({ topic }) => topic))];
  return read.flatMap((topic) =>
    [...Map.groupBy(topics[topic] ?? [], ({ partition }) => partition)].map(
      ([partition, records]) =>
        unreadAt(moves.get(`${topic}/${partition}`) ?? [], countedFrom(topic, records)),
    ),
  );
}

function unreadAt(
  moves: readonly PositionSample[],
  records: readonly { offset: number; fromMs: number }[],
) {
  const times = moves.map(({ at }) => Date.parse(at));
  return (atMs: number): number => {
    const seen = times.findLastIndex((time) => time <= atMs);
    const next = moves[seen]?.next ?? 0;
    return records.filter(({ offset, fromMs }) => offset >= next && fromMs <= atMs).length;
  };
}

/** Older evidence has no times of records, but events have the one at which they were received. */
function countedFrom(topic: string, records: readonly LogRecord[]) {
  const isEvents = topic === topicTable.events.name;
  return records
    .map(({ offset, at, value }) => ({
      offset,
      fromMs: Date.parse(at ?? (isEvents ? receivedAt(value) : '')),
    }))
    .filter(({ fromMs }) => !Number.isNaN(fromMs));
}

function receivedAt(value: string | null): string {
  return /"receivedAt":"([^"]+)"/.exec(value ?? '')?.[1] ?? '';
}
