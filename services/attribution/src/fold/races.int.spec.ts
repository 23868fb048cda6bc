import type { Tx } from '@tributary/runtime/postgres';
import { createDatabase, type TestDatabase } from '@tributary/testkit/database';
import { eventually } from '@tributary/testkit/eventually';
import { expect } from 'chai';
import type { Arrival } from '@tributary/attribution-fold/testing/arbitraries';
import { decideFromScratch, type History } from '@tributary/attribution-fold/decide-from-scratch';
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

const event = (record: Extract<Arrival, { topic: 'events' }>['record']): Arrival => ({
  topic: 'events',
  record,
});
const codes = (record = code()): Arrival => ({ topic: 'codes', record });
const catalog = (record: Extract<Arrival, { topic: 'catalog' }>['record']): Arrival => ({
  topic: 'catalog',
  record,
});

const bertsCode = codes(code({ ucc: 'bert-code', productUserId: 'bert' }));
const at = (day: string) => ({ occurredAt: `2026-03-${day}T00:00:00Z` });

type Race = {
  of: string;
  given: Arrival[];
  rivals: [Arrival, Arrival];
  /** Whether the second must wait for the first; else they pass each other unseen. */
  waits: boolean;
  /** What both orders must end in, by event number. */
  ends: Record<number, string>;
};

const races: Race[] = [
  {
    of: 'an event and its code',
    given: [catalog(revision())],
    rivals: [event(purchase(1)), codes()],
    waits: true,
    ends: { 1: 'attributed' },
  },
  {
    of: 'an event and the revision that decides it',
    given: [codes()],
    rivals: [event(purchase(1)), catalog(revision())],
    waits: true,
    ends: { 1: 'attributed' },
  },
  {
    of: 'an event and the mode of its tenant',
    given: [
      catalog(revision()),
      codes(),
      event(signup(1, { userId: 'u', ...at('01') })),
      catalog(tenant()),
    ],
    rivals: [
      event(
        purchase(2, {
          ...{ userId: 'u', ucc: 'never', ...at('05') },
          receivedAt: '2026-03-05T10:00:01.000Z',
        }),
      ),
      catalog(
        tenant({
          version: 2,
          attributionMode: 'first-code',
          publishedAt: '2026-03-02T00:00:00.000Z',
        }),
      ),
    ],
    waits: true,
    ends: { 1: 'attributed', 2: 'attributed' },
  },
  {
    of: 'two reports of one invoice by two users',
    given: [catalog(revision()), codes()],
    rivals: [
      event(purchase(1, { invoiceId: 'inv', ...at('01') })),
      event(purchase(2, { invoiceId: 'inv', ...at('02') })),
    ],
    waits: true,
    ends: { 1: 'attributed', 2: 'duplicate' },
  },
  {
    of: 'a refund and its purchase, reported for another user',
    given: [catalog(revision()), codes()],
    rivals: [
      event(refund(1, { userId: 'u', invoiceId: 'inv', amount: 1000 })),
      event(purchase(2, { userId: 'v', invoiceId: 'inv' })),
    ],
    waits: true,
    ends: { 1: 'attributed', 2: 'attributed' },
  },
  {
    of: 'a refund and the code of its purchase',
    given: [catalog(revision()), event(purchase(2, { userId: 'v', invoiceId: 'inv' }))],
    rivals: [event(refund(1, { userId: 'u', invoiceId: 'inv', amount: 1000 })), codes()],
    waits: true,
    ends: { 1: 'attributed', 2: 'attributed' },
  },
  {
    of: 'two users who refer each other',
    given: [catalog(revision()), codes(), bertsCode],
    rivals: [
      event(purchase(1, { userId: 'bert', ucc: 'anna-code', ...at('01') })),
      event(purchase(2, { userId: 'anna', ucc: 'bert-code', ...at('02') })),
    ],
    waits: false,
    ends: { 1: 'attributed', 2: 'self-referral' },
  },
  {
    of: 'a fact that joins two invoices and a report of one of them',
    given: [
      catalog(revision()),
      codes(),
      event(purchase(1, { userId: 'u', invoiceId: 'a', source: 'legacy' })),
      event(purchase(2, { userId: 'v', invoiceId: 'b', source: 'legacy', ...at('02') })),
    ],
    rivals: [
      event(purchase(3, { userId: 'w', invoiceId: 'c', aliases: ['b', 'a'], source: 'processor' })),
      event(purchase(4, { userId: 'x', invoiceId: 'b' })),
    ],
    waits: true,
    ends: { 1: 'duplicate', 2: 'duplicate', 3: 'duplicate', 4: 'attributed' },
  },
  {
    of: 'two facts that join three invoices',
    given: [
      catalog(revision()),
      codes(),
      event(purchase(1, { userId: 'u', invoiceId: 'a', ...at('03') })),
      event(purchase(2, { userId: 'v', invoiceId: 'b', ...at('02') })),
      event(purchase(3, { userId: 'w', invoiceId: 'c', ...at('01') })),
    ],
    rivals: [
      event(purchase(4, { userId: 'x', invoiceId: 'd', aliases: ['a', 'b'], source: 'processor' })),
      event(purchase(5, { userId: 'y', invoiceId: 'e', aliases: ['b', 'c'], source: 'processor' })),
    ],
    waits: true,
    ends: { 1: 'duplicate', 2: 'duplicate', 3: 'attributed', 4: 'duplicate', 5: 'duplicate' },
  },
  {
    of: "a user's first fact, late, and a purchase",
    given: [
      catalog(revision({ attributionWindowDays: 7 })),
      codes(),
      event(signup(3, { userId: 'u', ...at('05') })),
    ],
    rivals: [
      event(purchase(1, { userId: 'u', ...at('10') })),
      event(signup(2, { userId: 'u', ...at('01') })),
    ],
    waits: true,
    ends: { 1: 'outside-window', 2: 'attributed', 3: 'duplicate' },
  },
  {
    of: "an owner's code and an event about the owner",
    given: [catalog(revision({ existingUsers: 'exclude' })), codes()],
    rivals: [event(purchase(1, { userId: 'bert' })), bertsCode],
    waits: true,
    ends: { 1: 'existing-user' },
  },
  {
    of: "an owner's code and an event that closes a loop by it",
    given: [
      catalog(revision()),
      codes(),
      event(purchase(1, { userId: 'bert', ucc: 'anna-code', ...at('01') })),
    ],
    rivals: [event(purchase(2, { userId: 'anna', ucc: 'bert-code', ...at('02') })), bertsCode],
    waits: true,
    ends: { 1: 'attributed', 2: 'self-referral' },
  },
];

