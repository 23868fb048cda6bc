import { deliveryCodec } from '@tributary/contracts/delivery-record';
import type { WebhookEndpointRecord } from '@tributary/contracts/catalog-record';
import { eventually } from '@tributary/testkit/eventually';
import { expect } from 'chai';
import { createExchange, type Exchange } from './adapters/endpoint/exchange.ts';
import { createDeliveryWorker, type DeliveryWorker } from './delivery-worker.ts';
import { createResultWriter } from './result-writer.ts';
import { createDispatchDatabase, silentLogger } from './testing/database.ts';
import { incomingDeliveries, incomingIssuances, issuance, uuidOf } from './testing/records.ts';
import {
  accept,
  delayed,
  hang,
  inTurn,
  type Receiver,
  startReceiver,
  status,
} from './testing/receiver.ts';

const timeoutMs = 400;
const hourMs = 3_600_000;

describe('delivery worker', () => {
  let database: Awaited<ReturnType<typeof createDispatchDatabase>>;
  let receiver: Receiver;
  let exchange: Exchange;
  let workers: DeliveryWorker[] = [];
  let endpoints: Set<string>;

  before(async () => {
    database = await createDispatchDatabase();
    exchange = createExchange({ timeoutMs, answerLimitBytes: 16_384 });
  });

  beforeEach(async () => {
    await database.pool.query('truncate delivery, attempt, outbox');
    receiver = await startReceiver();
    endpoints = new Set(['t1', 't2']);
  });

  afterEach(async () => {
    await Promise.all(workers.map((worker) => worker.stop()));
    workers = [];
    await receiver.stop();
  });

  after(async () => {
    await exchange.close();
    await database.drop();
  });

  it('delivers each issuance once, however often it is read', async () => {
    const records = [uuidOf('ev-1'), uuidOf('ev-2'), uuidOf('ev-3')].map((id) => issuance(id));
    await database.apply(...incomingIssuances(...records, ...records));
    await database.apply(...incomingIssuances(...records));
    work();
    await eventually(async () =>
      expect(await states()).to.deep.equal(['delivered', 'delivered', 'delivered']),
    );
    expect(receiver.received.map((r) => r.eventId).sort()).to.deep.equal(
      [uuidOf('ev-1'), uuidOf('ev-2'), uuidOf('ev-3')].sort(),
    );
  });

  it('sends the same event id and identical bytes until a 2xx (6.1, delivery)', async () => {
    receiver.answerWith(inTurn(status(500), status(503), accept));
    await database.apply(...incomingIssuances(issuance(uuidOf('ev-1'), { credits: '2.50' })));
    work();
    await eventually(async () => expect(await states()).to.deep.equal(['delivered']));
    expect(receiver.received).to.have.length(3);
    const bodies = new Set(receiver.received.map((r) => r.rawBody.toString()));
    expect(bodies.size).to.equal(1);
    expect(receiver.received.map((r) => r.headers['x-tributary-attempt'])).to.deep.equal([
      '1',
      '2',
      '3',
    ]);
  });

  it('records every attempt in its table and as a fact for the log', async () => {
    receiver.answerWith(inTurn(status(500), accept));
    await database.apply(...incomingIssuances(issuance(uuidOf('ev-1'))));
    work();
    await eventually(async () => expect(await states()).to.deep.equal(['delivered']));
    const facts = await publishedFacts();
    expect(facts.map((f) => [f.attempt, f.outcome, f.result, f.statusCode])).to.deep.equal([
      [1, 'failed', 'status', 500],
      [2, 'delivered', 'status', 200],
    ]);
    expect(facts[0]).to.have.property('nextAttemptAt');
    const { rows } = await database.pool.query(
      'select attempt, outcome from attempt order by attempt',
    );
    expect(rows).to.deep.equal([
      { attempt: 1, outcome: 'failed' },
      { attempt: 2, outcome: 'delivered' },
    ]);
  });

  it('takes an endpoint that hangs as a timeout and retries', async () => {
    receiver.answerWith(inTurn(hang, accept));
    await database.apply(...incomingIssuances(issuance(uuidOf('ev-1'))));
    work();
    await eventually(async () => expect(await states()).to.deep.equal(['delivered']));
    expect((await publishedFacts())[0]).to.include({ result: 'timeout', outcome: 'failed' });
  });

  it('takes an answer that drips past the timeout as a timeout', async () => {
    receiver.answerWith(
      inTurn((res) => {
        res.writeHead(200);
        const drip = setInterval(() => res.write('.'), 20);
        res.once('close', () => clearInterval(drip));
      }, accept),
    );
    await database.apply(...incomingIssuances(issuance(uuidOf('ev-1'))));
    work();
    await eventually(async () => expect(await states()).to.deep.equal(['delivered']));
    expect((await publishedFacts())[0]).to.include({ result: 'timeout' });
  });

  it('cuts an endless answer and takes its status', async () => {
    let closed = false;
    receiver.answerWith((res) => {
      res.writeHead(200).once('close', () => (closed = true));
      const more = (): void => {
        while (!closed && res.write(Buffer.alloc(65_536)));
        if (!closed) res.once('drain', more);
      };
      more();
    });
    await database.apply(...incomingIssuances(issuance(uuidOf('ev-1'))));
    work();
    await eventually(async () => expect(await states()).to.deep.equal(['delivered']));
    await eventually(() => expect(closed).to.equal(true));
  });

  it('does not follow a redirect, and retries it (design 8, "Webhook")', async () => {
    receiver.answerWith(inTurn(status(307, { location: `${receiver.url}/elsewhere` }), accept));
    await database.apply(...incomingIssuances(issuance(uuidOf('ev-1'))));
    work();
    await eventually(async () => expect(await states()).to.deep.equal(['delivered']));
    expect(receiver.received.map((r) => r.path)).to.deep.equal(['/hook', '/hook']);
  });

  it('waits as long as Retry-After asks', async () => {
    receiver.answerWith(status(429, { 'retry-after': '3600' }));
    await database.apply(...incomingIssuances(issuance(uuidOf('ev-1'))));
    work();
    await eventually(async () => expect(await publishedFacts()).to.have.length(1));
    const { rows } = await database.pool.query<{ minutes: number }>(
      `select extract(epoch from due_at - now())::float8 / 60 as minutes from delivery`,
    );
    expect(rows[0]!.minutes).to.be.within(59, 60);
  });

  it('is exhausted when the schedule ends', async () => {
    receiver.answerWith(status(500));
    await database.apply(...incomingIssuances(issuance(uuidOf('ev-1'))));
    work({ retryDelaysMs: [1, 1] });
    await eventually(async () => expect(await states()).to.deep.equal(['exhausted']));
    expect((await publishedFacts()).map((f) => f.outcome)).to.deep.equal([
      'failed',
      'failed',
      'exhausted',
    ]);
  });

  it('is exhausted at the horizon, which counts from issue', async () => {
    receiver.answerWith(status(500));
    const issuedAt = new Date(Date.now() - 100 * hourMs).toISOString();
    await database.apply(...incomingIssuances(issuance(uuidOf('ev-1'), { issuedAt })));
    work();
    await eventually(async () => expect(await states()).to.deep.equal(['exhausted']));
    expect(receiver.received).to.have.length(1);
  });

  it('makes the last try at the horizon when its delay would pass it', async () => {
    receiver.answerWith(status(500));
    const issuedAt = new Date(Date.now() - 75 * hourMs);
    await database.apply(
      ...incomingIssuances(issuance(uuidOf('ev-1'), { issuedAt: issuedAt.toISOString() })),
    );
    work({ retryDelaysMs: [24 * hourMs] });
    await eventually(async () => expect(await publishedFacts()).to.have.length(1));
    const next = new Date((await publishedFacts())[0]!.nextAttemptAt!).getTime();
    expect(next).to.equal(issuedAt.getTime() + 76 * hourMs);
  });

  it('never has one delivery in two hands, with two dispatchers at work', async () => {
    receiver.answerWith(inTurn(delayed(20, status(500)), delayed(20, accept)));
    const ids = Array.from({ length: 60 }, (_, n) => uuidOf(`ev-${n}`));
    await database.apply(...incomingIssuances(...ids.map((id) => issuance(id))));
    work({ owner: 'a' });
    work({ owner: 'b' });
    await eventually(async () =>
      expect(new Set(await states())).to.deep.equal(new Set(['delivered'])),
    );
    expect(Math.max(...receiver.mostAtOnce.values())).to.equal(1);
    expect(receiver.received).to.have.length(120);
  });

  it('keeps to the limit in flight per endpoint over all dispatchers', async () => {
    receiver.answerWith(delayed(30, accept));
    const ids = Array.from({ length: 30 }, (_, n) => uuidOf(`ev-${n}`));
    await database.apply(...incomingIssuances(...ids.map((id) => issuance(id))));
    work({ owner: 'a', maxInFlightPerTenant: 3 });
    work({ owner: 'b', maxInFlightPerTenant: 3 });
    await eventually(async () =>
      expect(new Set(await states())).to.deep.equal(new Set(['delivered'])),
    );
    expect(receiver.mostAtOnceInAll()).to.be.at.most(3);
  });

  it('delivers for others while one endpoint hangs (design 4, promise 8)', async () => {
    receiver.answerWith((res, { path }) =>
      path === '/hook' ? accept(res, receiver.received[0]!) : undefined,
    );
    const slow = Array.from({ length: 50 }, (_, n) =>
      issuance(uuidOf(`slow-${n}`), { tenantId: 't2' }),
    );
    const fast = Array.from({ length: 50 }, (_, n) => issuance(uuidOf(`fast-${n}`)));
    await database.apply(...incomingIssuances(...slow));
    await database.apply(...incomingIssuances(...fast));
    work({
      maxInFlight: 8,
      maxInFlightPerTenant: 4,
      pathOf: (id) => (id === 't2' ? '/slow' : '/hook'),
    });
    await eventually(async () => {
      const { rows } = await database.pool.query(
        `select count(*)::int as n from delivery where tenant_id = 't1' and state = 'delivered'`,
      );
      expect(rows[0]).to.deep.equal({ n: 50 });
    });
    expect(receiver.received.filter((r) => r.path === '/slow').length).to.be.at.most(16);
  });

  it('takes over what a dead dispatcher held, with the same bytes', async () => {
    await database.apply(...incomingIssuances(issuance(uuidOf('ev-1'))));
    await database.pool.query(
      `update delivery set lease_id = gen_random_uuid(), lease_owner = 'dead',
         lease_until = now() + interval '1 second'`,
    );
    work();
    await eventually(async () => expect(await states()).to.deep.equal(['delivered']));
    const { rows } = await database.pool.query<{ body: Buffer }>('select body from delivery');
    expect(receiver.received[0]!.rawBody.equals(rows[0]!.body)).to.equal(true);
  });

  it('drops the result of a lease that was lost', async () => {
    receiver.answerWith(async (res, received) => {
      await database.pool.query(
        `update delivery set lease_id = gen_random_uuid(), lease_owner = 'other',
           lease_until = now() + interval '1 hour'`,
      );
      await accept(res, received);
    });
    await database.apply(...incomingIssuances(issuance(uuidOf('ev-1'))));
    const worker = work();
    await eventually(() => expect(receiver.received).to.have.length(1));
    await worker.stop();
    expect(await states()).to.deep.equal(['pending']);
    expect(await publishedFacts()).to.have.length(0);
  });

  it('parks deliveries without an endpoint until there is one, using up no attempt', async () => {
    endpoints.delete('t1');
    await database.apply(...incomingIssuances(issuance(uuidOf('ev-1'))));
    const worker = work();
    await eventually(async () => expect(await states()).to.deep.equal(['no-endpoint']));
    endpoints.add('t1');
    worker.endpointsChanged();
    await eventually(async () => expect(await states()).to.deep.equal(['delivered']));
    expect(receiver.received[0]!.headers['x-tributary-attempt']).to.equal('1');
  });

  it('gives a delivery back that cannot be sent for a reason of our own', async () => {
    await database.apply(...incomingIssuances(issuance(uuidOf('ev-1'))));
    work({ failing: true });
    await eventually(async () => {
      const { rows } = await database.pool.query(
        `select attempts, lease_id, due_at > now() + interval '30 seconds' as later from delivery`,
      );
      expect(rows).to.deep.equal([{ attempts: 0, lease_id: null, later: true }]);
    });
  });

  it('waits for what is under way when it stops, and leaves no lease', async () => {
    receiver.answerWith(delayed(150, accept));
    const ids = Array.from({ length: 20 }, (_, n) => uuidOf(`ev-${n}`));
    await database.apply(...incomingIssuances(...ids.map((id) => issuance(id))));
    const worker = work({ maxInFlightPerTenant: 5 });
    await eventually(() => expect(receiver.received.length).to.be.at.least(5));
    await worker.stop();
    const { rows } = await database.pool.query(
      `select count(*) filter (where lease_id is not null)::int as leased,
         count(*) filter (where state = 'delivered')::int as delivered from delivery`,
    );
    expect(rows[0]).to.deep.equal({ leased: 0, delivered: receiver.received.length });
  });

  it('sends nothing that its own facts say was delivered, whichever topic is read first', async () => {
    const delivered = deliveryFact(uuidOf('ev-1'), 'delivered');
    await database.apply(
      ...incomingDeliveries(delivered, deliveryFact(uuidOf('ev-2'), 'delivered')),
    );
    await database.apply(...incomingIssuances(issuance(uuidOf('ev-1')), issuance(uuidOf('ev-3'))));
    await database.apply(...incomingIssuances(issuance(uuidOf('ev-2'))));
    work();
    await eventually(async () =>
      expect(await states()).to.deep.equal(['delivered', 'delivered', 'delivered']),
    );
    expect(receiver.received.map((r) => r.eventId)).to.deep.equal([uuidOf('ev-3')]);
  });

  it('goes on with the next attempt after a rebuild', async () => {
    await database.apply(...incomingDeliveries(deliveryFact(uuidOf('ev-1'), 'failed', 4)));
    await database.apply(...incomingIssuances(issuance(uuidOf('ev-1'))));
    work();
    await eventually(async () => expect(await states()).to.deep.equal(['delivered']));
    expect(receiver.received[0]!.headers['x-tributary-attempt']).to.equal('5');
  });

  function work(
    options: Partial<{
      owner: string;
      maxInFlight: number;
      maxInFlightPerTenant: number;
      retryDelaysMs: number[];
      pathOf: (tenantId: string) => string;
      failing: boolean;
    }> = {},
  ): DeliveryWorker {
    const { pathOf = () => '/hook', failing = false, ...settings } = options;
    const worker = createDeliveryWorker({
      pool: database.pool,
      logger: silentLogger,
      clock: { now: () => new Date() },
      metrics: { attempted: () => undefined, leasesExpired: { inc: () => undefined } },
      endpointOf: (tenantId) => (endpoints.has(tenantId) ? endpoint(tenantId) : undefined),
      send: ({ body, attempt }, { tenantId }) => {
        if (failing) throw new Error('the key ring does not have this key');
        const headers = { 'x-tributary-attempt': String(attempt) };
        return exchange.post({ origin: receiver.url, path: pathOf(tenantId), headers, body });
      },
      results: createResultWriter({
        pool: database.pool,
        logger: silentLogger,
        deliveriesTopic: 'deliveries',
        horizonMs: 76 * hourMs,
      }),
      settings: {
        owner: 'test',
        maxInFlight: 32,
        maxInFlightPerTenant: 16,
        timeoutMs,
        leaseMs: 5_000,
        pollMs: 50,
        retryDelaysMs: [10, 10, 10, 10, 10],
        ...settings,
      },
    });
    worker.start();
    workers.push(worker);
    return worker;
  }

  async function states(): Promise<string[]> {
    const { rows } = await database.pool.query<{ state: string }>(
      'select state from delivery order by webhook_event_id',
    );
    return rows.map((row) => row.state);
  }

  async function publishedFacts() {
    const { rows } = await database.pool.query<{ value: string }>(
      'select value from outbox order by id',
    );
    return rows.map(({ value }) => {
      const decoded = deliveryCodec.decode(Buffer.from(value));
      if (decoded.outcome !== 'record') throw new Error(`not a fact: ${value}`);
      return decoded.value;
    });
  }

  function endpoint(tenantId: string): WebhookEndpointRecord {
    return {
      schemaVersion: 2,
      tenantId,
      version: 1,
      publishedAt: '2026-01-01T00:00:00.000Z',
      entity: 'webhook-endpoint',
      url: receiver.url,
      username: 'user',
      sealedPassword: 'sealed',
      status: 'active',
    };
  }
});

function deliveryFact(webhookEventId: string, outcome: 'delivered' | 'failed', attempt = 1) {
  return {
    schemaVersion: 1 as const,
    tenantId: 't1',
    webhookEventId,
    issuanceId: uuidOf(`issuance-of-${webhookEventId}`),
    attempt,
    outcome,
    result: 'status' as const,
    statusCode: outcome === 'delivered' ? 200 : 500,
    startedAt: '2026-03-01T10:00:00.000Z',
    durationMs: 10,
    ...(outcome === 'failed' && { nextAttemptAt: '2026-03-01T10:00:05.000Z' }),
  };
}
