import { deliveryCodec } from '@tributary/contracts/delivery-record';
import type { Entry } from '@tributary/event-log/appender';
import { createRegistry } from '@tributary/http/metrics';
import { eventually } from '@tributary/testkit/eventually';
import { expect } from 'chai';
import { deleteForgotten, markForgotten } from '../db/forget-deliveries.ts';
import { createDispatcherMetrics } from '../metrics.ts';
import { createDispatchDatabase, silentLogger } from '../testing/database.ts';
import {
  attempted,
  endpointRecord,
  incomingEndpoints,
  incomingFacts,
  incomingTenant,
  resent,
} from '../testing/facts.ts';
import { incomingIssuances, issuance, uuidOf } from '../testing/records.ts';
import { createUpkeep, type Maintenance } from './maintenance.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

describe('maintenance', () => {
  let database: Awaited<ReturnType<typeof createDispatchDatabase>>;
  let recorded: Entry[];
  let logTakes: boolean;
  let isCaughtUp: boolean;
  let maintenance: Maintenance;
  const registry = createRegistry('test');
  const metrics = createDispatcherMetrics(registry);

  beforeEach(async () => {
    database = await createDispatchDatabase();
    recorded = [];
    logTakes = true;
    isCaughtUp = true;
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
      isCaughtUp: () => isCaughtUp,
      settings: {
        horizonMs: hourMs,
        expireEveryMs: 60_000,
        attemptDays: 30,
        deliveryDays: 90,
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
    expect(await registry.metrics()).to.match(/tributary_webhook_expired_total\{[^}]*\} 2/);
  });

  it('ends nothing of a tenant that is suspended, whatever its endpoint does', async () => {
    await database.apply(...incomingEndpoints(endpointRecord('off', { status: 'paused' })));
    await database.apply(incomingTenant('off', 'suspended', 2));
    const kept = await issue('off', 2 * hourMs);
    expect(await maintenance.expireOverdue()).to.equal(0);
    expect((await states()).get(kept)).to.equal('pending');
  });

  it('gives what waited for a resumption a whole horizon from there', async () => {
    await database.apply(...incomingEndpoints(endpointRecord('off', { status: 'paused' })));
    await database.apply(incomingTenant('off', 'suspended', 2, ago(2 * hourMs)));
    const kept = await issue('off', 3 * hourMs);
    await database.apply(incomingTenant('off', 'active', 3, ago(hourMs - 60_000)));
    await database.apply(incomingTenant('off', 'active', 4, ago(0)));
    expect(await maintenance.expireOverdue()).to.equal(0);
    expect((await states()).get(kept)).to.equal('pending');

    await database.apply(incomingTenant('off', 'suspended', 5, ago(0)));
    await database.apply(incomingTenant('off', 'active', 6, ago(hourMs)));
    expect(await maintenance.expireOverdue()).to.equal(1);
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
    expect(await registry.metrics()).to.match(
      /tributary_webhook_attempts_deleted_total\{[^}]*\} 6000/,
    );
  });

  describe('of deliveries', () => {
    const old = 91 * dayMs;

    /** Delivered, or else, so long ago; issued a day before. */
    async function finish(
      name: string,
      ageMs: number,
      outcome: 'delivered' | 'exhausted',
    ): Promise<string> {
      const id = await issue(name, ageMs + dayMs);
      const startedAt = ago(ageMs);
      await database.apply(
        ...incomingFacts(
          attempted(id, { tenantId: name, startedAt: ago(ageMs + 60_000) }),
          attempted(id, { tenantId: name, attempt: 2, outcome, startedAt }),
        ),
      );
      return id;
    }

    const idsIn = async (table: string) => {
      const { rows } = await database.pool.query<{ id: string }>(
        `select distinct webhook_event_id as id from ${table}`,
      );
      return rows.map(({ id }) => id);
    };

    async function note(id: string): Promise<void> {
      await database.pool.query(
        `insert into forgotten (webhook_event_id, tenant_id) values ($1, 'gone')`,
        [id],
      );
    }

    async function waiting(): Promise<number> {
      const { rows } = await database.pool.query<{ count: number }>(
        `select count(*)::int as count from pg_stat_activity
         where datname = current_database() and wait_event_type = 'Lock'`,
      );
      return rows[0]!.count;
    }

    it('forgets what was delivered longer ago than is kept, and nothing that was not', async () => {
      const gone = await finish('gone', old, 'delivered');
      const kept = [
        await finish('young', 89 * dayMs, 'delivered'),
        await finish('given-up', old, 'exhausted'),
        await issue('waits', old),
      ];
      const asked = resent(kept[1]!, { tenantId: 'given-up', attempts: 2, at: ago(old - dayMs) });
      await database.apply(...incomingFacts(asked));

      expect(await maintenance.forgetDeliveries()).to.equal(1);
      expect(await idsIn('delivery')).to.have.members(kept);
      expect(await idsIn('attempt')).to.have.members(kept.slice(0, 2));
      expect(await idsIn('forgotten')).to.deep.equal([gone]);
      expect(await maintenance.forgetDeliveries()).to.equal(0);
      expect(await registry.metrics()).to.match(
        /tributary_webhook_deliveries_forgotten_total\{[^}]*\} 1/,
      );
    });

    it('never sends again what is forgotten, whatever is read of it', async () => {
      const id = await finish('gone', old, 'delivered');
      const again = resent(id, { tenantId: 'gone', attempts: 2, at: ago(old + 1_000) });
      await database.apply(...incomingFacts(again));
      const last = { tenantId: 'gone', round: 1, attempt: 3, startedAt: ago(old) };
      await database.apply(...incomingFacts(attempted(id, { ...last, outcome: 'delivered' })));
      expect(await idsIn('resend')).to.deep.equal([id]);
      await maintenance.forgetDeliveries();
      expect(await idsIn('resend')).to.deep.equal([]);

      const issued = issuance(id, { tenantId: 'gone', issuedAt: ago(old + dayMs) });
      await database.apply(...incomingIssuances(issued));
      await database.apply(...incomingFacts(again));
      await database.apply(...incomingIssuances(issued));
      for (const table of ['delivery', 'attempt', 'resend']) {
        expect(await idsIn(table), table).to.deep.equal([]);
      }
    });

    it('goes on where it was killed between its two steps', async () => {
      const id = await finish('gone', old, 'delivered');
      await note(id);
      expect(await maintenance.forgetDeliveries()).to.equal(1);
      expect(await idsIn('delivery')).to.deep.equal([]);
    });

    it('goes on with what was asked for again before that', async () => {
      const id = await finish('gone', old, 'delivered');
      await note(id);
      const about = { tenantId: 'gone', attempts: 2 };
      await database.apply(...incomingFacts(resent(id, { ...about, at: ago(1_000) })));
      expect((await states()).get(id)).to.equal('pending');
      expect(await maintenance.forgetDeliveries()).to.equal(0);
      const last = { tenantId: 'gone', round: 1, attempt: 3, startedAt: ago(0) };
      await database.apply(...incomingFacts(attempted(id, { ...last, outcome: 'delivered' })));
      expect((await states()).get(id)).to.equal('delivered');
      expect(await idsIn('attempt')).to.deep.equal([id]);
    });

    it('does not come back by an issuance that is being read meanwhile', async () => {
      const id = await finish('gone', old, 'delivered');
      const forgetting = await database.pool.connect();
      let applied: Promise<void>;
      try {
        await forgetting.query('begin');
        const ids = await markForgotten(forgetting, { days: 90, limit: 10 });
        expect(await deleteForgotten(forgetting, ids)).to.equal(1);
        // It began before there was a note, and ends when there is no row any more.
        const issued = issuance(id, { tenantId: 'gone', issuedAt: ago(old + dayMs) });
        applied = database.apply(...incomingIssuances(issued));
        await eventually(async () => expect(await waiting()).to.equal(1));
        await forgetting.query('commit');
      } finally {
        forgetting.release();
      }
      await applied;
      expect(await idsIn('delivery')).to.deep.equal([]);
    });

    it('waits until the log has been read: what is unread may be a resend', async () => {
      const id = await finish('gone', old, 'delivered');
      isCaughtUp = false;
      expect(await maintenance.forgetDeliveries()).to.equal(0);
      expect(await idsIn('forgotten')).to.deep.equal([]);
      isCaughtUp = true;
      expect(await maintenance.forgetDeliveries()).to.equal(1);
      expect(await idsIn('forgotten')).to.deep.equal([id]);
    });

    it('takes them in several steps, also beside others who do', async () => {
      await database.pool.query(
        `insert into delivery (webhook_event_id, tenant_id, issuance_id, body, issued_at, state,
           finished_at)
         select gen_random_uuid(), 'many', gen_random_uuid(), '{}', now() - interval '100 days',
           'delivered', now() - interval '99 days'
         from generate_series(1, 2500)`,
      );
      await Promise.all([maintenance.forgetDeliveries(), maintenance.forgetDeliveries()]);
      expect(await idsIn('delivery')).to.deep.equal([]);
      expect(await idsIn('forgotten')).to.have.length(2_500);
    });
  });
});
