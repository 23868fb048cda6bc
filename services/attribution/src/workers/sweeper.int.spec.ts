import { countStatements } from '@tributary/testkit/count-statements';
import { createDatabase, type TestDatabase } from '@tributary/testkit/database';
import { expect } from 'chai';
import { type Parts, startParts } from '../testing/parts.ts';
import {
  code,
  eventIdOf,
  purchase,
  refund,
  revision,
  signup,
  tenant,
} from '@tributary/attribution-fold/testing/records';

describe('attribution, what is left to the sweeper (docs/decisions/0008)', () => {
  let database: TestDatabase;
  let parts: Parts;
  let other: Parts;

  before(async () => {
    database = await createDatabase();
    parts = await startParts({ url: database.url });
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

  /** One page of one piece of work. */
  const page = async () => {
    const { tx, commit } = await parts.begin();
    await parts.recomputePage(tx, 'any');
    await commit();
  };

  const work = async () => {
    const { rows } = await parts.pool.query<{ scope: string; subject: string }>(
      'select scope, subject from refold order by refold_id',
    );
    return rows.map(({ scope, subject }) => `${scope} ${subject}`);
  };

  it('leaves very many facts of a late code to the sweeper, page by page', async () => {
    await parts.apply('catalog', revision());
    const events = Array.from({ length: 1_100 }, (_, i) => purchase(i + 1));
    for (let i = 0; i < events.length; i += 500) {
      await parts.apply('events', ...events.slice(i, i + 500));
    }
    await parts.apply('codes', code());
    expect(await outcomeOf(1)).to.equal('unknown-code v1');
    await Promise.all([parts.sweep(), other.sweep()]);
    await parts.sweep();
    const outcomes = new Set((await parts.decisions()).map((d) => `${d.outcome} v${d.version}`));
    expect([...outcomes]).to.deep.equal(['attributed v2']);
  });

  it('leaves very many duplicates of an invoice that changed hands to the sweeper', async () => {
    await parts.apply('catalog', revision());
    await parts.apply('codes', code());
    const later = { invoiceId: 'inv', occurredAt: '2026-03-02T00:00:00Z', userId: 'hot' };
    const events = Array.from({ length: 1_200 }, (_, i) => purchase(i + 10, later));
    for (let i = 0; i < events.length; i += 400) {
      await parts.apply('events', ...events.slice(i, i + 400));
    }
    await other.apply('events', purchase(2, { invoiceId: 'inv' }));
    await other.apply('events', purchase(1, { invoiceId: 'inv' }));
    expect(await outcomeOf(1)).to.equal('attributed v1');
    expect(await outcomeOf(2)).to.equal('duplicate v2');
    expect((await parts.decision(eventIdOf(10))).duplicateOf).to.equal(eventIdOf(2));
    await parts.sweep();
    const holders = new Set((await parts.decisions()).map((d) => d.duplicateOf));
    expect([...holders]).to.have.members([undefined, eventIdOf(1)]);
  });

  it('leaves a refund of another user to the sweeper when a late fact changes its purchase', async () => {
    await parts.apply('catalog', revision({ attributionWindowDays: 7 }));
    await parts.apply('codes', code());
    const late = { userId: 'u', invoiceId: 'inv', occurredAt: '2026-03-20T00:00:00Z' };
    await parts.apply('events', purchase(1, late), refund(2, { ...late, userId: 'v' }));
    expect(await outcomeOf(2)).to.equal('attributed v1');
    await other.apply('events', signup(3, { userId: 'u', occurredAt: '2026-03-01T00:00:00Z' }));
    expect([await outcomeOf(1), await outcomeOf(2)]).to.deep.equal([
      'outside-window v2',
      'attributed v1',
    ]);
    await parts.sweep();
    expect(await outcomeOf(2)).to.equal('outside-window v2');
  });

  it('leaves a user with very many facts to the sweeper when a late one changes them all', async () => {
    await parts.apply('catalog', revision({ attributionWindowDays: 7 }));
    await parts.apply('codes', code());
    const often = { userId: 'often', occurredAt: '2026-03-20T00:00:00Z' };
    const events = Array.from({ length: 1_100 }, (_, i) => purchase(i + 10, often));
    for (let i = 0; i < events.length; i += 400) {
      await parts.apply('events', ...events.slice(i, i + 400));
    }
    await other.apply('events', signup(1, { ...often, occurredAt: '2026-03-01T00:00:00Z' }));
    expect(await outcomeOf(10)).to.equal('attributed v1');
    await parts.sweep();
    const reasons = new Set((await parts.decisions()).map((d) => d.reason ?? d.eventType));
    expect([...reasons]).to.have.members(['outside-window', 'signup-created']);
  });

  it('decides owners again together whose side of a loop may have changed', async () => {
    await parts.apply('catalog', revision());
    const people = Array.from({ length: 120 }, (_, i) => `person_${i}`);
    const codes = people.map((id) => code({ ucc: `code_${id}`, productUserId: id }));
    await parts.apply('codes', ...codes);
    const neighbours = people.map((userId, i) =>
      signup(i + 1, {
        userId,
        ucc: `code_person_${i ^ 1}`,
        occurredAt: `2026-03-${10 + (i % 2)}T00:00:00Z`,
      }),
    );
    for (const event of neighbours.toReversed()) await parts.apply('events', event);
    const { rows } = await parts.pool.query<{ n: string }>(
      `select count(*) as n from refold where scope = 'user'`,
    );
    expect(Number(rows[0]?.n)).to.equal(120);
    expect(await countStatements(parts.pool, () => parts.sweep())).to.be.lessThan(120);
    const ends = (await parts.decisions()).map((d) => d.reason ?? d.outcome);
    expect(ends).to.deep.equal(people.map((_, i) => (i % 2 ? 'self-referral' : 'attributed')));
  });

  it('gives each of many users a smaller share of a transaction, and leaves those with more', async () => {
    const firstCode = tenant({ attributionMode: 'first-code' });
    await parts.apply('catalog', revision(), firstCode);
    await parts.sweep();
    const people = Array.from({ length: 99 }, (_, i) => purchase(i + 1));
    const often = Array.from({ length: 101 }, (_, i) => purchase(i + 100, { userId: 'often' }));
    await parts.apply('events', ...people, ...often);
    const carry = (ucc: string) =>
      parts.pool.query(
        `update fact set ucc = $2 where new_user_id = 'often'
        and event_id <> $1`,
        [eventIdOf(100), ucc],
      );
    await carry('other');
    await parts.apply('codes', code());
    await carry(code().ucc);
    expect(await work()).to.deep.equal(['user often']);
    expect([await outcomeOf(1), await outcomeOf(200)]).to.deep.equal([
      'attributed v2',
      'unknown-code v1',
    ]);
    await parts.sweep();
    expect(await outcomeOf(200)).to.equal('attributed v2');
  });

  it('goes through all events of a campaign and all users of a tenant, page by page', async () => {
    await parts.apply('catalog', revision(), tenant());
    await parts.apply('codes', code());
    const years = Array.from({ length: 450 }, (_, i) =>
      purchase(i + 1, {
        userId: `user_${i % 130}`,
        occurredAt: `${1900 + (i % 9)}-03-01T00:00:00Z`,
      }),
    );
    await parts.apply('events', ...years);
    await parts.apply(
      'catalog',
      revision({ revision: 2, effectiveFrom: '0000-01-01T00:00:00.000Z' }),
    );
    await parts.sweep();
    expect(new Set((await parts.decisions()).map((d) => d.campaignRevision))).to.deep.equal(
      new Set([2]),
    );
    const firstCode = tenant({ version: 2, attributionMode: 'first-code' });
    await parts.apply('catalog', firstCode);
    await parts.sweep();
    const { rows } = await parts.pool.query<{ n: string }>(
      `select count(*) as n from referred_user where state -> 'bound' ->> 'ucc' = 'anna-code'`,
    );
    expect(rows[0]?.n).to.equal('130');
  });

  it('lets long work wait a page for what others left later', async () => {
    await parts.apply('catalog', revision());
    const events = Array.from({ length: 1_100 }, (_, i) => purchase(i + 10));
    await parts.apply('events', ...events);
    await parts.apply('codes', code());
    await page();
    await parts.apply('catalog', revision({ tenantId: 't2' }));
    await parts.apply('codes', code({ tenantId: 't2' }));
    await parts.apply('events', purchase(1, { tenantId: 't2' }));
    await parts.apply('catalog', revision({ tenantId: 't2', revision: 2, status: 'stopped' }));
    for (let pages = 0; pages < 3; pages += 1) await page();
    expect(await outcomeOf(1)).to.equal('campaign-not-running v2');
    expect(await work()).to.deep.equal(['code anna-code']);
  });

  it('comes to an end with long work that is called for again and again', async () => {
    await parts.apply('catalog', revision());
    const events = Array.from({ length: 1_100 }, (_, i) => purchase(i + 10));
    await parts.apply('events', ...events);
    for (let version = 1; version <= 30; version += 1) {
      await parts.apply('codes', code({ version }));
      await page();
    }
    const outcomes = new Set((await parts.decisions()).map((d) => d.outcome));
    expect([...outcomes]).to.deep.equal(['attributed']);
    await parts.sweep();
    expect(await work()).to.deep.equal([]);
  });

  it('does what others left when one page cannot be done, and keeps that one', async () => {
    await parts.apply('events', purchase(2, { tenantId: 't0', ucc: 'broken' }));
    await parts.pool.query(`update fact set reported = '{}'`);
    await parts.pool.query(`insert into refold (tenant_id, scope, subject)
      values ('t0', 'code', 'broken')`);
    await parts.apply('codes', code());
    await parts.apply('events', purchase(1));
    await parts.apply('catalog', revision());
    await parts.sweep();
    await parts.sweep();
    expect(await outcomeOf(1)).to.equal('attributed v2');
    expect(await work()).to.deep.equal(['code broken']);
  });

  it('leaves no work for a record of the tenant that keeps the mode as it was', async () => {
    const publishedAt = '2026-02-01T00:00:00.000Z';
    const later = { publishedAt: '2026-03-01T00:00:00.000Z' };
    const attributionMode = 'first-code' as const;
    await parts.apply('catalog', tenant());
    await parts.apply('catalog', tenant({ version: 2, publishedAt }));
    expect(await work()).to.deep.equal([]);
    await parts.apply('catalog', tenant({ version: 3, publishedAt, attributionMode }));
    expect(await work()).to.deep.equal(['tenant ']);
    await parts.sweep();
    await parts.apply('catalog', tenant({ version: 4, ...later, attributionMode, name: 'Store' }));
    expect(await work()).to.deep.equal([]);
    await parts.apply('catalog', tenant({ version: 5, ...later }));
    expect(await work()).to.deep.equal(['tenant ']);
  });
});
