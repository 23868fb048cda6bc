import { countStatements } from '@tributary/testkit/count-statements';
import { createDatabase, type TestDatabase } from '@tributary/testkit/database';
import { expect } from 'chai';
import { foldUser, type Fold } from '@tributary/attribution-fold/fold-user';
import { decideFromScratch } from '@tributary/attribution-fold/decide-from-scratch';
import { type Parts, startParts } from '../testing/parts.ts';
import {
  code,
  eventIdOf,
  purchase,
  revision,
  signup,
} from '@tributary/attribution-fold/testing/records';

describe('attribution transactions on Postgres', () => {
  let database: TestDatabase;
  let parts: Parts;
  let other: Parts;
  const poisoned = new Set<string>();

  before(async () => {
    database = await createDatabase();
    const fold: Fold = (facts, context) => {
      if (facts.some(({ event }) => poisoned.has(event.newUser.id))) throw new Error('poison');
      return foldUser(facts, context);
    };
    parts = await startParts({ url: database.url, fold });
    other = await startParts({ url: database.url });
  });

  beforeEach(() => parts.clear());

  after(async () => {
    await parts.stop();
    await other.stop();
    await database.drop();
  });

  const outcomeOf = async (n: number) => {
    const { outcome, reason, version } = await parts.decision(eventIdOf(n));
    return `${reason ?? outcome} v${version}`;
  };

  it('decides an event once and publishes it once, however often it comes', async () => {
    await parts.apply('catalog', revision());
    await parts.apply('codes', code());
    await parts.apply('events', purchase(1), purchase(1));
    await other.apply('events', purchase(1), signup(2));
    expect(await outcomeOf(1)).to.equal('attributed v1');
    const published = (await parts.outbox()).map(({ eventId, version }) => [eventId, version]);
    expect(published).to.deep.equal([
      [eventIdOf(1), 1],
      [eventIdOf(2), 1],
    ]);
    expect(await parts.outbox()).to.deep.equal(await parts.decisions());
  });

  it('decides a waiting event when its code appears, and again only what a change touches', async () => {
    await parts.apply('catalog', revision());
    await parts.apply('events', purchase(1), purchase(2, { ucc: 'other' }));
    expect(await outcomeOf(1)).to.equal('unknown-code v1');
    await other.apply('codes', code());
    expect(await outcomeOf(1)).to.equal('attributed v2');
    expect(await outcomeOf(2)).to.equal('unknown-code v1');
    await other.apply('codes', code());
    const disabled = { type: 'code-disabled' as const, version: 2 };
    await other.apply('codes', code({ ...disabled, at: '2027-01-01T00:00:00.000Z' }));
    expect(await outcomeOf(1)).to.equal('attributed v2');
    await other.apply('codes', code({ ...disabled, version: 3, at: '2026-02-01T00:00:00.000Z' }));
    expect(await outcomeOf(1)).to.equal('code-disabled v3');
  });

  it('moves an invoice to an earlier report of another user and tells all others', async () => {
    await parts.apply('catalog', revision());
    await parts.apply('codes', code());
    const late = { invoiceId: 'inv', source: 'legacy' as const };
    await parts.apply('events', purchase(3, late), purchase(4, { ...late, amount: 1 }));
    expect([await outcomeOf(3), await outcomeOf(4)]).to.deep.equal([
      'attributed v1',
      'duplicate v1',
    ]);
    await other.apply('events', purchase(5, { invoiceId: 'inv' }));
    expect(await outcomeOf(3)).to.equal('duplicate v2');
    expect(await outcomeOf(4)).to.equal('duplicate v2');
    expect(await outcomeOf(5)).to.equal('attributed v1');
    const reported = await parts.decision(eventIdOf(4));
    expect(reported.duplicateOf).to.equal(eventIdOf(5));
    expect(reported.flags).to.deep.equal(['amount-differs', 'user-differs']);
  });

  it('decides again by a later revision what occurred since its effectiveFrom, and nothing else', async () => {
    await parts.apply('catalog', revision());
    await parts.apply('codes', code());
    const may = {
      occurredAt: '2026-05-01T00:00:00.000001Z',
      receivedAt: '2026-05-01T00:00:01.000Z',
    };
    await parts.apply('events', purchase(1), purchase(2, may), purchase(3, may));
    const stopped = { revision: 2, status: 'stopped' as const };
    await other.apply('catalog', revision({ ...stopped, effectiveFrom: '2026-05-01T00:00:00Z' }));
    await other.sweep();
    expect(await outcomeOf(1)).to.equal('attributed v1');
    expect(await outcomeOf(2)).to.equal('campaign-not-running v2');
    expect(await outcomeOf(3)).to.equal('campaign-not-running v2');
    const { rows } = await parts.pool.query('select refold_id from refold');
    expect(rows).to.deep.equal([]);
  });

  it('keeps extreme times: year 0000, offset +23:59, second 60, a fraction of 30000 digits', async () => {
    const times = [
      '0000-01-01T00:00:00+23:59',
      '9999-12-31T23:59:59-23:59',
      '2016-12-31T23:59:60Z',
      `2026-03-01T10:00:00.${'0'.repeat(29_999)}1Z`,
    ];
    await parts.apply('codes', code());
    await parts.apply('events', ...times.map((occurredAt, i) => purchase(i + 1, { occurredAt })));
    await other.apply('catalog', revision({ effectiveFrom: '0000-01-01T00:00:00.000Z' }));
    await other.sweep();
    const outcomes = await Promise.all([1, 2, 3, 4].map(outcomeOf));
    expect(outcomes).to.deep.equal(times.map(() => 'attributed v2'));
  });

  it('leaves one user undecided when the fold throws, publishes it, and tries again (design 6)', async () => {
    await parts.apply('catalog', revision());
    await parts.apply('codes', code());
    poisoned.add('user_1');
    await parts.apply('events', purchase(1), purchase(2));
    expect([await outcomeOf(1), await outcomeOf(2)]).to.deep.equal([
      'internal v1',
      'attributed v1',
    ]);
    expect((await parts.outbox()).map(({ outcome }) => outcome)).to.have.members([
      'undecided',
      'attributed',
    ]);
    await makeRetriesDue();
    await parts.sweep();
    expect(await outcomeOf(1)).to.equal('internal v1');
    poisoned.delete('user_1');
    await makeRetriesDue();
    await parts.sweep();
    expect(await outcomeOf(1)).to.equal('attributed v2');
  });

  const makeRetriesDue = () =>
    parts.pool.query(`update fact set retry_at = now() where retry_at is not null`);

  it('needs the same number of statements for a batch of one and of hundreds', async () => {
    await parts.apply('catalog', revision());
    await parts.apply('codes', code());
    const counts: number[] = [];
    for (const size of [1, 400]) {
      const events = Array.from({ length: size }, (_, i) => purchase(size * 10 + i));
      counts.push(await countStatements(parts.pool, () => parts.apply('events', ...events)));
    }
    expect(counts[0]).to.equal(counts[1]);
    expect(counts[0]).to.be.lessThan(18);
  });

  it('ends the same, without deadlock, when processes shuffle many facts of few invoices', async () => {
    const events = Array.from({ length: 2_000 }, (_, i) =>
      purchase(i + 1, {
        invoiceId: `inv_${(i * 7) % 300}`,
        userId: `user_${(i * 13) % 500}`,
        ucc: `code_${(i * 3) % 40}`,
        source: i % 3 === 0 ? 'legacy' : 'v2',
        occurredAt: `2026-03-${10 + (i % 10)}T10:00:00.${(i * 997) % 1000}Z`,
      }),
    );
    const codes = Array.from({ length: 40 }, (_, i) =>
      code({ ucc: `code_${i}`, productUserId: `user_${i}` }),
    );
    const shuffled = events.map((_, i) => events[(i * 1_117) % events.length]!);
    const lanes = [0, 1, 2, 3].map(async (lane) => {
      const process = lane % 2 === 0 ? parts : other;
      for (let i = lane * 500; i < (lane + 1) * 500; i += 50) {
        await process.apply('events', ...shuffled.slice(i, i + 50));
        if (i % 200 === 0) await process.apply('codes', ...codes.slice(lane * 10, lane * 10 + 10));
      }
    });
    lanes.push(other.apply('catalog', revision()));
    await Promise.all(lanes);
    await parts.sweep();
    expect(await parts.current()).to.deep.equal(
      decideFromScratch({ events, codes, revisions: [revision()] }),
    );
  });
});
