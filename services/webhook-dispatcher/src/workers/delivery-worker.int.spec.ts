import type { DeliveryRecord } from '@tributary/contracts/delivery-record';
import { inTransaction } from '@tributary/runtime/postgres';
import { eventually } from '@tributary/testkit/eventually';
import { patiently } from '@tributary/testkit/patience';
import { expect } from 'chai';
import type { SendDelivery } from '../endpoint/send-delivery.ts';
import { applyRecords } from '../log/apply-records.ts';
import { createDispatchDatabase } from '../testing/database.ts';
import { attempted, incomingFacts } from '../testing/facts.ts';
import { accepting, answered, createFleet, type Fleet } from '../testing/fleet.ts';
import { incomingIssuances, issuance, uuidOf } from '../testing/records.ts';

const hourMs = 3_600_000;

type Sent = { eventId: string; attempt: number; body: Buffer; tenantId: string };

describe('delivery worker', () => {
  let database: Awaited<ReturnType<typeof createDispatchDatabase>>;
  let fleet: Fleet;
  let sent: Sent[];
  let openNow: number;
  let mostOpen: number;

  before(async () => {
    database = await createDispatchDatabase();
  });

  beforeEach(async () => {
    // A worker that died in the spec before may be in the middle of a statement.
    await eventually(() =>
      database.pool.query('truncate delivery, attempt, resend, endpoint, worker'),
    );
    fleet = createFleet(database.pool);
    await fleet.endpoints('t1', 't2');
    sent = [];
    openNow = 0;
    mostOpen = 0;
  });

  afterEach(() => fleet.stop());
  after(() => database.drop());

  describe('an attempt', () => {
    it('delivers each issuance once, however often it is read', async () => {
      const records = ids(3).map((id) => issuance(id));
      await database.apply(...incomingIssuances(...records, ...records));
      await database.apply(...incomingIssuances(...records));
      fleet.start({ send: recorded(accepting) });
      await allAre('delivered', 3);
      expect(sent.map((s) => s.eventId).sort()).to.deep.equal(ids(3).sort());
    });

    it('sends the same event id and identical bytes until a 2xx (6.1, delivery)', async () => {
      await issue(ids(1), { credits: '2.50' });
      fleet.start({ send: recorded(inTurn(500, 503, 200)) });
      await allAre('delivered', 1);
      expect(sent.map((s) => s.attempt)).to.deep.equal([1, 2, 3]);
      expect(new Set(sent.map((s) => s.body.toString())).size).to.equal(1);
    });

    it('is recorded on the log and written to the attempts log with its answer', async () => {
      await issue(ids(1));
      fleet.start({ send: inTurn(500, 204) });
      await allAre('delivered', 1);
      expect(reported().map((f) => [f.attempt, f.step, f.outcome, f.statusCode])).to.deep.equal([
        [1, 1, 'failed', 500],
        [2, 2, 'delivered', 204],
      ]);
      expect(reported()[0]).to.have.property('nextAttemptAt');
      const { rows } = await database.pool.query(
        'select attempt, step, outcome, answer_headers, answer_cut from attempt order by attempt',
      );
      expect(rows).to.deep.equal([
        { attempt: 1, step: 1, outcome: 'failed', answer_headers: [], answer_cut: false },
        { attempt: 2, step: 2, outcome: 'delivered', answer_headers: [], answer_cut: false },
      ]);
    });

    it('is claimed by the transaction that takes it in, and made once that is committed', async () => {
      const { worker, lease } = fleet.start({ send: recorded(accepting), pollMs: hourMs });
      await untilItHasLooked(lease);
      const takeIn = (id: string, then: () => Promise<void>) =>
        inTransaction(database.pool, async (tx) => {
          await applyRecords(tx, incomingIssuances(issuance(id)), worker.becameDue);
          const { rows } = await tx.query('select claimed_by from delivery where state = $1', [
            'pending',
          ]);
          expect(rows).to.deep.equal([{ claimed_by: lease.workerId() }]);
          await then();
        });
      const workerId = lease.workerId();
      const rolledBack = await takeIn(ids(1)[0]!, () => Promise.reject(new Error('no'))).catch(
        (error: Error) => error.message,
      );
      expect(rolledBack).to.equal('no');
      await takeIn(ids(1)[0]!, () => Promise.resolve());
      await allAre('delivered', 1);
      expect(sent).to.have.length(1);
      expect(lease.workerId()).to.equal(workerId);
    });

    it('takes no slot that was given away while its transaction waited for a connection', async () => {
      const { pool } = database;
      const exchange = gate();
      const { worker, lease } = fleet.start({
        ...{ maxInFlight: 1, pollMs: hourMs },
        send: recorded(async () => {
          await exchange.pass();
          return answered(200);
        }),
      });
      await untilItHasLooked(lease);
      const others = await Promise.all(Array.from({ length: 9 }, () => pool.connect()));
      await inTransaction(pool, async (tx) => {
        worker.wake();
        // It and the sweep.
        await eventually(() => expect(pool.waitingCount).to.be.at.least(2));
        const batch = incomingIssuances(...ids(2).map((id) => issuance(id)));
        await applyRecords(tx, batch, worker.becameDue);
      });
      for (const tx of others) tx.release();
      await exchange.reached;
      await eventually(() => expect(pool.waitingCount).to.equal(0));
      await eventually(() => expect(pool.idleCount).to.equal(pool.totalCount));
      exchange.open();
      worker.wake();
      await allAre('delivered', 2);
      expect(mostOpen).to.equal(1);
    });

    it('tells everybody of what it left because it took something else', async () => {
      const { worker, lease } = fleet.start({ maxInFlight: 1, pollMs: hourMs, send: accepting });
      await eventually(() => expect(lease.workerId()).to.be.a('string'));
      await eventually(async () => expect((await endpoint('t2')).next_at).to.equal('infinity'));
      // Nobody hears of this one: it has been due for longer, and is taken first.
      await issue([uuidOf('older')], { tenantId: 't2' });
      const told: string[] = [];
      const listening = await database.pool.connect();
      listening.on('notification', ({ channel }) => told.push(channel));
      await listening.query('listen webhook_due_dispatch');
      await inTransaction(database.pool, (tx) =>
        applyRecords(tx, incomingIssuances(issuance(ids(1)[0]!)), worker.becameDue),
      );
      await eventually(() => expect(told).to.deep.equal(['webhook_due_dispatch']));
      expect(await countOf('t1', 'pending')).to.equal(1);
      listening.release(true);
    });

    it('waits as long as Retry-After asks', async () => {
      await issue(ids(1));
      fleet.start({ send: () => Promise.resolve(answered(429, '3600')) });
      await eventually(async () => expect(await minutesToNext()).to.be.within(59, 60));
    });

    it('is exhausted when the schedule ends', async () => {
      await issue(ids(1));
      fleet.start({ send: inTurn(500), retryDelaysMs: [1, 1] });
      await allAre('exhausted', 1);
      expect(reported().map((f) => f.outcome)).to.deep.equal(['failed', 'failed', 'exhausted']);
    });

    it('is exhausted at the horizon, which counts from issue', async () => {
      await issue(ids(1), { issuedAt: ago(100 * hourMs) });
      fleet.start({ send: recorded(inTurn(500)) });
      await allAre('exhausted', 1);
      expect(sent).to.have.length(1);
    });

    it('makes the last try at the horizon when its delay would pass it', async () => {
      const issuedAt = ago(75 * hourMs);
      await issue(ids(1), { issuedAt });
      fleet.start({ send: inTurn(500), retryDelaysMs: [24 * hourMs] });
      await eventually(() => expect(reported()).to.have.length(1));
      expect(Date.parse(reported()[0]!.nextAttemptAt!)).to.equal(
        Date.parse(issuedAt) + 76 * hourMs,
      );
    });

    it('is not made for a reason of our own: the endpoint rests here, others may send', async () => {
      await issue(ids(40));
      await issue(ids(1, 'other'), { tenantId: 't2' });
      const lacksKey: SendDelivery = (request, target) =>
        target.tenantId === 't1'
          ? Promise.reject(new Error('the key ring has not this key'))
          : accepting(request, target);
      fleet.start({ send: recorded(lacksKey), maxInFlightPerEndpoint: 4 });
      await eventually(async () => expect(await countOf('t2', 'delivered')).to.equal(1));
      await eventually(async () => expect(await inFlight()).to.deep.equal({ t1: 0, t2: 0 }));
      // Further rounds would have been made by then.
      for (let n = 0; n < 3; n++) {
        await issue(ids(1, `more-${n}`), { tenantId: 't2' });
        await eventually(async () => expect(await countOf('t2', 'delivered')).to.equal(n + 2));
      }
      expect(sent.filter(({ tenantId }) => tenantId === 't1').length).to.be.within(1, 4);
      const { rows } = await database.pool.query('select from delivery where attempts > 0');
      expect(rows, 'no attempt of t1').to.have.length(4);
      fleet.start({ send: accepting });
      await eventually(async () => expect(await countOf('t1', 'delivered')).to.equal(40));
    });

    it('waits for an endpoint without end, then is made even behind the horizon', async () => {
      await issue(ids(1), { tenantId: 'later', issuedAt: ago(100 * hourMs) });
      fleet.start({ send: recorded(accepting) });
      await issue([uuidOf('other')]);
      await eventually(() => expect(sent).to.have.length(1));
      await fleet.endpoints('later');
      await allAre('delivered', 2);
      expect(sent[1]).to.include({ tenantId: 'later', attempt: 1 });
    });

    it('goes on with the next one after a rebuild', async () => {
      await database.apply(...incomingFacts(attempted(ids(1)[0]!, { attempt: 4 })));
      await issue(ids(1));
      fleet.start({ send: recorded(accepting) });
      await allAre('delivered', 1);
      expect(sent[0]!.attempt).to.equal(5);
    });
  });

  describe('several workers', () => {
    it('never have one delivery in two hands', async () => {
      await issue(ids(60));
      const hands = new Map<string, number>();
      const send = recorded(async ({ body, attempt }) => {
        const id = eventIdOf(body);
        hands.set(id, (hands.get(id) ?? 0) + 1);
        expect(hands.get(id)).to.equal(1);
        await turns(5);
        hands.set(id, 0);
        return answered(attempt === 1 && id < '4' ? 500 : 200);
      });
      const breaker = { failuresInARow: 1_000, failureShare: 2 };
      for (const name of ['a', 'b', 'c']) fleet.start({ name, send, breaker });
      await allAre('delivered', 60);
      expect(sent.length).to.equal(reported().length);
    });

    it('keep to the limit per endpoint together, also while a claim is under way', async () => {
      await issue(ids(30));
      const claiming = gate();
      const held = fleet.start({
        name: 'a',
        maxInFlightPerEndpoint: 3,
        send: recorded(slowly),
        observe: (hook) => (hook === 'claimed' ? claiming.pass() : undefined),
      });
      await claiming.reached;
      // Holds the endpoint's row: nothing of it can be claimed by others, everything else can.
      fleet.start({ name: 'b', maxInFlightPerEndpoint: 3, send: recorded(slowly) });
      await fleet.endpoints('t3');
      await issue([uuidOf('of-another')], { tenantId: 't3' });
      await eventually(() => expect(sent.map((s) => s.tenantId)).to.deep.equal(['t3']));
      claiming.open();
      await allAre('delivered', 31);
      expect(mostOpen).to.be.at.most(3 + 1);
      expect(held.lease.workerId()).to.be.a('string');
    });

    it('send while results wait, no more at once than an endpoint may get', async () => {
      await issue(ids(30));
      const results = gate();
      fleet.start({
        maxInFlightPerEndpoint: 4,
        send: recorded(slowly),
        observe: (hook) => (hook === 'recorded' ? results.pass() : undefined),
      });
      await eventually(async () => expect((await inFlight())['t1']).to.equal(8));
      await eventually(() => expect(sent).to.have.length(8));
      results.open();
      await allAre('delivered', 30);
      expect(mostOpen).to.be.at.most(4);
    });

    it('send no more at once when somebody else has written what came of the others', async () => {
      await issue(ids(3));
      const results = gate();
      const exchanges = gate();
      fleet.start({
        maxInFlightPerEndpoint: 1,
        send: recorded(async (_, target) => {
          // The first one is answered, the next one hangs.
          if (target.tenantId === 't1' && sent.length > 1) await exchanges.pass();
          return answered(200);
        }),
        observe: (hook) => (hook === 'recorded' ? results.pass() : undefined),
      });
      await exchanges.reached;
      await fleet.log.read();
      expect(await inFlight()).to.deep.include({ t1: 1 });
      // A claim that finds this one looks at the other endpoint as well.
      await issue([uuidOf('of-another')], { tenantId: 't2' });
      await eventually(() => expect(sent.map((s) => s.tenantId)).to.include('t2'));
      const ofFirst = sent.filter(({ tenantId }) => tenantId === 't1');
      expect(ofFirst, 'one answered, one under way').to.have.length(2);
      exchanges.open();
      results.open();
      await allAre('delivered', 4);
    });

    it('send for others while one endpoint hangs (design 4, promise 8)', async () => {
      await issue(ids(50, 'slow'), { tenantId: 't2' });
      await issue(ids(50, 'fast'));
      const send: SendDelivery = (request, endpoint) =>
        endpoint.tenantId === 't2' ? never() : accepting(request, endpoint);
      const worker = fleet.start({ maxInFlight: 8, maxInFlightPerEndpoint: 4, send });
      await eventually(async () => expect(await countOf('t1', 'delivered')).to.equal(50));
      expect((await inFlight())['t2']).to.equal(4);
      expect(worker.worker.gauges['tributary_webhook_in_flight']?.read()).to.equal(4);
      await worker.die();
    });

    it('leave room for first tries: retries fill at most half of an endpoint', async () => {
      const retries = ids(10, 'retry');
      await database.apply(...incomingFacts(...retries.map((id) => attempted(id))));
      await issue(retries);
      let open = 0;
      const worker = fleet.start({
        maxInFlightPerEndpoint: 4,
        send: recorded(({ attempt }) => {
          if (attempt === 1) return Promise.resolve(answered(200));
          open += 1;
          return never();
        }),
      });
      await eventually(() => expect(open).to.equal(2));
      await issue(ids(20, 'first'));
      await eventually(async () => expect(await countOf('t1', 'delivered')).to.equal(20));
      expect(open).to.equal(2);
      await worker.die();
    });
  });

  describe('a lease', () => {
    it('that a worker slept through fences it: it sends nothing, and goes on as another', async () => {
      await issue(ids(5));
      let slept = false;
      let first: string | undefined;
      const sentBy = new Set<string | undefined>();
      const { lease } = fleet.start({
        leaseMs: patiently(1_000),
        send: recorded((...request) => {
          sentBy.add(lease.workerId());
          return accepting(...request);
        }),
        observe: (hook) => {
          if (hook !== 'sending' || slept) return;
          slept = true;
          first = lease.workerId();
          sleepProcess(patiently(1_000) + 200);
        },
      });
      await allAre('delivered', 5);
      expect(first).to.be.a('string');
      expect(sentBy.has(first)).to.equal(false);
      expect(sent).to.have.length(5);
    });

    it('of a dead worker ends only after what it told was read; nothing is sent again', async () => {
      await issue(ids(5));
      const dying = gate();
      const dead = fleet.start({
        send: recorded(accepting),
        observe: (hook) => (hook === 'recorded' ? dying.pass() : undefined),
      });
      await eventually(() => expect(reported()).to.have.length(5));
      await dead.die();

      let asked = 0;
      let mayRead = false;
      const catchUp = async () => {
        asked += 1;
        if (mayRead) await fleet.log.read();
        return mayRead;
      };
      fleet.start({ send: recorded(accepting), catchUp });
      await eventually(() => expect(asked).to.be.at.least(3));
      expect((await inFlight())['t1']).to.equal(5);
      mayRead = true;
      await allAre('delivered', 5);
      expect(sent).to.have.length(5);
      await noWorkerBut(1);
      expect(await inFlight()).to.deep.equal({ t1: 0, t2: 0 });
    });

    it('of a dead worker that reported nothing ends, and another sends the same bytes', async () => {
      await issue(ids(5));
      const dead = fleet.start({
        send: recorded(accepting),
        observe: (hook) => (hook === 'answered' ? never() : undefined),
      });
      await eventually(() => expect(sent).to.have.length(5));
      await dead.die();
      fleet.start({ send: recorded(accepting) });
      await allAre('delivered', 5);
      expect(sent).to.have.length(10);
      expect(new Set(sent.map((s) => s.body.toString())).size).to.equal(5);
      expect(new Set(sent.map((s) => s.attempt))).to.deep.equal(new Set([1]));
    });

    it('of a worker that died while it claimed holds nothing', async () => {
      await issue(ids(5));
      const claiming = gate();
      const dead = fleet.start({
        send: recorded(accepting),
        observe: (hook) => (hook === 'claimed' ? claiming.pass() : undefined),
      });
      await claiming.reached;
      await dead.die();
      await database.pool.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and state = 'idle in transaction'`,
      );
      fleet.start({ send: recorded(accepting) });
      await allAre('delivered', 5);
      expect(sent).to.have.length(5);
      claiming.open();
    });

    it('that was lost during an exchange: delivered counts all the same', async () => {
      await issue(ids(1));
      const exchange = gate();
      fleet.start({
        name: 'slow',
        maxInFlight: 1,
        send: recorded(async () => {
          await exchange.pass();
          return answered(200);
        }),
      });
      await exchange.reached;
      // Another has it now, as it happens when this one slept: the same attempt, twice.
      await database.pool.query('update delivery set claimed_by = gen_random_uuid()');
      exchange.open();
      await allAre('delivered', 1);
      expect(await inFlight()).to.deep.equal({ t1: 0, t2: 0 });
    });
  });

  describe('the breaker', () => {
    const breaker = { failuresInARow: 5, openMs: 60, maxOpenMs: 120 };

    it('opens, probes one at a time over all workers, closes, and uses up no attempts', async () => {
      await issue(ids(40));
      let broken = true;
      const send = recorded(async () => {
        await turns(3);
        return answered(broken ? 500 : 200);
      });
      const options = { send, breaker, maxInFlightPerEndpoint: 4, retryDelaysMs: [hourMs] };
      fleet.start({ name: 'a', ...options });
      fleet.start({ name: 'b', ...options });
      await eventually(async () => expect((await endpoint('t1')).opened).to.be.at.least(1));
      // What was claimed before that may have yet to be sent.
      await eventually(async () => expect((await inFlight())['t1']).to.equal(0));
      mostOpen = 0;
      await eventually(async () => expect((await endpoint('t1')).opened).to.be.at.least(5));
      expect(mostOpen).to.equal(1);
      const { rows } = await database.pool.query<{ used: number }>(
        'select count(*) filter (where step > 0)::int as used from delivery',
      );
      // Short of five in a row, four more may have ended, which take no room (decision 62), and
      // four are being exchanged meanwhile.
      expect(rows[0]!.used).to.be.at.most(4 + 4 + 4);

      broken = false;
      await eventually(async () => {
        expect(await countOf('t1', 'delivered')).to.equal(40 - rows[0]!.used);
      });
      expect(await endpoint('t1')).to.include({ opened: 0, probe_at: null, failing_since: null });
    });

    it('is no other endpoint’s', async () => {
      await issue(ids(20, 'bad'), { tenantId: 't2' });
      const send: SendDelivery = (_request, { tenantId }) =>
        Promise.resolve(answered(tenantId === 't2' ? 500 : 200));
      fleet.start({ send, breaker, retryDelaysMs: [hourMs] });
      await eventually(async () => expect((await endpoint('t2')).probe_at).not.to.equal(null));
      await issue(ids(20, 'good'));
      await eventually(async () => expect(await countOf('t1', 'delivered')).to.equal(20));
      expect(await endpoint('t2')).to.include({ last_failure: 'status 500' });
    });
  });

  describe('a log that does not answer', () => {
    it('lets nothing be claimed and results wait; both go on when it answers', async () => {
      await issue(ids(3));
      const exchange = gate();
      const leaseMs = patiently(1_000);
      fleet.start({
        maxInFlight: 3,
        leaseMs,
        send: recorded(async () => {
          await exchange.pass();
          return answered(200);
        }),
      });
      await eventually(() => expect(sent).to.have.length(3));
      fleet.log.answers = false;
      exchange.open();
      await issue(ids(3, 'waiting'));
      // Longer than the lease: heartbeats keep it.
      const { rows } = await database.pool.query<{ worker_id: string; until: Date }>(
        'select worker_id, alive_until as until from worker',
      );
      await eventually(async () => {
        const worker = await database.pool.query<{ later: boolean }>(
          `select alive_until > $2::timestamptz + make_interval(secs => $3) as later from worker
           where worker_id = $1`,
          [rows[0]!.worker_id, rows[0]!.until, leaseMs / 1_000],
        );
        expect(worker.rows[0]?.later).to.equal(true);
      });
      expect(sent).to.have.length(3);
      expect((await inFlight())['t1']).to.equal(3);
      fleet.log.answers = true;
      await allAre('delivered', 6);
      expect(sent).to.have.length(6);
    });
  });

  describe('a stop', () => {
    it('waits for what is under way, and leaves neither claim nor worker', async () => {
      await issue(ids(20));
      const exchange = gate();
      const worker = fleet.start({
        maxInFlightPerEndpoint: 5,
        send: recorded(async () => {
          await exchange.pass();
          return answered(200);
        }),
      });
      await eventually(() => expect(sent).to.have.length(5));
      const stopped = worker.stop();
      exchange.open();
      await stopped;
      expect(sent).to.have.length(5);
      expect(await countOf('t1', 'delivered')).to.equal(5);
      expect(await inFlight()).to.deep.equal({ t1: 0, t2: 0 });
      await noWorkerBut(0);
    });

    it('gives back at once what was claimed and not sent', async () => {
      await issue(ids(20));
      const exchange = gate();
      const claiming = gate();
      let claims = 0;
      const worker = fleet.start({
        maxInFlightPerEndpoint: 5,
        send: recorded(async () => {
          await exchange.pass();
          return answered(200);
        }),
        observe: (hook) => (hook === 'claimed' && ++claims === 2 ? claiming.pass() : undefined),
      });
      await eventually(() => expect(sent).to.have.length(5));
      await issue(ids(3, 'more'), { tenantId: 't2' });
      await claiming.reached;
      const before = await claimable('t2');
      const stopped = worker.stop();
      claiming.open();
      // The first five are still under way; the others were claimed and are free again.
      await eventually(async () => {
        const after = await claimable('t2');
        expect(after).to.have.length(3);
        expect(after.filter((version) => before.includes(version))).to.deep.equal([]);
        expect(await inFlight()).to.deep.equal({ t1: 5, t2: 0 });
      });
      exchange.open();
      await stopped;
      expect(sent).to.have.length(5);
      await noWorkerBut(0);
    });
  });

  // --- what the specs above ask and do

  async function issue(eventIds: string[], changes: Parameters<typeof issuance>[1] = {}) {
    await database.apply(...incomingIssuances(...eventIds.map((id) => issuance(id, changes))));
  }

  /** Notes what is sent, and how many are under way at once. */
  function recorded(send: SendDelivery): SendDelivery {
    return async (request, target) => {
      const { attempt, body } = request;
      sent.push({ eventId: eventIdOf(body), attempt, body, tenantId: target.tenantId });
      openNow += 1;
      mostOpen = Math.max(mostOpen, openNow);
      try {
        return await send(request, target);
      } finally {
        openNow -= 1;
      }
    };
  }

  function reported(): DeliveryRecord[] {
    return fleet.log.facts.filter((fact) => fact.type === 'attempted');
  }

  async function allAre(state: string, count: number): Promise<void> {
    await eventually(async () => {
      const { rows } = await database.pool.query<{ state: string; n: number }>(
        'select state, count(*)::int as n from delivery group by 1',
      );
      expect(rows).to.deep.equal([{ state, n: count }]);
    });
  }

  async function countOf(tenantId: string, state: string): Promise<number> {
    const { rows } = await database.pool.query<{ n: number }>(
      'select count(*)::int as n from delivery where tenant_id = $1 and state = $2',
      [tenantId, state],
    );
    return rows[0]!.n;
  }

  async function inFlight(): Promise<Record<string, number>> {
    const { rows } = await database.pool.query<{ tenant_id: string; in_flight: number }>(
      `select tenant_id, in_flight from endpoint where tenant_id in ('t1', 't2') order by 1`,
    );
    return Object.fromEntries(rows.map((row) => [row.tenant_id, row.in_flight]));
  }

  /** Versions of the rows that are free. */
  async function claimable(tenantId: string): Promise<string[]> {
    const { rows } = await database.pool.query<{ version: string }>(
      `select xmin::text as version from delivery where tenant_id = $1 and claimed_by is null`,
      [tenantId],
    );
    return rows.map((row) => row.version);
  }

  async function endpoint(tenantId: string) {
    const { rows } = await database.pool.query<{
      opened: number;
      probe_at: Date | null;
      failing_since: Date | null;
      last_failure: string | null;
      next_at: string;
    }>(
      `select opened, probe_at, failing_since, last_failure, next_at::text from endpoint
       where tenant_id = $1`,
      [tenantId],
    );
    return rows[0]!;
  }

  /** Its first look is over, and the next one an hour away: it holds no endpoint. */
  async function untilItHasLooked(lease: { workerId(): string | undefined }): Promise<void> {
    await eventually(() => expect(lease.workerId()).to.be.a('string'));
    await eventually(async () => expect((await endpoint('t1')).next_at).to.equal('infinity'));
    const { pool } = database;
    await eventually(() => expect(pool.idleCount).to.equal(pool.totalCount));
  }

  async function minutesToNext(): Promise<number> {
    const { rows } = await database.pool.query<{ minutes: number }>(
      `select extract(epoch from due_at - now())::float8 / 60 as minutes from delivery`,
    );
    return rows[0]!.minutes;
  }

  async function noWorkerBut(count: number): Promise<void> {
    await eventually(async () => {
      const { rows } = await inTransaction(database.pool, (tx) => tx.query('select from worker'));
      expect(rows).to.have.length(count);
    });
  }
});

function ids(count: number, name = 'ev'): string[] {
  return Array.from({ length: count }, (_, n) => uuidOf(`${name}-${n}`));
}

function ago(ms: number): string {
  return new Date(Date.now() - ms).toISOString();
}

function eventIdOf(body: Buffer): string {
  return (JSON.parse(body.toString()) as { eventId: string }).eventId;
}

/** Status codes of one event id in turn; the last one stays. */
function inTurn(...statusCodes: number[]): SendDelivery {
  return ({ attempt }) =>
    Promise.resolve(answered(statusCodes[Math.min(attempt, statusCodes.length) - 1]!));
}

const slowly: SendDelivery = async () => {
  await turns(5);
  return answered(200);
};

/** Lets everything else run for a moment, whatever the clock. */
async function turns(count: number): Promise<void> {
  for (let n = 0; n < count; n++) await new Promise((resolve) => setImmediate(resolve));
}

function never<T>(): Promise<T> {
  return new Promise<T>(() => undefined);
}

/** A place where whoever comes waits until it is opened. */
function gate() {
  const arrival = Promise.withResolvers<void>();
  const opening = Promise.withResolvers<void>();
  return {
    reached: arrival.promise,
    pass() {
      arrival.resolve();
      return opening.promise;
    },
    open: () => opening.resolve(),
  };
}

/** The whole process, as if it had been stopped: no timer fires meanwhile. */
function sleepProcess(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
