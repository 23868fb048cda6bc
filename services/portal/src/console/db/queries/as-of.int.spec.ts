import type { DecisionRecord } from '@tributary/contracts/decision-record';
import type { RewardRecord } from '@tributary/contracts/reward-record';
import { silentLogger } from '@tributary/event-log/testing';
import { migrate } from '@tributary/runtime/migrate';
import { createPool, inTransaction } from '@tributary/runtime/postgres';
import { createDatabase, type TestDatabase } from '@tributary/testkit/database';
import { testSeed } from '@tributary/testkit/test-seed';
import { expect } from 'chai';
import fc from 'fast-check';
import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import {
  actionOn,
  attemptOf,
  codeOf,
  decisionOn,
  expiryOf,
  issuanceOf,
  onLog,
  type OnLog,
  purchase,
  refund,
  resendOf,
  revisionOf,
  rewardFor,
  tenantId,
} from '../../../testing/scenario.ts';
import type { Explanation, Subject } from '../../domain/explain/story.ts';
import { applyBatch } from '../../log/apply-batch.ts';
import { readModelPlan } from '../../log/plan.ts';
import { asKnownAt } from './as-of.ts';
import { explain } from './explain.ts';
import { listPostings, monthsOf, statementOf } from './postings.ts';
import { decisionVersions, rewardVersions } from './versions.ts';

// What is told of an instant is what somebody who asked at that instant was told: the history
// arrives in any order, and a recorder writes down each answer as it goes.

const startMs = Date.parse('2026-03-01T00:00:00.000Z');
const stepMs = 7 * 3_600_000;

/** A record with what it is about: the log gives it a time when it is appended. */
type Told = OnLog;

