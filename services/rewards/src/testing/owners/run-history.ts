import { type RewardRecord, rewardCodec } from '@tributary/contracts/reward-record';
import { decisionKey, type DecisionRecord } from '@tributary/contracts/decision-record';
import { topicPartitions } from '@tributary/contracts/topics';
import { partitionOf } from '@tributary/event-log/partitioner';
import type { Slice } from '@tributary/event-log/slice-commits';
import { readOutbox, takeOutbox } from '@tributary/event-log/testing';
import { createLogger, type Logger } from '@tributary/runtime/logger';
import { isTransientPostgresError } from '@tributary/runtime/postgres';
import { createPreparedDatabase } from '@tributary/testkit/database';
import pg from 'pg';
import { type Parts, startParts } from '../parts.ts';
import { type History, someHistory } from './history.ts';
import { createLog, topicNames } from './log.ts';
import { createMember, type Member, type Upcoming } from './member.ts';
import { createRandom, type Random } from './random.ts';
import { createSchedule } from './schedule.ts';

const alone = { schema: 'rewards_alone', issuanceSchema: 'issuance_alone' };
const mostRebalances = 14;

/**
 * A random history, applied by three members between whom partitions move, under a schedule of
 * their statements; and by one member alone, in the canonical order. All of it is the seed's.
 */
export async function runHistory(seed: number) {
  const random = createRandom(seed);
  const history = someHistory(random);
  const database = await createPreparedDatabase('rewards with changing owners', async (url) => {
    await (await startParts({ url })).stop();
    await (await startParts({ url, ...alone })).stop();
  });
  const searchPath = 'rewards_g1,generations,issuance';
  const observer = new pg.Pool({
    connectionString: database.url,
    options: `-c search_path=${searchPath}`,
  });
  // A connection that is ending may be ended by the server, when the database is dropped.
  observer.on('error', () => undefined);
  const run = createRun({ random, history, observer });
  for (const name of ['A', 'B', 'C']) {
    const { clock, logger } = run;
    const parts = await startParts({ url: database.url, clock, logger });
    await run.add(name, parts);
  }
  const reference = await startParts({ url: database.url, ...alone });
  return {
    ...run,
    observer,
    reference,
    /** The same records and facts, by one who meets nobody. */
    async applyAlone(): Promise<void> {
      await reference.publish(...history.revisions);
      const decisions = history.decisions.toSorted(inCanonicalOrder);
      for (let i = 0; i < decisions.length; i += 10) {
        await reference.decide(...decisions.slice(i, i + 10));
      }
      await reference.receive(...run.log.facts());
    },
    async stop(): Promise<void> {
      await run.schedule.end();
      for (const { parts } of run.members) await parts.stop();
      await reference.stop();
      await observer.end();
      await database.drop();
    },
  };
}

export type HistoryRun = Awaited<ReturnType<typeof runHistory>>;

