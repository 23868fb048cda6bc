import type { DecisionRecord } from '@tributary/contracts/decision-record';
import { type Held, provePosition } from '@tributary/event-log/held-partition';
import { Fenced } from '@tributary/event-log/partition-stops';
import { claimPositions, type Position } from '@tributary/event-log/position';
import { readSlice } from '@tributary/event-log/read-slice';
import { createSliceCommits, type Slice } from '@tributary/event-log/slice-commits';
import { topicSources } from '@tributary/event-log/topic-sources';
import { inTransaction, isTransientPostgresError } from '@tributary/runtime/postgres';
import { createReleaseInTurn } from '../../workers/release-in-turn.ts';
import type { Parts } from '../parts.ts';
import { type MemoryLog, type TopicName, topicNames } from './log.ts';
import type { Random } from './random.ts';

export const projection = 'rewards';

export type Upcoming = {
  member: string;
  h: Held;
  count: number;
  decisionId: string;
  version: number;
};

/** What happened to members, over a whole run. */
export type Counts = { fenced: number; retried: number; released: number; acted: number };

/**
 * One process of rewards: what it holds, reads, commits and releases, without the brokers and the
 * timers that tell it when. It believes that it holds a partition until it is told otherwise, or is
 * fenced.
 */
export function createMember(options: {
  name: string;
  parts: Parts;
  log: MemoryLog;
  random: Random;
  counts: Counts;
  onCommitted: (member: string, slices: readonly Slice[]) => void;
}) {
  const { name, parts, log, random, counts, onCommitted } = options;
  const held = new Map<string, Held>();
  const busy = new Set<string>();
  const sources = new Map(
    topicSources(topicNames, (topic) => topic).map((source) => [source.name, source]),
  );
  const commits = createSliceCommits({
    pool: parts.pool,
    projection,
    apply: parts.applyBatch,
    maxRecords: 12,
    onCommitted: (slices) => onCommitted(name, slices),
  });
  const releaseOf = (anybodyEveryMs: number) =>
    createReleaseInTurn({
      release: parts.releaseOnce,
      betweenBatches: async (work) => {
        const partitions = [...held.values()].filter(({ topic }) => topic === 'attributions');
        if (partitions.length === 0) return undefined;
        return commits.between(
          partitions.map(({ partition }) => partition),
          work,
        );
      },
      anybodyEveryMs,
    });
  const releases = { ofOwn: releaseOf(Infinity), ofAnybody: releaseOf(0) };

  function unread(topic: TopicName): Held[] {
    return [...held.values()].filter(
      (h) =>
        h.topic === topic &&
        !busy.has(`${topic}/${h.partition}`) &&
        h.position.next < BigInt(log.messages(topic, h.partition).length),
    );
  }

  /** When the record that comes next was appended. */
  function nextOf({ topic, partition, position }: Held): number {
    return Number(log.messages(topic as TopicName, partition)[Number(position.next)]?.timestamp);
  }

  async function readOne(h: Held, count: number): Promise<void> {
    const place = `${h.topic}/${h.partition}`;
    const from = Number(h.position.next);
    const messages = log.messages(h.topic as TopicName, h.partition).slice(from, from + count);
    const fetchedFrom = h.position.next;
    const read = readSlice(messages, { ...h, fetchedFrom, group: name, deadLetterTopic: '' });
    if (read.count !== messages.length) throw new Error(`${place}: ${JSON.stringify(read)}`);
    const { to } = read;
    busy.add(place);
    try {
      await commits.commit({ held: h, from: h.position, to, read });
      h.position = { ...h.position, ...to };
    } catch (error) {
      if (error instanceof Fenced) {
        counts.fenced += 1;
        if (held.get(place) === h) held.delete(place);
      } else retryLater(error);
    } finally {
      busy.delete(place);
    }
  }

  /** As the projection does: the batch is read again, whatever was in the way. */
  function retryLater(error: unknown): void {
    if (!isTransientPostgresError(error)) throw error;
    counts.retried += 1;
  }

  function take(topic: TopicName, partition: number, position: Position): void {
    const place = `${topic}/${partition}`;
    const h: Held = {
      source: sources.get(topic)!,
      ...{ topic, partition, position, end: position.next, verified: true },
      ...{ state: 'running', limit: 8, failures: 0 },
    };
    const proof = provePosition(h, log.messages(topic, partition)[Number(position.next) - 1]);
    if (position.next > 0n && proof.outcome !== 'seen-again') throw new Error(place);
    held.set(place, h);
  }

  return {
    name,
    parts,
    unread,
    holds: (partition: number) => held.has(`attributions/${partition}`),

    /**
     * Cuts a batch of some partitions of a topic, as a fetch might bring it: often of those that
     * are furthest behind, so that versions of one decision are under way together, and often of
     * any, so that the newer one is read first.
     */
    async read(topic: TopicName): Promise<void> {
      const behind = unread(topic).sort((a, b) => nextOf(a) - nextOf(b));
      const some = random.happens(0.6) ? behind : behind.filter(() => random.happens(0.5));
      const slices = some.length > 0 ? some.slice(0, 1 + random.below(3)) : behind.slice(-1);
      await Promise.all(slices.map((h) => readOne(h, 1 + random.below(4))));
    },

    readOne,

    /** The decisions that come next, and how many records to read for each. */
    upcoming(): Upcoming[] {
      return unread('attributions').flatMap((h) => {
        const from = Number(h.position.next);
        const next = log.messages('attributions', h.partition).slice(from, from + 4);
        return next.map(({ value }, i) => {
          const { decisionId, version } = JSON.parse(value!.toString()) as DecisionRecord;
          return { member: name, h, count: i + 1, decisionId, version };
        });
      });
    },

    async claim(partition: number): Promise<void> {
      const claimed = topicNames.map((topic) => ({ topic, partition }));
      for (;;) {
        try {
          const positions = await inTransaction(parts.pool, (tx) =>
            claimPositions(tx, projection, claimed),
          );
          for (const topic of topicNames)
            take(topic, partition, positions.get(`${topic}/${partition}`)!);
          return;
        } catch (error) {
          retryLater(error);
        }
      }
    },

    /** It is told that somebody else has the partition now. */
    lose(partition: number): void {
      for (const topic of topicNames) held.delete(`${topic}/${partition}`);
    },

    async release(whom: keyof typeof releases): Promise<void> {
      const result = await releases[whom]();
      if (result.outcome === 'released') counts.released += result.issuances;
    },

    async act(rewardId: string, type: 'released' | 'withheld'): Promise<void> {
      try {
        const result = await parts.operator.one('t1', rewardId, { type, by: name });
        if (result.outcome === 'acted') counts.acted += 1;
      } catch (error) {
        retryLater(error);
      }
    },
  };
}

export type Member = ReturnType<typeof createMember>;