describe('read model: what was known then', function () {
  this.timeout(240_000);
  let database: TestDatabase;
  let pools: pg.Pool[];

  before(async () => {
    database = await createDatabase();
    pools = [];
  });
  after(async () => {
    await Promise.all(pools.map((pool) => pool.end()));
    await database.drop();
  });

  async function freshModel(): Promise<pg.Pool> {
    const schema = `model_${randomUUID().slice(0, 8)}`;
    const settings = { url: database.url, schema, poolSize: 2 };
    await migrate({ settings, schema, sets: [readModelPlan.migrations], logger: silentLogger });
    const pool = createPool(settings, { applicationName: 'test', logger: silentLogger });
    pools.push(pool);
    return pool;
  }

  async function apply(pool: pg.Pool, records: readonly Told[], timestampMs: number) {
    const place = { partition: 0, offset: 0n, timestampMs };
    for (const [topic, own] of Map.groupBy(records, (record) => record.topic)) {
      const batch = own.map(({ key, decoded }) => ({
        ...{ ...place, source: topic, topic, key, value: decoded },
      }));
      await inTransaction(pool, (tx) => applyBatch(tx, batch));
    }
  }

  it('is what an independent recorder was told then, whatever came in whatever order', async () => {
    const runs = fc.asyncProperty(fc.infiniteStream(fc.nat(1_000_000)), async (numbers) => {
      const next = (below: number) => (numbers.next().value ?? 0) % below;
      const steps = randomHistory(next);
      const pool = await freshModel();
      const recorded: { at: string; answers: (Explanation | undefined)[] }[] = [];
      for (const [n, records] of steps.entries()) {
        await apply(pool, records, startMs + n * stepMs);
        const answers = await answersOf((subject) => explain(pool, tenantId, subject));
        recorded.push({ at: new Date(startMs + n * stepMs + 1).toISOString(), answers });
      }
      for (const { at, answers } of recorded) {
        const then = asKnownAt(pool, at);
        expect(await answersOf((subject) => explain(then, tenantId, subject))).to.deep.equal(
          answers,
        );
      }
      const before = asKnownAt(pool, new Date(startMs - 1).toISOString());
      expect(await answersOf((subject) => explain(before, tenantId, subject))).to.deep.equal(
        subjects.map(() => undefined),
      );
      await checkLedger(pool, steps);
    });
    await fc.assert(runs, { numRuns: 3, seed: testSeed, endOnFailure: true });
  });

  it('has every version once, the first one first, also where they come the wrong way round', async () => {
    const pool = await freshModel();
    const versions = Array.from({ length: 4 }, (_, n) =>
      decisionOn(purchase(1), { version: n + 1, flags: [`v${n + 1}`] }),
    );
    const rewards = Array.from({ length: 4 }, (_, n) =>
      rewardFor(versions[0]!, { version: n + 1, entitledCredits: String(n + 1) }),
    );
    const order = [[1], [3, 2], [0, 3]];
    for (const [n, numbers] of order.entries()) {
      const told = numbers.flatMap((i) => [
        onLog.decision(versions[i]!),
        onLog.reward(rewards[i]!),
      ]);
      await apply(pool, told, startMs + n * stepMs);
    }
    const decisions = await decisionVersions(pool, tenantId, purchase(1).eventId);
    expect(decisions.map(({ record }) => record)).to.deep.equal(versions);
    expect(decisions.map(({ recordedAt }) => Date.parse(recordedAt) - startMs)).to.deep.equal(
      [2, 0, 1, 1].map((n) => n * stepMs),
    );
    const known = await rewardVersions(pool, tenantId, rewards[0]!.rewardId);
    expect(known.map(({ record }) => record)).to.deep.equal(rewards);
    const { rows } = await pool.query(
      `select (select count(*)::int from decision) as decisions,
         (select count(*)::int from decision_version) as older`,
    );
    expect(rows).to.deep.equal([{ decisions: 1, older: 3 }]);
  });

  it('leaves postings as they were told, whatever version comes late', async () => {
    const pool = await freshModel();
    const decision = decisionOn(purchase(1));
    const versionAt = (version: number, at: number) =>
      apply(
        pool,
        [onLog.reward(rewardFor(decision, { version, entitledCredits: String(version * 10) }))],
        startMs + at * stepMs,
      );
    const told = async () => {
      const of = { reward: rewardFor(decision).rewardId };
      const page = { limit: 10, after: undefined, order: 'oldest' } as const;
      const { items } = await listPostings(pool, tenantId, of, page);
      return items.map(({ at, rewardVersion, entries }) => [
        Date.parse(at) - startMs,
        rewardVersion,
        entries.find(({ account }) => account === 'owed')?.credits,
      ]);
    };
    await versionAt(2, 0);
    await versionAt(4, 100);
    const before = await told();
    expect(before).to.deep.equal([
      [0, 2, '20'],
      [100 * stepMs, 4, '20'],
    ]);
    for (const [late, at] of [
      [3, 200],
      [1, 300],
    ] as const) {
      await versionAt(late, at);
      expect(await told(), `after version ${late}`).to.deep.equal(before);
    }
    await versionAt(5, 400);
    expect(await told()).to.deep.equal([...before, [400 * stepMs, 5, '10']]);
  });

  it('costs the usual event no row: only what is replaced has one', async () => {
    const pool = await freshModel();
    const decisions = Array.from({ length: 20 }, (_, n) => decisionOn(purchase(n)));
    await apply(pool, decisions.map(onLog.decision), startMs);
    await apply(
      pool,
      decisions.map((decision) => onLog.reward(rewardFor(decision))),
      startMs,
    );
    await apply(pool, decisions.map(onLog.decision), startMs + stepMs);
    const { rows } = await pool.query(
      `select (select count(*)::int from decision_version) as decisions,
         (select count(*)::int from reward_version) as rewards`,
    );
    expect(rows).to.deep.equal([{ decisions: 0, rewards: 0 }]);
  });

  it('keeps versions in columns of the same names, in the same order', async () => {
    const pool = await freshModel();
    const { rows } = await pool.query<{ table: string; columns: string[] }>(
      `select table_name::text as table,
         array_agg(column_name::text || ' ' || data_type order by ordinal_position) as columns
       from information_schema.columns where table_schema = current_schema() group by 1`,
    );
    const columnsOf = (table: string) => rows.find((row) => row.table === table)?.columns;
    expect(columnsOf('decision_version')).to.deep.equal(columnsOf('decision'));
    expect(columnsOf('reward_version')).to.deep.equal(columnsOf('reward'));
  });
});

