import { deliveryCodec } from '@tributary/contracts/delivery-record';
import type { Entry } from '@tributary/event-log/appender';
import { createRegistry } from '@tributary/http/metrics';
import { expect } from 'chai';
import { createDispatcherMetrics } from '../metrics.ts';
import { createDispatchDatabase, silentLogger } from '../testing/database.ts';
import { attempted, endpointRecord, incomingEndpoints, incomingFacts } from '../testing/facts.ts';
import { incomingIssuances, issuance, uuidOf } from '../testing/records.ts';
import { createUpkeep, type Maintenance } from './maintenance.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

describe('maintenance', () => {
  let database: Awaited<ReturnType<typeof createDispatchDatabase>>;
  let recorded: Entry[];
  let logTakes: boolean;
  let maintenance: Maintenance;
  const registry = createRegistry('test');
  const metrics = createDispatcherMetrics(registry);

  beforeEach(async () => {
    database = await createDispatchDatabase();
    recorded = [];
    logTakes = true;
    maintenance = createUpkeep({
      pool: database.pool,
      logger: silentLogger,
      appender: {
        append(entries) {
          if (!logTakes) return Promise.reject(new Error('the log is away'));
          recorded.push(...entries);
          return Promise.resolve();
        },
      },
      deliveriesTopic: 'deliveries',
      metrics,
      settings: {
        horizonMs: hourMs,
        expireEveryMs: 60_000,
        attemptDays: 30,
        retentionEveryMs: 60_000,
      },
    });
  });
  afterEach(() => database.drop());

  const ago = (ms: number) => new Date(Date.now() - ms).toISOString();
  const facts = () =>
    recorded.map(({ value }) => {
      const decoded = deliveryCodec.decode(Buffer.from(value!));
      return decoded.outcome === 'record' ? decoded.value : undefined;
    });

  async function issue(tenantId: string, ageMs: number): Promise<string> {
    const id = uuidOf(`${tenantId}/${ageMs}`);
    await database.apply(...incomingIssuances(issuance(id, { tenantId, issuedAt: ago(ageMs) })));
    return id;
  }

  async function states(): Promise<Map<string, string>> {
    const { rows } = await database.pool.query<{ id: string; state: string }>(
      'select webhook_event_id as id, state from delivery',
    );
    return new Map(rows.map(({ id, state }) => [id, state]));
  }

  it('ends what is behind its horizon while the endpoint is paused or its breaker open', async () => {
    await database.apply(
      ...incomingEndpoints(
        endpointRecord('paused', { status: 'paused' }),
        endpointRecord('broken'),
        endpointRecord('active'),
        endpointRecord('disabled', { status: 'disabled' }),
      ),
    );
    await database.pool.query(
      `update endpoint set probe_at = now() + interval '1 minute'
       where tenant_id in ('broken', 'disabled')`,
    );
    const ended = [await issue('paused', 2 * hourMs), await issue('broken', hourMs + 1_000)];
    const going = [
      await issue('paused', hourMs - 60_000),
      await issue('active', 2 * hourMs),
      await issue('disabled', 2 * hourMs),
      await issue('none', 2 * hourMs),
    ];
    expect(await maintenance.expireOverdue()).to.equal(2);
    const after = await states();
    for (const id of ended) expect(after.get(id)).to.equal('exhausted');
    for (const id of going) expect(after.get(id)).to.equal('pending');
    expect(facts().map((fact) => [fact?.type, fact?.webhookEventId])).to.have.deep.members(
      ended.map((id) => ['expired', id]),
    );
    expect(await maintenance.expireOverdue()).to.equal(0);
    expect(await registry.metrics()).to.match(/webhook_expired_total\{[^}]*\} 2/);
  });

  it('ends a retry too, with the attempts it had, and leaves alone what is being sent', async () => {
    await database.apply(...incomingEndpoints(endpointRecord('t1')));
    const [tried, sending] = [await issue('t1', 2 * hourMs), await issue('t1', 3 * hourMs)];
    await database.apply(
      ...incomingFacts(attempted(tried, { attempt: 4, nextAttemptAt: ago(60_000) })),
    );
    await database.pool.query('update endpoint set probe_at = now(), in_flight = 1');
    await database.pool.query(
      'update delivery set claimed_by = gen_random_uuid() where webhook_event_id = $1',
      [sending],
    );
    expect(await maintenance.expireOverdue()).to.equal(1);
    expect(facts()[0]).to.include({ webhookEventId: tried, attempts: 4, round: 0 });
    expect((await states()).get(sending)).to.equal('pending');
  });

  it('writes nothing that the log did not take', async () => {
    await database.apply(...incomingEndpoints(endpointRecord('t1', { status: 'paused' })));
    const id = await issue('t1', 2 * hourMs);
    logTakes = false;
    const error: unknown = await maintenance.expireOverdue().catch((reason: unknown) => reason);
    expect(error).to.be.instanceOf(Error);
    expect((await states()).get(id)).to.equal('pending');
  });

  it('lets delivered stay delivered when both were told', async () => {
    await database.apply(...incomingEndpoints(endpointRecord('t1', { status: 'paused' })));
    const id = await issue('t1', 2 * hourMs);
    await maintenance.expireOverdue();
    await database.apply(...incomingFacts(attempted(id, { outcome: 'delivered' })));
    expect((await states()).get(id)).to.equal('delivered');
  });

  it('deletes attempts that are older than is kept, in several steps, and no others', async () => {
    await database.pool.query(
      `insert into attempt (webhook_event_id, attempt, round, step, outcome, result, started_at,
         duration_ms)
       select gen_random_uuid(), 1, 0, 1, 'delivered', 'status',
         now() - n % 2 * interval '20 days' - interval '11 days', 5
       from generate_series(1, 12000) as n`,
    );
    await database.apply(
      ...incomingFacts(attempted(uuidOf('young'), { startedAt: ago(29 * dayMs) })),
    );
    expect(await maintenance.deleteOldAttempts()).to.equal(6_000);
    const { rows } = await database.pool.query('select count(*)::int as kept from attempt');
    expect(rows).to.deep.equal([{ kept: 6_001 }]);
    expect(await registry.metrics()).to.match(/webhook_attempts_deleted_total\{[^}]*\} 6000/);
  });
});