function createRun({ random, history, observer }: RunOptions) {
  const log = createLog();
  for (const revision of history.revisions) log.appendRevision(revision);
  for (const decision of history.decisions) log.appendDecision(decision);
  const schedule = createSchedule({ random, observer, onCommit: compareVersions });
  const members: Member[] = [];
  const failures: string[] = [];
  const counts = {
    ...{ fenced: 0, retried: 0, released: 0, acted: 0 },
    ...{ together: 0, rebalances: 0, untold: 0, returned: 0, overtaken: 0, releasedBetween: 0 },
  };
  /** Who holds a partition by right, and who has before. */
  const owners = new Map<number, { now: Member; before: Set<Member> }>();
  const changing = new Set<number>();
  const inUse = [...new Set(history.decisions.map(partitionOfDecision))];
  const working = new Set<string>();
  const applied = new Map<string, bigint>();
  const newest = new Map<string, number>();
  const stored = new Map<string, number>();
  const ledger = new Map<string, string>();
  let now = Date.parse('2026-02-26T00:00:00.000Z');

  function noteCommitted(member: string, slices: readonly Slice[]): void {
    for (const { held, from, to, read } of slices) {
      const place = `${held.topic}/${held.partition}`;
      const expected = applied.get(place) ?? 0n;
      if (from.next !== expected)
        failures.push(`${member} applied ${place} from ${from.next}, not ${expected}`);
      applied.set(place, to.next);
      schedule.trace.push(`${member}   has applied ${place} ${from.next} to ${to.next}`);
      if (held.topic !== 'attributions') continue;
      for (const { value } of read.records) noteVersion(value as DecisionRecord);
    }
  }

  function noteVersion({ decisionId, version }: DecisionRecord): void {
    const known = newest.get(decisionId) ?? 0;
    if (known > version && history.moved.has(decisionId)) counts.overtaken += 1;
    newest.set(decisionId, Math.max(known, version));
  }

  function isRead(): boolean {
    return (['attributions', 'catalog'] as const).every((topic) =>
      Array.from({ length: topicPartitions }, (_, partition) => partition).every(
        (partition) =>
          (applied.get(`${topic}/${partition}`) ?? 0n) ===
          BigInt(log.messages(topic, partition).length),
      ),
    );
  }

  /** Work that one member does one at a time. */
  function once(kind: string, work: () => Promise<void>): { done: Promise<void> } {
    working.add(kind);
    const done = work()
      .catch((error: unknown) => {
        if (isTransientPostgresError(error)) counts.retried += 1;
        else failures.push(`${kind}: ${(error as Error).stack}`);
      })
      .finally(() => working.delete(kind));
    return { done };
  }

  /** Two versions of one decision that two members can read next: begun together. */
  function versionsApart(): [Upcoming, Upcoming][] {
    const next = members.flatMap((member) => member.upcoming());
    return [...Map.groupBy(next, ({ decisionId }) => decisionId).values()].flatMap((some) =>
      some.flatMap((one): [Upcoming, Upcoming][] => {
        const other = some.find(
          ({ member, h, version }) =>
            member !== one.member && h.partition !== one.h.partition && version > one.version,
        );
        return other ? [[other, one]] : [];
      }),
    );
  }

  function readBoth(pair: readonly Upcoming[]): { done: Promise<void> } {
    counts.together += 1;
    const readers = pair.map(({ member, h, count }) =>
      members.find(({ name }) => name === member)!.readOne(h, count),
    );
    return once('reads two versions', () => Promise.all(readers).then(() => undefined));
  }

  function rebalance(): { done: Promise<void> } | undefined {
    const partition = random.pick(inUse);
    const { now: old, before } = owners.get(partition)!;
    const next = random.pick(members.filter((member) => member !== old));
    if (changing.has(partition)) return undefined;
    changing.add(partition);
    counts.rebalances += 1;
    if (before.has(next)) counts.returned += 1;
    if (random.happens(0.3)) old.lose(partition);
    else counts.untold += 1;
    schedule.trace.push(`${next.name}   takes ${partition} from ${old.name}`);
    return once(`claim ${partition}`, async () => {
      await next.claim(partition);
      owners.set(partition, { now: next, before: before.add(old) });
      changing.delete(partition);
    });
  }

  async function act(member: Member): Promise<{ done: Promise<void> } | undefined> {
    const { rows } = await observer.query<{ id: string }>(
      `select reward_id::text as id from entitlement where state in ('held', 'review', 'withheld')
       order by reward_id`,
    );
    if (rows.length === 0) return undefined;
    const type = random.pick(['released', 'withheld'] as const);
    return once(`${member.name} acts`, () => member.act(random.pick(rows).id, type));
  }

  async function release(member: Member, whom: 'ofOwn' | 'ofAnybody') {
    return once(`${member.name} releases`, async () => {
      const before = counts.released;
      await member.release(whom);
      if (!isRead()) counts.releasedBetween += counts.released - before;
    });
  }

  async function relay(): Promise<void> {
    for (const { key, value } of await takeOutbox(observer, 'issuance_outbox')) {
      log.append('issuances', key, value);
    }
  }

  /** An older version never replaces a newer one, not even until the next one comes. */
  async function compareVersions(): Promise<void> {
    const { rows } = await observer.query<{ id: string; version: number }>(
      'select decision_id as id, version from decision',
    );
    for (const { id, version } of rows) {
      const before = stored.get(id) ?? 0;
      if (version < before) failures.push(`decision ${id} went from ${before} to ${version}`);
      stored.set(id, version);
    }
  }

  /** What is in the ledger stays in it as it is, and at each moment it adds up. */
  async function compareLedger(): Promise<void> {
    const { rows } = await observer.query<{ id: string; row: string }>(
      'select posting_id::text as id, ledger_posting::text as row from ledger_posting',
    );
    const found = new Map(rows.map(({ id, row }) => [id, row]));
    for (const [id, row] of ledger) {
      if (found.get(id) !== row) failures.push(`posting ${id} was ${row}, is ${found.get(id)}`);
    }
    for (const [id, row] of found) ledger.set(id, row);
    await members[0]!.parts.checkBooks().catch((error: Error) => failures.push(error.message));
  }

  type Choice = readonly [number, () => Promise<{ done: Promise<void> } | undefined>];

  function choices(): Choice[] {
    const able = (kind: string) => members.filter(({ name }) => !working.has(`${name} ${kind}`));
    const reads = topicNames.flatMap((topic) => {
      const readers = members.filter((member) => member.unread(topic).length > 0);
      const weight = { attributions: 20, issuances: 3, catalog: 2 }[topic];
      const start = async () => once(`reads ${topic}`, () => random.pick(readers).read(topic));
      return readers.length > 0 ? [[weight, start] as const] : [];
    });
    const owned = <T>(weight: number, kind: string, start: (member: Member) => T) => {
      const some = able(kind);
      return some.length > 0 ? [[weight, () => start(random.pick(some))] as const] : [];
    };
    const pairs = versionsApart();
    return [
      ...reads,
      ...(pairs.length > 0 ? [[20, async () => readBoth(random.pick(pairs))] as const] : []),
      ...owned(2, 'releases', (member) => release(member, 'ofOwn')),
      ...owned(1, 'releases', (member) => release(member, 'ofAnybody')),
      ...owned(1, 'acts', act),
      ...owned(1, 'sweeps', async (member) =>
        once(`${member.name} sweeps`, () => member.parts.sweep()),
      ),
      ...(counts.rebalances < mostRebalances ? [[2, async () => rebalance()] as const] : []),
      [2, () => relay().then(() => undefined)],
      [1, () => compareLedger().then(() => undefined)],
      [1, async () => void (now += 86_400_000 * (1 + random.below(3)))],
    ];
  }

  return {
    ...{ log, history, schedule, members, failures, counts, applied, compareLedger },
    clock: { now: () => new Date(now) },
    logger: recordingLogger(failures, () => (counts.retried += 1)),

    async add(name: string, parts: Parts): Promise<void> {
      await schedule.attach(name, parts.pool);
      const member = createMember({ name, parts, log, random, counts, onCommitted: noteCommitted });
      members.push(member);
    },

    async applyTogether(): Promise<void> {
      const unclaimed = Array.from({ length: topicPartitions }, (_, partition) => partition);
      await schedule.run(async () => {
        const partition = unclaimed.shift();
        if (partition === undefined) return undefined;
        const member = members[partition % members.length]!;
        owners.set(partition, { now: member, before: new Set() });
        return once(`claim ${partition}`, () => member.claim(partition));
      });
      while (!isRead() && failures.length === 0) {
        await schedule.run(async () => {
          return isRead() || failures.length > 0 ? undefined : random.weighed(choices())();
        });
      }
    },

    /** Everything is read, also by those who hold nothing any more; every hold has ended. */
    async finish(): Promise<void> {
      await schedule.end();
      now = Date.parse('2027-01-01T00:00:00.000Z');
      for (let left = 1; left > 0;) {
        for (const { read, unread, parts } of members) {
          for (const topic of topicNames) while (unread(topic).length > 0) await read(topic);
          await parts.sweep();
        }
        left = await members[0]!.parts.releaseAll();
        await relay();
        left += members.flatMap(({ unread }) => unread('issuances')).length;
      }
      await compareLedger();
    },

    async published(): Promise<RewardRecord[]> {
      return (await readOutbox(observer)).map(({ value }) => {
        const decoded = rewardCodec.decode(Buffer.from(value!));
        if (decoded.outcome !== 'record') throw new Error('not a reward');
        return decoded.value;
      });
    },
  };
}

type RunOptions = { random: Random; history: History; observer: pg.Pool };

/** What services report as going wrong, a fold or a release that threw for instance. */
function recordingLogger(failures: string[], onRetry: () => void): Logger {
  const silent = createLogger({ service: 'test', level: 'silent' });
  const note: Logger['error'] = (message, fields) => {
    const error = (fields as { error?: unknown } | undefined)?.error;
    if (isTransientPostgresError(error)) onRetry();
    else failures.push(`${message} ${(error as Error | undefined)?.stack ?? ''}`);
  };
  return { ...silent, warn: note, error: note };
}

function partitionOfDecision(decision: DecisionRecord): number {
  return partitionOf('attributions', decisionKey(decision), topicPartitions);
}

function inCanonicalOrder(a: DecisionRecord, b: DecisionRecord): number {
  const [one, other] = [a, b].map((d) =>
    [d.occurredAtSeconds, d.eventId, String(d.version)].join(),
  );
  return one! < other! ? -1 : 1;
}