const events = [
  purchase(1, { invoiceId: 'inv-1' }),
  purchase(2, { invoiceId: 'inv-2' }),
  { ...purchase(3, { invoiceId: 'inv-1', amount: 5_000 }), source: 'legacy' as const },
  refund(4, { invoiceId: 'inv-1', amount: 2_450 }),
];
const recipients = ['ada', 'bea'];

const subjects: Subject[] = [
  ...events.map(({ eventId }) => ({ kind: 'event', id: eventId }) as const),
  { kind: 'invoice', id: 'inv-1' },
  { kind: 'user', id: 'cara' },
  { kind: 'user', id: 'ada' },
  { kind: 'user', id: 'bea' },
];

/** What e-mails and names are today is asked of today. */
async function answersOf(ask: (subject: Subject) => Promise<Explanation | undefined>) {
  const answers: (Explanation | undefined)[] = [];
  for (const subject of subjects) answers.push(await ask(subject));
  return answers;
}

/** Steps of a history: each is appended at one time, and read in no order of its topics. */
function randomHistory(next: (below: number) => number): Told[][] {
  const pick = <T>(items: readonly T[]) => items[next(items.length)]!;
  const versions = new Map<string, number>();
  const versionOf = (id: string) => {
    // Sometimes one behind what was there, as by another partition.
    const version = (versions.get(id) ?? 0) + 1 + next(2);
    versions.set(id, version);
    return next(4) === 0 && version > 2 ? version - 1 : version;
  };
  const decisions: DecisionRecord[] = [];
  const rewards = new Map<string, RewardRecord[]>();
  const issued: ReturnType<typeof issuanceOf>[] = [];
  const actions = new Map<string, number>();

  const decide = (): Told[] => {
    const event = pick(events);
    const isRefund = event.eventType === 'purchase-refunded';
    const outcome = pick(['attributed', 'not-attributed', 'waiting'] as const);
    const decision = decisionOn(event, {
      version: versionOf(event.eventId),
      outcome,
      ...(outcome === 'not-attributed' && {
        reason: 'duplicate',
        duplicateOf: pick(events).eventId,
      }),
      ...(isRefund && next(2) === 0 && { refundOf: pick(events).eventId }),
      flags: [`f${next(1_000)}`],
    });
    decisions.push(decision);
    return [onLog.decision(decision)];
  };
  const earn = (): Told[] => {
    const decision = decisions.length === 0 ? decisionOn(events[0]!) : pick(decisions);
    const recipientId = pick(recipients);
    const base = rewardFor(decision, { recipientId });
    const reward = rewardFor(decision, {
      recipientId,
      version: versionOf(base.rewardId),
      campaignId: pick(['spring', 'spring', 'summer']),
      state: pick(['held', 'review', 'issued', 'withheld'] as const),
      entitledCredits: String(next(30)),
      issuedCredits: String(next(12)),
    });
    rewards.set(reward.rewardId, [...(rewards.get(reward.rewardId) ?? []), reward]);
    return [onLog.reward(reward)];
  };
  const grant = (): Told[] => {
    const all = [...rewards.values()].flat();
    if (all.length === 0) return earn();
    const n = issued.length;
    const issuance = issuanceOf(pick(all), n, { credits: String(1 + next(9)) });
    issued.push(issuance);
    return [onLog.issuance(issuance)];
  };
  const act = (): Told[] => {
    const all = [...rewards.values()].flat();
    if (all.length === 0) return earn();
    const reward = pick(all);
    const sequence = (actions.get(reward.rewardId) ?? 0) + 1;
    actions.set(reward.rewardId, sequence);
    return [onLog.issuance(actionOn(reward, sequence, pick(['released', 'withheld'] as const)))];
  };
  const deliver = (): Told[] => {
    if (issued.length === 0) return grant();
    const issuance = pick(issued);
    const attempt = versionOf(`attempt ${issuance.issuanceId}`) * 100 + next(100);
    const failed = { outcome: 'failed', result: 'timeout' } as const;
    return [
      onLog.delivery(
        pick([
          attemptOf(issuance, attempt, failed),
          attemptOf(issuance, attempt),
          expiryOf(issuance, next(3), 2),
          resendOf(issuance, next(3), 2),
        ]),
      ),
    ];
  };
  const setUp = (): Told[] => [
    pick([
      onLog.code(codeOf({ version: versionOf('code') })),
      onLog.code(codeOf({ ucc: 'bea-code', productUserId: 'bea', version: versionOf('bea') })),
      onLog.catalog(revisionOf()),
    ]),
  ];
  const report = (): Told[] => [onLog.event(pick(events))];

  // Facts come in front of what is decided about them, as on the log.
  const first = events.map(onLog.event);
  const kinds = [decide, decide, earn, earn, grant, act, deliver, setUp, report];
  const rest = Array.from({ length: 16 }, () =>
    Array.from({ length: 1 + next(4) }, () => pick(kinds)()).flat(),
  );
  return [first.slice(0, 2), first.slice(2), ...rest];
}

