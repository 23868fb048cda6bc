import { inTransaction } from '@tributary/runtime/postgres';
import { eventually } from '@tributary/testkit/eventually';
import { expect } from 'chai';
import type { SendDelivery } from '../endpoint/send-delivery.ts';
import { restoreFacts } from '../log/restore-facts.ts';
import { createDispatchDatabase } from '../testing/database.ts';
import { resent } from '../testing/facts.ts';
import { answered, createFleet, type Fleet } from '../testing/fleet.ts';
import { incomingIssuances, issuance, uuidOf } from '../testing/records.ts';

/**
 * Everything at once that writes the tables: intake, claims, results, the reading of our own facts,
 * resends, a worker that dies. Locks are taken in one order, so nobody deadlocks (migration 2).
 */
describe('everything at once', () => {
  const tenants = Array.from({ length: 8 }, (_, n) => `t${n}`);
  const count = 600;
  let database: Awaited<ReturnType<typeof createDispatchDatabase>>;
  let fleet: Fleet;

  before(async () => {
    database = await createDispatchDatabase();
    fleet = createFleet(database.pool);
    await fleet.endpoints(...tenants);
  });

  after(async () => {
    await fleet.stop();
    await database.drop();
  });

  it('deadlocks nobody, loses nothing and leaves the counters at zero', async () => {
    const send: SendDelivery = ({ attempt, body }) =>
      Promise.resolve(answered(attempt === 1 && body.length % 3 === 0 ? 503 : 200));
    const workers = ['a', 'b', 'c', 'd'].map((name) =>
      fleet.start({ name, send, breaker: { failuresInARow: 1_000, failureShare: 2 } }),
    );
    let over = false;
    const reading = again(() => fleet.log.read());
    const resending = again(async () => {
      const done = fleet.log.facts.filter((f) => f.type === 'attempted' && f.outcome !== 'failed');
      const some = done.filter((f) => f.round === 0).slice(0, 40);
      const facts = some.map(({ webhookEventId, tenantId, issuanceId }) =>
        resent(webhookEventId, { tenantId, issuanceId, attempts: 1 }),
      );
      await inTransaction(database.pool, (tx) => restoreFacts(tx, facts));
    });
    for (let at = 0; at < count; at += 30) {
      const records = Array.from({ length: 30 }, (_, n) => {
        const tenantId = tenants[(at + n) % tenants.length]!;
        return issuance(uuidOf(`e-${at + n}`), {
          tenantId,
          recipientId: `r${(at + n) % 7}`.repeat((n % 3) + 1),
        });
      });
      await database.apply(...incomingIssuances(...records));
    }
    await workers[0]!.die();
    await eventually(async () => expect(await pending()).to.equal(0), { deadlineMs: 30_000 });
    over = true;
    await Promise.all([reading, resending]);
    await eventually(async () => expect(await pending()).to.equal(0));
    await fleet.stop();

    const { rows } = await database.pool.query(
      `select count(*) filter (where state = 'delivered')::int as delivered,
         count(claimed_by)::int as claimed,
         (select sum(in_flight + retries_in_flight)::int from endpoint) as counted,
         (select deadlocks::int from pg_stat_database where datname = current_database())
           as deadlocks
       from delivery`,
    );
    expect(rows[0]).to.deep.equal({ delivered: count, claimed: 0, counted: 0, deadlocks: 0 });

    async function again(work: () => Promise<void>): Promise<void> {
      while (!over) {
        await work();
        await new Promise((resolve) => setImmediate(resolve));
      }
    }
  });

  async function pending(): Promise<number> {
    const { rows } = await database.pool.query<{ n: number }>(
      `select count(*) filter (where state <> 'delivered')::int + ${count} - count(*)::int as n
       from delivery`,
    );
    return rows[0]!.n;
  }
});
