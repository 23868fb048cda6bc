import type { DecisionRecord } from '@tributary/contracts/decision-record';
import type { EventRecord } from '@tributary/contracts/event-record';
import { isTransientPostgresError } from '@tributary/runtime/postgres';
import { createDatabase, type TestDatabase } from '@tributary/testkit/database';
import { expect } from 'chai';
import fc from 'fast-check';
import { type Arrival, arrivals } from '@tributary/attribution-fold/testing/arbitraries';
import { byEvent } from '@tributary/attribution-fold/decide-from-scratch';
import { type Parts, startParts } from '../testing/parts.ts';
import { code, eventIdOf, purchase, revision } from '@tributary/attribution-fold/testing/records';
import { createTryEvent, tryRoute } from './try-event.ts';

describe('a dry run of an event', () => {
  let database: TestDatabase;
  let parts: Parts;
  let tryEvent: ReturnType<typeof createTryEvent>;

  before(async () => {
    database = await createDatabase();
    parts = await startParts({ url: database.url });
    tryEvent = createTryEvent({
      pool: parts.pool,
      apply: (tx, batch) =>
        parts.applyIn(
          tx,
          'events',
          batch.map(({ value }) => value as EventRecord),
        ),
      recomputeOwnPage: (tx) => parts.recomputePage(tx, 'own'),
      decisionsInFull: parts.decisionsInFull,
      attributionsTopic: 'attributions',
    });
  });
  beforeEach(() => parts.clear());
  after(async () => {
    await parts.stop();
    await database.drop();
  });

  it('answers what the real event then leads to, whatever came before, and leaves nothing', async () => {
    await fc.assert(
      fc.asyncProperty(arrivals, async ({ order: all }) => {
        await parts.clear();
        const last = all.findLastIndex(({ topic }) => topic === 'events');
        if (last === -1) return;
        const tried = all[last]!.record as EventRecord;
        await applyAll(all.filter(({ record }) => !isCopy(record, tried)));
        const before = await everything();
        const trial = await tryEvent(tried);
        expect(await everything()).to.deep.equal(before);

        const enqueued = (await parts.outbox()).length;
        await parts.apply('events', tried);
        await parts.sweep();
        const real = latestOf((await parts.outbox()).slice(enqueued));
        expect(trial.decisions.toSorted(byEvent)).to.deep.equal(real.toSorted(byEvent));
        expect(trial.complete).to.equal(true);
      }),
      { numRuns: 15 },
    );
  });

  it('names other events that would be decided differently, with what is decided now', async () => {
    await parts.apply('catalog', revision());
    await parts.apply('codes', code());
    await parts.apply('events', purchase(1, { invoiceId: 'inv', source: 'legacy' }));
    const trial = await tryEvent(purchase(2, { invoiceId: 'inv' }));
    const of = (n: number) => trial.decisions.find(({ eventId }) => eventId === eventIdOf(n));
    expect(of(2)).to.include({ outcome: 'attributed' });
    expect(of(1)).to.include({ outcome: 'not-attributed', reason: 'duplicate' });
    expect(trial.before.map(({ eventId, outcome }) => [eventId, outcome])).to.deep.equal([
      [eventIdOf(1), 'attributed'],
    ]);
  });

  it('goes on to what the sweeper would do: a loop that the event closes changes older decisions', async () => {
    await parts.apply('catalog', revision());
    const own = (ucc: string, productUserId: string) => code({ ucc, productUserId });
    await parts.apply('codes', own('code-a', 'anna'), own('code-b', 'bert'));
    const late = { occurredAt: '2026-05-01T10:00:00Z', userId: 'anna', ucc: 'code-b' };
    await parts.apply('events', purchase(1, late));
    await parts.sweep();
    const early = { occurredAt: '2026-04-01T10:00:00Z', userId: 'bert', ucc: 'code-a' };
    const trial = await tryEvent(purchase(2, early));
    const changed = trial.decisions.find(({ eventId }) => eventId === eventIdOf(1));
    expect(trial.before.map(({ outcome }) => outcome)).to.deep.equal(['attributed']);
    expect(changed).to.include({ outcome: 'not-attributed', reason: 'self-referral' });
  });

  it('leaves work of the sweeper that is there already to the sweeper', async () => {
    await parts.apply('events', purchase(1));
    await parts.pool.query(
      `insert into refold (tenant_id, scope, subject) values ('t1', 'user', 'user_1')`,
    );
    const before = await everything();
    expect((await tryEvent(purchase(2))).decisions).to.have.length(1);
    expect(await everything()).to.deep.equal(before);
  });

  it('keeps no work from the sweeper meanwhile', async () => {
    await parts.apply('events', purchase(1));
    await parts.pool.query(
      `insert into refold (tenant_id, scope, subject) values ('t1', 'user', 'user_1')`,
    );
    const dryRun = await parts.begin();
    await parts.applyIn(dryRun.tx, 'events', [purchase(2)]);
    while (await parts.recomputePage(dryRun.tx, 'own')) continue;
    await parts.sweep();
    const { rows } = await parts.pool.query('select from refold');
    expect(rows).to.have.length(0);
    await dryRun.commit();
  });

  it('gives up soon when the real work is in the way, and is no hindrance after', async () => {
    const real = await parts.begin();
    await parts.applyIn(real.tx, 'catalog', [revision()]);
    const startedMs = performance.now();
    const error: unknown = await tryEvent(purchase(1)).catch((reason: unknown) => reason);
    expect(isTransientPostgresError(error), String(error)).to.equal(true);
    expect(performance.now() - startedMs).to.be.below(2_500);
    await real.commit();
    expect((await tryEvent(purchase(1))).decisions).to.have.length(1);
  });

  it('refuses what is no event record', async () => {
    const answer = await tryRoute(tryEvent).answer({
      param: () => '',
      query: new URLSearchParams(),
      json: { event: { ...purchase(1), tenantId: '' } },
      signal: new AbortController().signal,
    });
    expect(answer).to.include({ problem: 'VALIDATION_ERROR' });
  });

  async function applyAll(all: readonly Arrival[]): Promise<void> {
    for (const arrival of all) {
      if (arrival.topic === 'events') await parts.apply('events', arrival.record);
      else if (arrival.topic === 'codes') await parts.apply('codes', arrival.record);
      else await parts.apply('catalog', arrival.record);
    }
    await parts.sweep();
  }

  /** Every row of every table, and every advisory lock in the database. */
  async function everything(): Promise<string[]> {
    const tables = await parts.pool.query<{ name: string }>(
      `select quote_ident(tablename) as name from pg_tables
       where schemaname = current_schema() order by tablename`,
    );
    const found: string[] = [];
    for (const { name } of tables.rows) {
      const { rows } = await parts.pool.query<{ row: string }>(
        `select to_jsonb(t)::text as row from ${name} t order by 1`,
      );
      found.push(...rows.map(({ row }) => `${name} ${row}`));
    }
    const locks = await parts.pool.query(
      `select from pg_locks
       where locktype = 'advisory'
         and database = (select oid from pg_database where datname = current_database())`,
    );
    return [...found, `${locks.rowCount} advisory locks`];
  }
});

function latestOf(decisions: readonly DecisionRecord[]): DecisionRecord[] {
  return [...new Map(decisions.map((decision) => [decision.eventId, decision])).values()];
}

function isCopy(record: Arrival['record'], event: EventRecord): boolean {
  return 'eventId' in record && record.eventId === event.eventId;
}
