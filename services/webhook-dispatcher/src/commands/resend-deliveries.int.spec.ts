import { deliveryCodec, type DeliveryFact } from '@tributary/contracts/delivery-record';
import { recordKey } from '@tributary/contracts/topics';
import { expect } from 'chai';
import {
  type AskedDispatcher,
  createAskedDispatcher,
  exhausted,
  minute,
} from '../testing/asked-dispatcher.ts';
import { attempted, incomingFacts } from '../testing/facts.ts';
import { incomingIssuances, issuance } from '../testing/records.ts';

import { createDispatchDatabase } from '../testing/database.ts';
const by = 'ops@example.com';

describe('deliveries that operators ask for anew', () => {
  let dispatcher: AskedDispatcher;

  before(async () => {
    dispatcher = await createAskedDispatcher();
  });
  beforeEach(() => dispatcher.renew());
  after(() => dispatcher.end());

  describe('a resend', () => {
    it('opens a round of a finished one, on the log and here, and records who asked for it', async () => {
      const [id] = await dispatcher.issue(1);
      await dispatcher.database.apply(...incomingFacts(attempted(id!, { outcome: 'delivered' })));
      const asked = { by, note: 'lost by the receiver' };
      expect(await dispatcher.ask(['deliveries', id!, 'resend'], asked)).to.deep.equal([
        200,
        { webhookEventId: id, state: 'pending', round: 1, attempts: 1 },
      ]);
      const [fact] = await dispatcher.factsOf(id!);
      expect(fact).to.include({ type: 'resent', round: 1, attempts: 1, ...asked });
      const { rows } = await dispatcher.database.pool.query(
        `select state, step, claimed_by, due_at <= now() as due, round_started_at = due_at as fresh
         from delivery`,
      );
      expect(rows).to.deep.equal([
        { state: 'pending', step: 0, claimed_by: null, due: true, fresh: true },
      ]);
    });

    it('makes a pending one due now, without a round', async () => {
      const [id] = await dispatcher.issue(1);
      const later = new Date(Date.now() + 3_600_000).toISOString();
      await dispatcher.database.apply(...incomingFacts(attempted(id!, { nextAttemptAt: later })));
      await dispatcher.database.pool.query(`update endpoint set next_at = 'infinity'`);
      expect(await dispatcher.ask(['deliveries', id!, 'resend'], { by })).to.deep.equal([
        200,
        { webhookEventId: id, state: 'pending', round: 0, attempts: 1 },
      ]);
      const { rows } = await dispatcher.database.pool.query(
        `select due_at <= now() as due, next_at <= now() as looked from delivery
         join endpoint using (tenant_id)`,
      );
      expect(rows).to.deep.equal([{ due: true, looked: true }]);
      expect(await dispatcher.factsOf(id!)).to.deep.equal([]);
    });

    it('of what was delivered longer ago than is kept is refused, and says why', async () => {
      const [id, soon, young, noted] = await dispatcher.issue(4);
      dispatcher.deliveryDays = 30;
      await dispatcher.restart();
      const daysAgo = (days: number, moreMs = 0) =>
        new Date(Date.now() - days * 24 * 3_600_000 + moreMs).toISOString();
      await dispatcher.database.apply(
        ...incomingFacts(
          // Half an hour before it goes.
          attempted(soon!, { outcome: 'delivered', startedAt: daysAgo(30, 1_800_000) }),
          attempted(young!, { outcome: 'delivered', startedAt: daysAgo(29) }),
          attempted(noted!, { outcome: 'delivered', startedAt: daysAgo(29) }),
        ),
      );
      await dispatcher.database.pool.query(
        `with gone as (
           delete from delivery where webhook_event_id = $1 returning webhook_event_id, tenant_id)
         insert into forgotten select webhook_event_id, tenant_id from gone`,
        [id],
      );
      // By a process with a shorter time, which was killed before the row went.
      await dispatcher.database.pool.query(`insert into forgotten values ($1, 't1')`, [noted]);
      const detail =
        'This webhook was delivered about 30 days ago or longer: it is not kept any more.';
      for (const tooOld of [id!, soon!, noted!]) {
        expect(await dispatcher.ask(['deliveries', tooOld, 'resend'], { by })).to.deep.equal([
          409,
          { detail: `${detail} It cannot be sent again.` },
        ]);
      }
      expect(await dispatcher.ask(['deliveries', id!, 'show'], {})).to.deep.equal([
        404,
        { detail },
      ]);
      for (const [what, given] of [['show', {}] as const, ['resend', { by }] as const]) {
        const asked = ['deliveries', id!, what];
        const [status, body] = await dispatcher.ask(asked, given, 'other');
        expect(status).to.equal(404);
        expect(body).to.deep.equal({ detail: 'This tenant has no delivery with this id.' });
      }
      expect(await dispatcher.factsOf(id!, soon!, noted!)).to.deep.equal([]);
      expect((await dispatcher.ask(['deliveries', young!, 'resend'], { by }))[0]).to.equal(200);
    });

    it('makes one round of what two operators ask for at once', async () => {
      const [id] = await dispatcher.issue(1);
      await dispatcher.database.apply(...incomingFacts(exhausted(id!, 5)));
      const answers = await Promise.all(
        ['anna', 'bert', 'cleo'].map((who) =>
          dispatcher.ask(['deliveries', id!, 'resend'], { by: who }),
        ),
      );
      for (const [status, body] of answers) {
        expect(status).to.equal(200);
        expect(body).to.include({ round: 1, attempts: 2 });
      }
      const { rows } = await dispatcher.database.pool.query('select round from delivery');
      expect(rows).to.deep.equal([{ round: 1 }]);
      const resends = await dispatcher.database.pool.query('select from resend');
      expect(resends.rows).to.have.length(1);
      for (const fact of await dispatcher.factsOf(id!)) expect(fact.round).to.equal(1);
    });
  });

  describe('a resend by filter', () => {
    const count = ['deliveries', 'resend', 'count'];
    const resend = ['deliveries', 'resend'];
    const states = async () => {
      const { rows } = await dispatcher.database.pool.query<{ state: string; round: number }>(
        'select state, round from delivery order by webhook_event_id',
      );
      return rows.map(({ state, round }) => `${state} ${round}`).sort();
    };

    it('sends again what was counted, each once however often it is asked, and never more', async () => {
      const ids = await dispatcher.issue(4);
      await dispatcher.database.apply(
        ...incomingFacts(
          attempted(ids[0]!, { outcome: 'delivered', startedAt: minute(1) }),
          attempted(ids[1]!, { outcome: 'delivered', startedAt: minute(2) }),
          exhausted(ids[2]!, 3),
        ),
      );
      const filter = { state: 'delivered' };
      const [status, counted] = await dispatcher.ask(count, { filter });
      expect(status).to.equal(200);
      expect(counted).to.include({ count: 2, credits: '20', more: false });
      const { asOf } = counted as unknown as { asOf: string };
      const fewer = await dispatcher.ask(resend, { by, filter, seen: { count: 1, asOf } });
      expect(fewer[0]).to.equal(409);
      expect(await states()).to.deep.equal([
        'delivered 0',
        'delivered 0',
        'exhausted 0',
        'pending 0',
      ]);

      const body = { by, filter, seen: { count: 2, asOf } };
      const done = await dispatcher.ask(resend, body);
      expect(done).to.deep.equal([200, { resent: 2, more: false }]);
      expect(await states()).to.deep.equal(['exhausted 0', 'pending 0', 'pending 1', 'pending 1']);
      expect(await dispatcher.ask(resend, body)).to.deep.equal([200, { resent: 0, more: false }]);
      expect(await dispatcher.factsOf(...ids)).to.have.length(2);
    });

    it('is counted by state as the list shows them', async () => {
      const ids = await dispatcher.issue(3);
      await dispatcher.database.apply(
        ...incomingFacts(attempted(ids[0]!, { outcome: 'delivered' }), exhausted(ids[1]!, 3)),
      );
      const [, counts] = await dispatcher.ask(['deliveries', 'counts'], {});
      const { groups } = counts as unknown as { groups: { value: string; count: number }[] };
      expect(groups.map(({ value, count: some }) => [value, some])).to.have.deep.members([
        // Pending, while the tenant has no endpoint.
        ['no-endpoint', 1],
        ['delivered', 1],
        ['exhausted', 1],
      ]);
      const listed = async (order: string) => {
        const [, page] = await dispatcher.ask(['deliveries', 'search'], { limit: 10, order });
        const { deliveries } = page as unknown as { deliveries: { webhookEventId: string }[] };
        return deliveries.map(({ webhookEventId }) => webhookEventId);
      };
      expect(await listed('oldest')).to.deep.equal((await listed('newest')).reverse());
    });
  });

  describe('a recovery', () => {
    const recover = ['webhook', 'recover'];

    it('takes the first that were exhausted, so many at a time, until none is left', async () => {
      const ids = await dispatcher.issue(8);
      await dispatcher.database.apply(
        ...incomingFacts(
          ...ids.slice(0, 6).map((id, n) => exhausted(id, 100 - n)),
          attempted(ids[6]!, { outcome: 'delivered' }),
        ),
      );
      const [older] = await dispatcher.issue(1, 't2');
      await dispatcher.database.apply(...incomingFacts(exhausted(older!, 99, 't2')));
      // 100 is not in the period, 95 is.
      const body = { by, since: minute(95), until: minute(100), limit: 2 };
      const rounds = async () => {
        const { rows } = await dispatcher.database.pool.query<{ id: string }>(
          'select webhook_event_id as id from delivery where round > 0',
        );
        return rows.map(({ id }) => ids.indexOf(id)).sort();
      };
      expect(await dispatcher.ask(recover, body)).to.deep.equal([
        200,
        { recovered: 2, more: true, remaining: 3 },
      ]);
      expect(await rounds()).to.deep.equal([4, 5]);
      expect((await dispatcher.ask(recover, body))[1]).to.deep.equal({
        recovered: 2,
        more: true,
        remaining: 1,
      });
      expect((await dispatcher.ask(recover, body))[1]).to.deep.equal({
        recovered: 1,
        more: false,
        remaining: 0,
      });
      expect((await dispatcher.ask(recover, body))[1]).to.deep.equal({
        recovered: 0,
        more: false,
        remaining: 0,
      });
      expect(await rounds()).to.deep.equal([1, 2, 3, 4, 5]);
      expect(await dispatcher.factsOf(...ids, older!)).to.have.length(5);
    });

    it('counts those that the reader of the log has written before it', async () => {
      const ids = await dispatcher.issue(3);
      await dispatcher.database.apply(...incomingFacts(...ids.map((id) => exhausted(id, 50))));
      dispatcher.afterAppend = (facts) =>
        dispatcher.database.apply(...incomingFacts(...facts.slice(1)));
      const body = { by, since: minute(0), limit: 1_000 };
      const whole = { recovered: 3, more: false, remaining: 0 };
      expect(await dispatcher.ask(recover, body)).to.deep.equal([200, whole]);
    });

    it('takes one too that a process gave up whose clock is ahead of the database', async () => {
      const [id] = await dispatcher.issue(1);
      const minutesAhead = (Date.now() - Date.parse(minute(0))) / 60_000 + 1;
      await dispatcher.database.apply(...incomingFacts(exhausted(id!, minutesAhead)));
      const body = { by, since: minute(0), limit: 1_000 };
      const whole = { recovered: 1, more: false, remaining: 0 };
      expect(await dispatcher.ask(recover, body)).to.deep.equal([200, whole]);
    });

    it('recovers each once when two ask at the same time', async () => {
      const ids = await dispatcher.issue(20);
      await dispatcher.database.apply(...incomingFacts(...ids.map((id) => exhausted(id, 50))));
      const body = { since: minute(0), limit: 1_000 };
      const answers = await Promise.all([
        dispatcher.ask(recover, { ...body, by: 'anna' }),
        dispatcher.ask(recover, { ...body, by: 'bert' }),
      ]);
      const counts = answers.map(([, { recovered }]) => recovered as number);
      expect(counts[0]! + counts[1]!).to.equal(20);
      const { rows } = await dispatcher.database.pool.query(
        'select distinct round, state from delivery',
      );
      expect(rows).to.deep.equal([{ round: 1, state: 'pending' }]);
    });
  });

  it('lets a rebuilt database end where this one is', async () => {
    const ids = await dispatcher.issue(6);
    const tell = async (...facts: DeliveryFact[]) => {
      await dispatcher.appender.append(
        facts.map((fact) => ({
          topic: dispatcher.deliveriesTopic,
          key: recordKey(fact.tenantId, fact.webhookEventId),
          value: deliveryCodec.encode(fact),
        })),
      );
      await dispatcher.database.apply(...incomingFacts(...facts));
    };
    await tell(...ids.slice(0, 4).map((id, n) => exhausted(id, n + 1)));
    await tell(attempted(ids[4]!, { outcome: 'delivered' }));
    await dispatcher.ask(['webhook', 'recover'], { by, since: minute(0), limit: 3 });
    await tell(
      attempted(ids[0]!, { round: 1, attempt: 3, step: 1, nextAttemptAt: minute(99) }),
      attempted(ids[1]!, { round: 1, attempt: 3, step: 1, outcome: 'delivered' }),
    );
    await dispatcher.ask(['deliveries', ids[4]!, 'resend'], { by, note: 'again' });
    await dispatcher.ask(['deliveries', ids[1]!, 'resend'], { by });

    const rebuilt = await createDispatchDatabase();
    try {
      for (const fact of await dispatcher.factsOf(...ids))
        await rebuilt.apply(...incomingFacts(fact));
      await rebuilt.apply(
        ...incomingIssuances(
          ...ids.map((id, n) => issuance(id, { issuedAt: minute(n), recipientId: `r${n % 3}` })),
        ),
      );
      for (const table of ['delivery', 'attempt', 'resend']) {
        const read = async ({ pool }: typeof dispatcher.database) =>
          (await pool.query(`select * from ${table} order by webhook_event_id, 2, 3`))
            .rows as unknown[];
        expect(await read(rebuilt), table).to.deep.equal(await read(dispatcher.database));
      }
    } finally {
      await rebuilt.drop();
    }
  });
});