describe('attribution, two transactions forced into each other (design 7, "Locks")', () => {
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

  for (const { of, given, rivals, waits, ends } of races) {
    for (const order of [rivals, rivals.toReversed()]) {
      const [first, second] = order as [Arrival, Arrival];
      it(`decides the same of ${of}, ${nameOf(first)} first`, async () => {
        for (const arrival of given) await parts.apply(arrival.topic, arrival.record);
        await parts.sweep();
        expect(await overlap(first, second)).to.equal(waits ? 'waited' : 'ran');
        await parts.sweep();
        const decisions = await parts.decisions();
        const reached = decisions.map((d) => [Number(d.eventId.slice(-12)), d.reason ?? d.outcome]);
        expect(Object.fromEntries(reached)).to.deep.equal(ends);
        expect(await parts.current()).to.deep.equal(
          decideFromScratch(historyOf([...given, ...rivals])),
        );
      });
    }
  }

  it('stores an event once that two read before either has stored it; the second begins again', async () => {
    await parts.apply('catalog', revision());
    await parts.apply('codes', code());
    const [one, two] = [await parts.begin(), await other.begin()];
    await parts.applyIn(one.tx, 'events', [purchase(1)]);
    const pid = await backendOf(two.tx);
    const running = other.applyIn(two.tx, 'events', [purchase(2), purchase(1)]).then(
      () => undefined,
      (error: Error & { code?: string }) => error.code,
    );
    await blocked(pid);
    await one.commit();
    expect(await running).to.equal('40001');
    await two.tx.query('rollback');
    two.tx.release();
    await other.apply('events', purchase(2), purchase(1));
    const decisions = (await parts.outbox()).map((d) => `${d.eventId} v${d.version}`);
    expect(decisions).to.deep.equal([`${eventIdOf(1)} v1`, `${eventIdOf(2)} v1`]);
  });

  /** Starts the second while the first is open; commits the first, then the second. */
  async function overlap(first: Arrival, second: Arrival): Promise<'waited' | 'ran'> {
    const [one, two] = [await parts.begin(), await other.begin()];
    await parts.applyIn(one.tx, first.topic, [first.record]);
    const pid = await backendOf(two.tx);
    const running = other.applyIn(two.tx, second.topic, [second.record]).then(() => false);
    const waited = await Promise.race([running, blocked(pid)]);
    await one.commit();
    await running;
    await two.commit();
    return waited ? 'waited' : 'ran';
  }

  async function backendOf(tx: Tx): Promise<number> {
    const { rows } = await tx.query<{ pid: number }>('select pg_backend_pid() as pid');
    return rows[0]!.pid;
  }

  /** Resolves when the server says that this connection waits for a lock. */
  async function blocked(pid: number): Promise<boolean> {
    return eventually(async () => {
      const { rows } = await parts.pool.query<{ blockers: number[] }>(
        'select pg_blocking_pids($1) as blockers',
        [pid],
      );
      expect(rows[0]?.blockers).not.to.deep.equal([]);
      return true;
    });
  }
});

function nameOf({ topic, record }: Arrival): string {
  return topic === 'events' ? `${record.eventType} ${record.newUser.id}` : topic;
}

function historyOf(all: readonly Arrival[]): History {
  const records = all.flatMap((a) => (a.topic === 'catalog' ? [a.record] : []));
  return {
    events: all.flatMap((a) => (a.topic === 'events' ? [a.record] : [])),
    codes: all.flatMap((a) => (a.topic === 'codes' ? [a.record] : [])),
    revisions: records.filter((record) => record.entity === 'campaign-revision'),
    tenants: records.filter((record) => record.entity === 'tenant'),
  };
}
