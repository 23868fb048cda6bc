import { topicPartitions } from '@tributary/contracts/topics';
import { partitionOf } from '@tributary/event-log/partitioner';
import { readOutbox } from '@tributary/event-log/testing';
import { createDatabase, type TestDatabase } from '@tributary/testkit/database';
import { expect } from 'chai';
import { planRelease } from '@tributary/rewards-fold/plan-release';
import type { Reversal } from '@tributary/contracts/decision-record';
import { purchaseDecision, revisionOf } from '@tributary/rewards-fold/testing/records';
import { entitle } from '../testing/entitle.ts';
import { type Parts, startParts } from '../testing/parts.ts';
import { rewardIdOf } from '@tributary/rewards-fold/testing/settlement-book';

const noon = '2026-03-08T12:00:00.000Z';
const withHold = revisionOf({
  campaignId: 'holds',
  rules: revisionOf().rules.map((rule) => ({ ...rule, holdDays: 2 })),
});

describe('settlement on Postgres', () => {
  let database: TestDatabase;
  let parts: Parts;
  let other: Parts;
  let now = new Date(noon);
  const clock = { now: () => now };
  const poisoned = new Set<string>();

  before(async () => {
    database = await createDatabase();
    const plan: typeof planRelease = (input) => {
      if (poisoned.has(input.recipient.recipientId)) throw new Error('poison');
      return planRelease(input);
    };
    parts = await startParts({ url: database.url, clock, plan });
    other = await startParts({ url: database.url, clock });
  });

  beforeEach(() => (now = new Date(noon)));
  afterEach(() => parts.checkBooks());

  after(async () => {
    await parts.stop();
    await other.stop();
    await database.drop();
  });

  const days = (count: number) => new Date(Date.parse(noon) + count * 86_400_000).toISOString();
  const reviews = ['referral-loop'] as const;
  const note = { by: 'ops@example.com', note: 'looked at it' };
  const released = { ...note, type: 'released' } as const;

  async function dueAt(recipientId: string): Promise<unknown> {
    const { rows } = await parts.pool.query<{ due_at: unknown }>(
      'select due_at::text from recipient where recipient_id = $1',
      [recipientId],
    );
    return rows[0]?.due_at;
  }

  async function issuedTo(recipientId: string): Promise<string[]> {
    const facts = await parts.issuances();
    return facts.filter((fact) => fact.recipientId === recipientId).map((fact) => fact.credits);
  }

  async function recordsOf(n: number, table: string): Promise<Record<string, unknown>[]> {
    const entries = await readOutbox(parts.pool, table);
    const records = entries.map(({ value }) => JSON.parse(value!) as Record<string, unknown>);
    return records.filter(({ rewardId }) => rewardId === rewardIdOf(n));
  }

  /** The last published form of a reward. */
  async function published(n: number): Promise<Record<string, unknown>> {
    return (await recordsOf(n, 'outbox')).at(-1) ?? {};
  }

  it('issues at the end of a hold, by the time of the release alone', async () => {
    await entitle(parts, 'holds', { n: 1, credits: '10', maturesAt: days(1) });
    await entitle(parts, 'holds', { n: 2, credits: '5', maturesAt: days(3) });
    now = new Date(Date.parse(days(1)) - 1);
    expect(await parts.releaseAll()).to.equal(0);
    expect(await published(1)).to.include({ state: 'held', maturesAt: days(1) });
    now = new Date(days(1));
    expect(await parts.releaseAll()).to.equal(1);
    expect(await parts.rewards('holds')).to.deep.equal(['10 issued 10', '5 held 0']);
    expect(await published(1)).to.include({ state: 'issued', issuedCredits: '10', version: 2 });
    now = new Date(days(3));
    expect(await parts.releaseAll()).to.equal(1);
    expect(await dueAt('holds')).to.equal(null);
  });

  it('wakes for a hold whose reward is gone, finds nothing and waits for the next one', async () => {
    await entitle(parts, 'stale', { n: 11, credits: '10', maturesAt: days(1) });
    await entitle(parts, 'stale', { n: 12, credits: '10', maturesAt: days(9) });
    await entitle(parts, 'stale', { n: 11, credits: '0' });
    now = new Date(days(2));
    expect(await parts.releaseAll()).to.equal(0);
    expect(await dueAt('stale')).to.match(/^2026-03-17/);
  });

  it('pays a refund back out of what matures later', async () => {
    await entitle(parts, 'refund', { n: 21, credits: '10' });
    await parts.releaseAll();
    await entitle(parts, 'refund', { n: 21, credits: '4' });
    await entitle(parts, 'refund', { n: 22, credits: '10', maturesAt: days(1) });
    await parts.releaseAll();
    expect(await parts.rewards('refund')).to.deep.equal(['4 issued 10', '10 held 0']);
    now = new Date(days(1));
    await parts.releaseAll();
    expect(await issuedTo('refund')).to.deep.equal(['10', '4']);
  });

  it('issues what a refund before the issue left', async () => {
    await entitle(parts, 'early', { n: 31, credits: '10', maturesAt: days(1) });
    await entitle(parts, 'early', { n: 31, credits: '2.5', maturesAt: days(1) });
    now = new Date(days(1));
    await parts.releaseAll();
    expect(await issuedTo('early')).to.deep.equal(['2.5']);
  });

  it('pays growth after the issue as a correction, once, whatever the number of workers', async () => {
    await entitle(parts, 'grows', { n: 41, credits: '10' });
    await parts.releaseAll();
    await entitle(parts, 'grows', { n: 41, credits: '12.5' });
    await Promise.all([parts, other, parts, other].map((worker) => worker.releaseAll()));
    expect(await issuedTo('grows')).to.have.members(['10', '2.5']);
  });

  it('keeps what is in review until an operator releases it, and says so on both topics', async () => {
    await entitle(parts, 'loop', { n: 51, credits: '10', reviews, maturesAt: days(5) });
    expect(await parts.releaseAll()).to.equal(0);
    expect(await published(51)).to.include({ state: 'review' });
    const first = await parts.operator.one('t1', rewardIdOf(51), released);
    expect(first).to.have.nested.property('fact.type', 'released');
    expect(await parts.rewards('loop')).to.deep.equal(['10 held 0']);
    expect(await parts.releaseAll()).to.equal(1);
    now = new Date(days(1));
    const again = { by: 'somebody else', type: 'released' } as const;
    expect(await other.operator.one('t1', rewardIdOf(51), again)).to.deep.equal(first);
    const types = (await recordsOf(51, 'issuance_outbox')).map(({ type }) => type);
    expect(types).to.deep.equal(['released', 'issued']);
  });

  it('withholds and releases again; each action is a fact with a number', async () => {
    await entitle(parts, 'withheld', { n: 61, credits: '10', maturesAt: days(1) });
    await parts.operator.one('t1', rewardIdOf(61), { ...note, type: 'withheld' });
    now = new Date(days(2));
    expect(await parts.releaseAll()).to.equal(0);
    expect(await parts.rewards('withheld')).to.deep.equal(['10 withheld 0']);
    await parts.operator.one('t1', rewardIdOf(61), released);
    expect(await parts.releaseAll()).to.equal(1);
    const words = (await parts.actions()).filter(({ rewardId }) => rewardId === rewardIdOf(61));
    expect(words.map(({ type, sequence }) => `${sequence} ${type}`)).to.deep.equal([
      '1 withheld',
      '2 released',
    ]);
    const refused = await parts.operator.one('t1', rewardIdOf(61), { ...note, type: 'withheld' });
    expect(refused).to.deep.equal({
      outcome: 'conflict',
      detail: 'This reward was issued in full already.',
    });
  });

  it('knows no reward of another tenant and none that no decision has caused', async () => {
    const asked = released;
    await entitle(parts, 'own', { n: 71, credits: '10', reviews });
    expect(await parts.operator.one('t2', rewardIdOf(71), asked)).to.deep.equal({
      outcome: 'unknown',
    });
    expect(await parts.operator.one('t1', rewardIdOf(72), asked)).to.deep.equal({
      outcome: 'unknown',
    });
  });

  it('lets one of two operators at once act, and answers both with that action', async () => {
    await entitle(parts, 'both', { n: 81, credits: '10', reviews });
    const answers = await Promise.all(
      [parts, other, parts, other].map((process, i) =>
        process.operator.one('t1', rewardIdOf(81), { by: `op${i}`, type: 'released' }),
      ),
    );
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).to.equal(1);
    await parts.releaseAll();
    expect(await issuedTo('both')).to.deep.equal(['10']);
  });

  it('releases many in review by campaign, rule, recipient and time, and says how many', async () => {
    const many = Array.from({ length: 6 }, (_, i) => ({
      n: 100 + i,
      credits: '1',
      reviews,
      campaignId: i < 4 ? 'bulk' : 'bulk-2',
    }));
    await entitle(parts, 'many', ...many);
    await entitle(parts, 'many-2', { n: 110, credits: '1', reviews, campaignId: 'bulk' });
    const release = (filter: object) =>
      parts.operator.many({ tenantId: 't1', state: 'review', ...filter }, released, undefined);
    const none = { outcome: 'acted', count: 0, more: false };
    expect(await release({ campaignId: 'bulk', ruleId: 'no-rule' })).to.deep.equal(none);
    expect(await release({ campaignId: 'bulk', before: '2026-03-01T10:00:01.000Z' })).to.deep.equal(
      none,
    );
    expect(await release({ tenantId: 't2', campaignId: 'bulk' })).to.deep.equal(none);
    expect(await release({ campaignId: 'bulk', recipientId: 'many' })).to.deep.equal({
      ...none,
      count: 4,
    });
    expect(await release({ campaignId: 'bulk', before: '2026-03-01T10:00:01.001Z' })).to.deep.equal(
      { ...none, count: 1 },
    );
    expect(await parts.releaseAll()).to.equal(5);
    expect(await issuedTo('many')).to.have.length(4);
  });

  it('acts on what was counted, never on more, and only once', async () => {
    const some = [1, 2, 3].map((i) => ({ n: 600 + i, credits: String(i), reviews }));
    await entitle(parts, 'seen', ...some);
    const filter = { tenantId: 't1', state: 'review', recipientId: 'seen' } as const;
    const counted = await parts.operator.count(filter);
    expect(counted).to.deep.include({ outcome: 'counted', count: 3, credits: '6', more: false });
    if (counted.outcome !== 'counted') throw new Error('it was counted');
    const { asOf } = counted;
    for (const fewer of [
      { count: 2, credits: '6', asOf },
      { count: 3, credits: '5.9', asOf },
    ]) {
      const refused = await parts.operator.many(filter, released, fewer);
      expect(refused.outcome).to.equal('conflict');
    }
    const seen = { count: 3, credits: '6', asOf };
    const done = { outcome: 'acted', count: 3, more: false };
    expect(
      await parts.operator.many(filter, { ...released, type: 'withheld' }, seen),
    ).to.deep.equal(done);
    expect(await parts.operator.many(filter, released, seen)).to.deep.equal({ ...done, count: 0 });
    const withheld = { ...filter, state: 'withheld' } as const;
    expect(await parts.operator.count(withheld)).to.deep.include({ count: 3, credits: '6' });
    const before = { ...seen, asOf: '2020-01-01T00:00:00.000Z' };
    expect(await parts.operator.many(withheld, released, before)).to.deep.equal({
      ...done,
      count: 0,
    });
    expect(await parts.operator.many(withheld, released, seen)).to.deep.equal(done);
    expect(await parts.releaseAll()).to.equal(3);
    expect(await issuedTo('seen')).to.have.members(['1', '2', '3']);
  });

  it('withholds in bulk what is held', async () => {
    await entitle(parts, 'holding', {
      n: 610,
      credits: '7',
      maturesAt: '2999-01-01T00:00:00.000Z',
    });
    const filter = { tenantId: 't1', state: 'held', recipientId: 'holding' } as const;
    const {
      outcome: _,
      more: _m,
      ...seen
    } = (await parts.operator.count(filter)) as never as {
      outcome: string;
      more: boolean;
      count: number;
      credits: string;
      asOf: string;
    };
    expect(seen).to.include({ count: 1, credits: '7' });
    const withhold = { ...note, type: 'withheld' } as const;
    expect(await parts.operator.many(filter, withhold, seen)).to.include({ count: 1 });
    expect(await parts.rewards('holding')).to.deep.equal(['7 withheld 0']);
  });

  it('stops at its bound in bulk and says that there is more', async () => {
    const many = Array.from({ length: 501 }, (_, i) => ({ n: 1_000 + i, credits: '1', reviews }));
    await entitle(parts, 'crowd', ...many);
    const release = () =>
      parts.operator.many(
        { tenantId: 't1', state: 'review', recipientId: 'crowd' },
        released,
        undefined,
      );
    expect(await release()).to.deep.equal({ outcome: 'acted', count: 500, more: true });
    expect(await release()).to.deep.equal({ outcome: 'acted', count: 1, more: false });
    expect(await parts.releaseAll()).to.equal(501);
  });

  it('honours actions from the log in a rebuilt schema, read before the reward or after it', async () => {
    await entitle(parts, 'again', { n: 91, credits: '10' }, { n: 92, credits: '10', reviews });
    await parts.operator.one('t1', rewardIdOf(91), { ...note, type: 'withheld' });
    await parts.operator.one('t1', rewardIdOf(92), released);
    await parts.releaseAll();
    const ids = new Set([rewardIdOf(91), rewardIdOf(92)]);
    const facts = [...(await parts.actions()), ...(await parts.issuances())].filter((fact) =>
      ids.has(fact.rewardId),
    );
    expect(facts).to.have.length(3);
    for (const order of ['before', 'after']) {
      const rebuilt = await startParts({
        url: database.url,
        schema: `rewards_${order}`,
        issuanceSchema: `issuance_${order}`,
        clock,
      });
      if (order === 'before') await rebuilt.receive(...facts);
      await entitle(rebuilt, 'again', { n: 91, credits: '10' }, { n: 92, credits: '10', reviews });
      if (order === 'after') await rebuilt.receive(...facts);
      await rebuilt.receive(...facts);
      expect(await rebuilt.rewards('again')).to.deep.equal(['10 withheld 0', '10 issued 10']);
      expect(await rebuilt.releaseAll()).to.equal(0);
      expect(await rebuilt.actions()).to.have.length(2);
      await rebuilt.checkBooks();
      // What is said now is numbered after what was said before.
      await rebuilt.operator.one('t1', rewardIdOf(91), released);
      expect((await rebuilt.actions()).map(({ sequence }) => sequence).sort()).to.deep.equal([
        1, 1, 2,
      ]);
      await rebuilt.stop();
    }
  });

  it('takes no action before the log has been read, and writes none', async () => {
    await entitle(parts, 'early-word', { n: 94, credits: '10', reviews });
    const reading = await startParts({ url: database.url, clock, mayAct: () => false });
    const one = await reading.operator.one('t1', rewardIdOf(94), released);
    const inReview = { tenantId: 't1', state: 'review' } as const;
    const many = await reading.operator.many(inReview, released, undefined);
    expect([one.outcome, many.outcome]).to.deep.equal(['not-now', 'not-now']);
    expect(await parts.rewards('early-word')).to.deep.equal(['10 review 0']);
    await reading.stop();
  });

  it('grants nothing and hears nobody on a database that went back in time under it', async () => {
    let isIntact = true;
    const fenced = await startParts({
      ...{ url: database.url, clock },
      isIntact: () => Promise.resolve(isIntact),
    });
    try {
      await entitle(parts, 'restored', { n: 950, credits: '10' });
      isIntact = false;
      expect(await fenced.releaseOnce()).to.deep.equal({ outcome: 'not-live' });
      const actionType = await fenced.operator.one('t1', rewardIdOf(950), {
        ...note,
        type: 'withheld',
      });
      expect(actionType.outcome).to.equal('not-now');
      expect(await issuedTo('restored')).to.deep.equal([]);
      isIntact = true;
      expect(await fenced.releaseOnce()).to.include({ outcome: 'released', issuances: 1 });
    } finally {
      await fenced.stop();
    }
  });

  it('does not withhold what was issued before this schema was lost, read again or not', async () => {
    await entitle(parts, 'lost', { n: 93, credits: '10' });
    await parts.releaseAll();
    const lost = await startParts({ url: database.url, schema: 'rewards_lost', clock });
    await entitle(lost, 'lost', { n: 93, credits: '10' });
    const withhold = { ...note, type: 'withheld' } as const;
    expect(await lost.operator.one('t1', rewardIdOf(93), withhold)).to.deep.equal({
      outcome: 'conflict',
      detail: 'This reward was issued in full already.',
    });
    expect(await lost.rewards('lost')).to.deep.equal(['10 issued 10']);
    await lost.stop();
  });

  it('does not release what was withheld in another generation and is not read here yet', async () => {
    const swapped = await startParts({
      url: database.url,
      schema: 'rewards_g2',
      generation: 2,
      clock,
    });
    for (const generation of [parts, swapped]) {
      await entitle(generation, 'swap', { n: 95, credits: '10', maturesAt: days(1) });
    }
    const withhold = { ...note, type: 'withheld' } as const;
    expect(await swapped.operator.one('t1', rewardIdOf(95), withhold)).to.have.property(
      'outcome',
      'not-now',
    );
    await parts.operator.one('t1', rewardIdOf(95), withhold);
    await parts.pool.query('update live_generation set generation = 2');
    now = new Date(days(2));
    expect(await swapped.releaseAll()).to.equal(0);
    expect(await swapped.rewards('swap')).to.deep.equal(['10 withheld 0']);
    await parts.pool.query('update live_generation set generation = 1');
    await swapped.stop();
  });

  it('moves a decision from A to B during its hold: nothing is left at A, and B waits as long', async () => {
    await parts.publish(withHold);
    const decision = purchaseDecision(96, { campaignId: 'holds', receivedAt: noon });
    await parts.decide({ ...decision, referrerId: 'from' });
    await parts.decide({ ...decision, version: 2, referrerId: 'to' });
    expect(await parts.releaseAll()).to.equal(0);
    now = new Date(days(2));
    expect(await other.releaseAll()).to.equal(1);
    expect(await parts.rewards('from')).to.deep.equal(['0 reversed 0']);
    expect(await parts.rewards('to')).to.deep.equal(['10 issued 10']);
  });

  it('gives what refunds of a decision leave, before the issue and after it', async () => {
    await parts.publish(withHold);
    const decision = purchaseDecision(98, {
      campaignId: 'holds',
      receivedAt: noon,
      referrerId: 'part',
    });
    const reversal = (n: number, reversedAmount: number): Reversal => ({
      eventId: purchaseDecision(n).eventId,
      occurredAt: '2026-03-09T10:00:00Z',
      occurredAtSeconds: String(1_773_050_400 + n),
      receivedAt: days(1),
      reversedAmount,
      full: reversedAmount === 4900,
    });
    await parts.decide(decision);
    await parts.decide({ ...decision, version: 2, reversals: [reversal(1, 980)] });
    expect(await parts.rewards('part')).to.deep.equal(['8 held 0']);
    now = new Date(days(2));
    await parts.releaseAll();
    const both = [reversal(1, 980), reversal(2, 4900)];
    await parts.decide({ ...decision, version: 3, reversals: both });
    expect(await parts.rewards('part')).to.deep.equal(['0 reversed 8']);
    await parts.decide(
      purchaseDecision(99, { campaignId: 'holds', receivedAt: noon, referrerId: 'part' }),
    );
    await parts.releaseAll();
    expect(await issuedTo('part')).to.deep.equal(['8', '2']);
  });

  it('keeps a release that throws to its recipient, and postpones it longer each time', async () => {
    await entitle(parts, 'ill', { n: 201, credits: '10' });
    await entitle(parts, 'well', { n: 202, credits: '10' });
    await entitle(parts, 'well-2', { n: 203, credits: '10' });
    poisoned.add('ill');
    expect(await parts.releaseAll()).to.equal(2);
    const ofIll = async (since: Date) => {
      const { rows } = await parts.pool.query<{
        failures: number;
        after: string | null;
        left: string | null;
      }>(
        `select release_failures as failures,
           extract(epoch from release_retry_at - $1::timestamptz) as after,
           extract(epoch from release_retry_at - clock_timestamp()) as left
         from recipient where recipient_id = 'ill'`,
        [since],
      );
      return rows[0]!;
    };
    const now = async () =>
      (await parts.pool.query<{ now: Date }>('select clock_timestamp() as now')).rows[0]!.now;
    // It is due again after a second, which a slow machine may have taken for the others.
    const { failures } = await ofIll(await now());
    expect(failures).to.be.at.least(1);
    const retryAfter = (interval: string) =>
      parts.pool.query(
        `update recipient set release_retry_at = now() + $1::interval where recipient_id = 'ill'`,
        [interval],
      );
    await retryAfter('1 hour');
    await entitle(parts, 'well', { n: 204, credits: '10' });
    expect(await parts.releaseAll()).to.equal(1);
    expect(await ofIll(await now())).to.include({ failures });

    for (const [already, seconds] of [
      [5, 32],
      [6, 64],
    ] as const) {
      await retryAfter('0 seconds');
      await parts.pool.query(
        `update recipient set release_failures = $1 where recipient_id = 'ill'`,
        [already],
      );
      const since = await now();
      expect(await parts.releaseAll()).to.equal(0);
      const postponed = await ofIll(since);
      expect(postponed.failures).to.equal(already + 1);
      expect(Number(postponed.after)).to.be.at.least(seconds);
      expect(Number(postponed.left)).to.be.at.most(seconds);
    }

    poisoned.delete('ill');
    await retryAfter('0 seconds');
    expect(await parts.releaseAll()).to.equal(1);
    expect(await ofIll(await now())).to.deep.equal({ failures: 0, after: null, left: null });
  });

  it('releases nothing of a recipient who is undecided, until that is over', async () => {
    await entitle(parts, 'frozen', { n: 221, credits: '10' });
    const decided = (reason: string | null) =>
      parts.pool.query(`update recipient set undecided_reason = $1 where recipient_id = 'frozen'`, [
        reason,
      ]);
    await decided('internal');
    expect(await parts.releaseAll()).to.equal(0);
    await decided(null);
    expect(await parts.releaseAll()).to.equal(1);
  });

  it('isolates a recipient that the database refuses, too', async () => {
    await entitle(parts, 'full', { n: 211, credits: '10' });
    await entitle(parts, 'fine', { n: 212, credits: '10' });
    await parts.pool.query(
      `alter table issuance add constraint refused check (recipient_id <> 'full') not valid`,
    );
    expect(await parts.releaseAll()).to.equal(1);
    expect(await parts.rewards('fine')).to.deep.equal(['10 issued 10']);
    expect(await parts.rewards('full')).to.deep.equal(['10 held 0']);
    await parts.pool.query('alter table issuance drop constraint refused');
    await parts.pool.query(`update recipient set release_retry_at = null`);
    expect(await parts.releaseAll()).to.equal(1);
  });

  it('takes on no more in one release than a statement can hold, and lets nobody wait for the busy', async () => {
    const busy = 100;
    const each = 25;
    const add = async (prefix: string, recipients: number, rewards: number) => {
      await parts.pool.query(
        `insert into recipient (tenant_id, recipient_id, entitled, held, due_at)
         select 't7', $1 || i, $3::int, $3::int, '-infinity' from generate_series(1, $2::int) as i`,
        [prefix, recipients, rewards],
      );
      await parts.pool.query(
        `insert into entitlement (reward_id, version, tenant_id, recipient_id, campaign_id, state,
           entitled, issued, issuances, campaign_revision, rule_id, recipient_role, business_key,
           event_id, decision_id, decision_version, occurred_at_seconds, received_at, texts,
           settlement)
         select gen_random_uuid(), 1, 't7', $1 || r, 'c1', 'held', 1, 0, 0, 1, 'r', 'referrer',
           'k' || i, 'e' || i, 'd' || i, 1, i::text, '2026-03-01T00:00:00.000Z', '[]', '[]'
         from generate_series(1, $2::int) as r, generate_series(1, $3::int) as i`,
        [prefix, recipients, rewards],
      );
    };
    await add('busy_', busy, each);
    await add('quiet_', 1, 1);
    const first = await parts.releaseOnce();
    expect(first).to.include({ outcome: 'released', recipients: busy, rewards: 2_000 });
    await parts.releaseOnce();
    expect(await parts.rewards('quiet_1')).to.deep.equal(['1 issued 1']);
    await parts.releaseAll();
    expect(await issuedTo('busy_100')).to.have.length(each);
    expect(await dueAt('busy_100')).to.equal(null);
    await parts.pool.query(`delete from entitlement where tenant_id = 't7'`);
    await parts.pool.query(`delete from recipient where tenant_id = 't7'`);
    await parts.pool.query(`delete from issuance where tenant_id = 't7'`);
  });

  it('keeps its books when folds, operators and releases of several processes meet', async () => {
    const work = (process: Parts, offset: number) => async () => {
      for (let i = 0; i < 40; i += 1) {
        const n = 300 + ((i * 7 + offset) % 10);
        const who = `meets_${n % 3}`;
        const hold = i % 4 === 0 ? { maturesAt: days(i % 5) } : {};
        const review = i % 6 === 0 ? { reviews } : {};
        const credits = ['10', '0', '4', '12.5'][(i + offset) % 4]!;
        const actionType = i % 2 === 0 ? 'withheld' : 'released';
        await entitle(process, who, { n, credits, ...hold, ...review });
        if (i % 3 === 0)
          await process.operator.one('t1', rewardIdOf(n), { ...note, type: actionType });
        if (i % 2 === 0) await process.releaseOnce();
      }
    };
    await Promise.all([parts, other, parts, other].map((process, i) => work(process, i * 3)()));
    await parts.checkBooks();
    now = new Date(days(100));
    await Promise.all([parts.releaseAll(), other.releaseAll()]);
    await parts.checkBooks();
    const { rows } = await parts.pool.query(
      `select recipient_id from recipient where recipient_id like 'meets%'
         and (due_at is not null or entitled - held - issued > 0)
       union all select reward_id::text from entitlement
       where recipient_id like 'meets%' and state = 'held'`,
    );
    expect(rows).to.deep.equal([]);
  });

  it('pays among the partitions of a process whom decisions of these reward, or of none known', async () => {
    const partitionOfKey = (recipientId: string) =>
      partitionOf('attributions', `t1:${recipientId}`, topicPartitions);
    const who = 'by-partition';
    const partition = partitionOfKey(who);
    const others = Array.from({ length: topicPartitions }, (_, i) => i).filter(
      (i) => i !== partition,
    );
    await parts.publish(revisionOf());
    await parts.decide(purchaseDecision(900, { referrerId: who }));
    await other.releaseOnce({ partitions: others });
    expect(await issuedTo(who)).to.deep.equal([]);
    await parts.releaseOnce({ partitions: [partition] });
    expect(await issuedTo(who)).to.have.length(1);

    await entitle(parts, 'of-no-partition', { n: 901, credits: '5' });
    await other.releaseOnce({ partitions: others });
    expect(await issuedTo('of-no-partition')).to.deep.equal(['5']);
  });

  it('pays, of whom another process folds, only whom nobody has released for a while', async () => {
    const who = 'left-alone';
    const atLeast = { forMs: 60_000 };
    const passes = (seconds: number) =>
      parts.pool.query(
        `update recipient set due_since = due_since - $2 * interval '1 second'
         where recipient_id = $1`,
        [who, seconds],
      );
    await entitle(parts, who, { n: 910, credits: '5' });
    await passes(50);
    expect(await other.releaseOnce(atLeast)).to.deep.equal({ outcome: 'nothing-due' });
    await parts.releaseOnce();
    await entitle(parts, who, { n: 911, credits: '6' });
    await passes(50);
    await entitle(parts, who, { n: 912, credits: '7' });
    expect(await other.releaseOnce(atLeast)).to.deep.equal({ outcome: 'nothing-due' });
    await passes(20);
    expect(await other.releaseOnce(atLeast)).to.include({ outcome: 'released', issuances: 2 });
    expect(await issuedTo(who)).to.have.members(['5', '6', '7']);
  });

  it('answers what is mature of a referrer with very many held rewards from an index', async () => {
    await parts.pool.query(
      `insert into entitlement (reward_id, version, tenant_id, recipient_id, campaign_id, state,
         entitled, issued, issuances, campaign_revision, rule_id, recipient_role, business_key,
         event_id, decision_id, decision_version, occurred_at_seconds, received_at, texts,
         settlement, matures_at)
       select gen_random_uuid(), 1, 't8', 'busy', 'c1', 'held', 1, 0, 0, 1, 'r', 'referrer',
         'k' || i, 'e' || i, 'd' || i, 1, i::text, '2026-03-01T00:00:00.000Z', '[]', '[]',
         '2027-01-01T00:00:00.000Z' from generate_series(1, 20000) as i`,
    );
    await parts.pool.query('analyze entitlement');
    const { rows } = await parts.pool.query<{ 'QUERY PLAN': string }>(
      `explain (analyze, costs off, timing off, summary off) select reward_id from entitlement
       where release_at <= $1 and tenant_id = 't8' and recipient_id = 'busy'
         and hashtextextended(recipient_id, hashtextextended(tenant_id, 0))
           = hashtextextended('busy', hashtextextended('t8', 0))
       order by release_at, payment_order, received_at, event_id limit 500`,
      [noon],
    );
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    expect(plan).to.contain('entitlement_release');
    // Those of one moment are sorted when they are read.
    expect(plan.replaceAll('Incremental Sort', '')).to.not.contain('Sort  ');
    await parts.pool.query(`delete from entitlement where tenant_id = 't8'`);
  });
});
