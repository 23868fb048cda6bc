import { countStatements } from '@tributary/testkit/count-statements';
import { createDatabase, type TestDatabase } from '@tributary/testkit/database';
import { expect } from 'chai';
import { foldRecipient } from '@tributary/rewards-fold/fold-recipient';
import { type Parts, startParts } from '../testing/parts.ts';
import { asDuplicate, purchaseDecision, revisionOf } from '@tributary/rewards-fold/testing/records';

describe('rewards transactions on Postgres', () => {
  let database: TestDatabase;
  let parts: Parts;
  let other: Parts;
  const poisoned = new Set<string>();

  before(async () => {
    database = await createDatabase();
    const fold: typeof foldRecipient = (input) => {
      if (poisoned.has(input.recipient.recipientId)) throw new Error('poison');
      return foldRecipient(input);
    };
    parts = await startParts({ url: database.url, fold });
    other = await startParts({ url: database.url });
    await parts.publish(revisionOf());
  });

  afterEach(async () => {
    await parts.checkBooks();
    await parts.releaseAll();
  });

  after(async () => {
    await parts.stop();
    await other.stop();
    await database.drop();
  });

  it('issues a reward once and posts it (design 7)', async () => {
    const decision = purchaseDecision(1, { referrerId: 'once' });
    await parts.decide(decision, decision);
    await parts.decide(decision);
    expect(await parts.rewards('once')).to.deep.equal(['10 held 0']);
    expect(await parts.releaseAll()).to.equal(1);
    expect(await other.releaseAll()).to.equal(0);
    expect(await parts.rewards('once')).to.deep.equal(['10 issued 10']);
  });

  it('folds a decision that waits as soon as its revision has come, and not before', async () => {
    await parts.decide(purchaseDecision(2, { referrerId: 'waits', campaignRevision: 2 }));
    await parts.sweep();
    expect(await parts.rewards('waits')).to.deep.equal([]);
    await other.publish(revisionOf({ revision: 2 }));
    await parts.sweep();
    expect(await parts.rewards('waits')).to.deep.equal(['10 held 0']);
  });

  it('moves a decision from A to B before its issue: nothing is left at A', async () => {
    const decision = purchaseDecision(3, { referrerId: 'from' });
    await parts.decide(decision);
    await parts.decide({ ...decision, version: 2, referrerId: 'to' });
    await parts.releaseAll();
    expect(await parts.rewards('from')).to.deep.equal(['0 reversed 0']);
    expect(await parts.rewards('to')).to.deep.equal(['10 issued 10']);
  });

  it('moves a decision from A to B after its issue: A owes, and later rewards are netted', async () => {
    const decision = purchaseDecision(4, { referrerId: 'owing' });
    await parts.decide(decision);
    await parts.releaseAll();
    await parts.decide({ ...decision, version: 2, referrerId: 'paid' });
    await parts.releaseAll();
    expect(await parts.rewards('owing')).to.deep.equal(['0 reversed 10']);
    expect(await parts.rewards('paid')).to.deep.equal(['10 issued 10']);
    await parts.decide(purchaseDecision(5, { referrerId: 'owing' }));
    await parts.checkBooks();
    expect(await parts.releaseAll()).to.equal(0);
    expect(await parts.rewards('owing')).to.deep.equal(['0 reversed 10', '10 issued 0']);
  });

  it('lets two release workers at once issue each reward once', async () => {
    const decisions = Array.from({ length: 300 }, (_, i) =>
      purchaseDecision(1_000 + i, { referrerId: `shared_${i % 40}` }),
    );
    await parts.decide(...decisions);
    const before = (await parts.issuances()).length;
    const workers = [parts, other, parts, other].map((worker) => worker.releaseAll());
    const issued = (await Promise.all(workers)).reduce((sum, count) => sum + count, 0);
    expect(issued).to.equal(300);
    expect(await parts.issuances()).to.have.length(before + 300);
  });

  it('ends the same, without deadlock, when processes move decisions between the same recipients', async () => {
    const people = ['ring_0', 'ring_1', 'ring_2', 'ring_3'];
    const decisions = Array.from({ length: 40 }, (_, i) =>
      purchaseDecision(2_000 + i, { referrerId: people[i % 4]! }),
    );
    await parts.decide(...decisions);
    const moves = [1, 2, 3].flatMap((round) =>
      [0, 1, 2, 3].map((quarter) => {
        const own = decisions.filter((_, i) => Math.floor(i / 10) === quarter);
        return own.map((d, i) => ({
          ...d,
          version: round + 1,
          referrerId: people[(quarter + i + round) % 4]!,
        }));
      }),
    );
    await Promise.all([
      ...moves.map((batch, i) => (i % 2 === 0 ? parts : other).decide(...batch)),
      parts.releaseAll(),
      other.releaseAll(),
    ]);
    const sums = await parts.pool.query<{ entitled: string }>(
      `select trim_scale(sum(entitled)) as entitled from recipient where recipient_id like 'ring%'`,
    );
    expect(sums.rows[0]?.entitled).to.equal('400');
  });

  it('leaves one recipient undecided when its fold throws, and nobody else (design 6)', async () => {
    poisoned.add('ill');
    const ill = purchaseDecision(6, { referrerId: 'ill' });
    await parts.decide(ill, purchaseDecision(7, { referrerId: 'well' }));
    await parts.releaseAll();
    expect(await parts.rewards('well')).to.deep.equal(['10 issued 10']);
    expect(await parts.rewards('ill')).to.deep.equal([]);
    const { rows } = await parts.pool.query(
      `select undecided_reason from recipient where recipient_id = 'ill'`,
    );
    expect(rows).to.deep.equal([{ undecided_reason: 'internal' }]);

    poisoned.delete('ill');
    await parts.pool.query(`update recipient set retry_at = now() where recipient_id = 'ill'`);
    await parts.sweep();
    await parts.releaseAll();
    expect(await parts.rewards('ill')).to.deep.equal(['10 issued 10']);
  });

  it('counts an issuance from the log that an undecided recipient could not take, later', async () => {
    await parts.decide(purchaseDecision(8, { referrerId: 'late' }));
    await parts.releaseAll();
    const facts = (await parts.issuances()).filter((fact) => fact.recipientId === 'late');
    const rebuilt = await startParts({
      url: database.url,
      schema: 'rewards_ill',
      fold: (input) => {
        if (poisoned.has(input.recipient.recipientId)) throw new Error('poison');
        return foldRecipient(input);
      },
    });
    poisoned.add('late');
    await rebuilt.receive(...facts);
    poisoned.delete('late');
    await rebuilt.pool.query(`update recipient set retry_at = now()`);
    await rebuilt.sweep();
    await rebuilt.publish(revisionOf());
    await rebuilt.decide(purchaseDecision(8, { referrerId: 'late' }));
    expect(await rebuilt.rewards('late')).to.deep.equal(['10 issued 10']);
    expect(await rebuilt.releaseAll()).to.equal(0);
    await rebuilt.stop();
  });

  it('does not issue again what the facts have and a rebuilt schema has not read (promise 10)', async () => {
    const before = (await parts.issuances()).length;
    const rebuilt = await startParts({ url: database.url, schema: 'rewards_rebuilt' });
    await rebuilt.publish(revisionOf());
    await rebuilt.decide(purchaseDecision(1, { referrerId: 'once' }));
    expect(await rebuilt.rewards('once')).to.deep.equal(['10 held 0']);
    expect(await rebuilt.releaseAll()).to.equal(0);
    expect(await rebuilt.rewards('once')).to.deep.equal(['10 issued 10']);
    expect(await rebuilt.issuances()).to.have.length(before);
    await rebuilt.stop();
  });

  it('releases nothing in a generation that is not live, and fences an old one at a swap', async () => {
    const shadow = await startParts({ url: database.url, schema: 'rewards_g2', generation: 2 });
    await shadow.publish(revisionOf());
    await shadow.decide(purchaseDecision(9, { referrerId: 'swap' }));
    await parts.decide(purchaseDecision(9, { referrerId: 'swap' }));
    expect(await shadow.releaseOnce()).to.deep.equal({ outcome: 'not-live' });
    await parts.pool.query('update live_generation set generation = 2');
    expect(await parts.releaseOnce()).to.deep.equal({ outcome: 'not-live' });
    expect(await shadow.releaseAll()).to.equal(1);
    await parts.pool.query('update live_generation set generation = 1');
    await shadow.stop();
    // What generation 2 granted, generation 1 finds among the facts before it grants.
    expect(await parts.releaseAll()).to.equal(0);
  });

  it('refuses a posting that does not sum to zero, and any change of the ledger', async () => {
    const post = (columns: string, values: string) =>
      parts.pool.query(
        `insert into posting (posting_id, tenant_id, recipient_id, reward_id, issuance_id,
           campaign_id, ${columns})
         select issuance_id, 't1', 'books', gen_random_uuid(), issuance_id, 'c1', ${values}
         from (select gen_random_uuid() as issuance_id) as new`,
      );
    const unbalanced = /ledger_posting_balanced/;
    const appendOnly = /the ledger is append-only/;
    for (const [refused, why] of [
      [() => post('owed, issued', '-1, 2'), unbalanced],
      [() => post('owed', '1'), unbalanced],
      [
        () =>
          post('entitled, owed, left_campaign_id, left_entitled, left_owed', `-1, 2, 'c2', 2, -3`),
        unbalanced,
      ],
      [() => parts.pool.query('update posting set owed = -1, issued = 1'), appendOnly],
      [() => parts.pool.query('delete from posting'), appendOnly],
      [() => parts.pool.query('truncate posting'), appendOnly],
      ...[
        'update entitlement set opened_credits = opened_credits + 1',
        'update entitlement set opened_decision_version = 7',
        `update entitlement set opened_campaign_id = 'another'`,
        `update entitlement set campaign_id = 'another'`,
        'delete from entitlement',
        'truncate entitlement',
      ].map((change) => [() => parts.pool.query(change), appendOnly] as const),
    ] as const) {
      const error = await refused().then(
        () => '',
        ({ message }: Error) => message,
      );
      expect(error).to.match(why);
    }
  });

  it('refuses to post an issuance twice', async () => {
    for (const [id, refusal] of [
      ['issuance_id', 'ledger_posting_pkey'],
      ['gen_random_uuid()', 'ledger_posting_issuance'],
    ] as const) {
      const again = parts.pool.query(
        `insert into posting (posting_id, tenant_id, recipient_id, reward_id, issuance_id,
           campaign_id, owed, issued)
         select ${id}, tenant_id, recipient_id, reward_id, issuance_id, campaign_id, owed, issued
         from posting where issuance_id is not null limit 1`,
      );
      const error = await again.then(
        () => '',
        ({ message }: Error) => message,
      );
      expect(error).to.contain(refusal);
    }
  });

  it('needs the same number of statements for a batch of one and of hundreds', async () => {
    const counts: number[] = [];
    for (const size of [1, 300]) {
      const decisions = Array.from({ length: size }, (_, i) =>
        purchaseDecision(5_000 + size * 10 + i, { referrerId: `many_${i}` }),
      );
      counts.push(await countStatements(parts.pool, () => parts.decide(...decisions)));
    }
    expect(counts[0]).to.equal(counts[1]);
    expect(counts[0]).to.be.lessThan(20);
  });

  it('folds a duplicate of an issued invoice to nothing new', async () => {
    const first = purchaseDecision(10, { invoice: 10, referrerId: 'twice' });
    const second = purchaseDecision(11, { invoice: 10, referrerId: 'twice' });
    await parts.decide(first, asDuplicate(second, first.eventId));
    await parts.releaseAll();
    expect(await parts.rewards('twice')).to.deep.equal(['10 issued 10']);
  });
});