/**
 * The ledger counted anew from the records: promised is what the versions of rewards came to by the
 * end, granted what was issued.
 */
async function checkLedger(pool: pg.Pool, steps: readonly Told[][]): Promise<void> {
  const told = steps.flat().map(({ decoded }) => decoded as { rewardId?: string });
  for (const recipient of recipients) {
    const entitled = new Map<string, RewardRecord>();
    const issuances = new Map<string, string>();
    for (const one of told) {
      if (!('recipientId' in one) || one.recipientId !== recipient) continue;
      if ('entitledCredits' in one) {
        const reward = one as unknown as RewardRecord;
        const known = entitled.get(reward.rewardId);
        if (known === undefined || reward.version > known.version) {
          entitled.set(reward.rewardId, reward);
        }
      } else if ('issuanceId' in one) {
        const { issuanceId, credits } = one as unknown as { issuanceId: string; credits: string };
        issuances.set(issuanceId, credits);
      }
    }
    const sum = (credits: Iterable<string>) => [...credits].reduce((a, b) => a + Number(b), 0);
    const promised = sum([...entitled.values()].map((reward) => reward.entitledCredits));
    const granted = sum(issuances.values());
    const page = { limit: 200, after: undefined };
    const { items } = await listPostings(pool, tenantId, { recipient }, page);
    const accounts = { entitled: 0, owed: 0, issued: 0 };
    for (const posting of items) {
      let zero = 0;
      for (const { account, credits } of posting.entries) {
        zero += Number(credits);
        accounts[account] += Number(credits);
      }
      expect(zero, JSON.stringify(posting)).to.equal(0);
      expect(posting.entries).to.have.length.greaterThan(0);
    }
    expect(accounts).to.deep.equal({
      entitled: 0 - promised,
      owed: promised - granted,
      issued: granted,
    });
    expect(new Set(items.map(({ postingId }) => postingId)).size).to.equal(items.length);
    await checkStatements(pool, recipient, items.length);
  }
}

/** Months follow each other without a gap, page by page. */
async function checkStatements(pool: pg.Pool, recipientId: string, postings: number) {
  const months = await monthsOf(pool, tenantId, recipientId);
  expect(months.reduce((sum, month) => sum + month.postings, 0)).to.equal(postings);
  let opening = { entitled: '0', owed: '0', issued: '0' };
  for (const { month, closing, postings: count } of months) {
    const asked = { tenantId, recipientId, month };
    let after: { at: string; id: string } | undefined;
    let [seen, last] = [0, opening];
    do {
      const page = await statementOf(pool, asked, { limit: 3, after });
      expect(page.opening).to.deep.equal(opening);
      expect(page.closing).to.deep.equal(closing);
      for (const posting of page.items) {
        expect(posting.at.slice(0, 7)).to.equal(month);
        const moved = { ...last };
        for (const { account, credits } of posting.entries) {
          moved[account] = String(Number(moved[account]) + Number(credits));
        }
        expect(posting.balance).to.deep.equal(moved);
        [seen, last] = [seen + 1, posting.balance];
      }
      after = page.next;
    } while (after !== undefined);
    expect(seen).to.equal(count);
    expect(last).to.deep.equal(closing);
    opening = closing;
  }
}
