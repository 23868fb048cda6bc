import { createRegistry } from '@tributary/http/metrics';
import { expect } from 'chai';
import { countEndpoints } from './db/count-endpoints.ts';
import { readBacklog } from './db/read-backlog.ts';
import { createDispatcherMetrics, registerDispatcherGauges } from './metrics.ts';
import { createDispatchDatabase } from './testing/database.ts';
import { endpointRecord, incomingEndpoints } from './testing/facts.ts';
import { incomingIssuances, issuance, uuidOf } from './testing/records.ts';

describe('the metrics of the dispatcher', () => {
  let database: Awaited<ReturnType<typeof createDispatchDatabase>>;

  before(async () => {
    database = await createDispatchDatabase();
  });
  after(() => database.drop());

  function lines(text: string): Map<string, number> {
    const found = text.split('\n').filter((line) => line.startsWith('tributary_webhook_'));
    return new Map(
      found.map((line) => {
        const [, name, value] = /^(.*) ([^ ]+)$/.exec(line)!;
        return [name!.replace(/,?service="test"/, '').replace('{}', ''), Number(value)];
      }),
    );
  }

  it('tell what is due by what it waits for, and name no tenant', async () => {
    const ageSeconds = 1_000;
    const issuedAt = new Date(Date.now() - ageSeconds * 1_000).toISOString();
    const tenants = { active: 3, broken: 2, paused: 1, disabled: 4, none: 5 };
    await database.apply(
      ...incomingEndpoints(
        endpointRecord('active'),
        endpointRecord('broken'),
        endpointRecord('paused', { status: 'paused' }),
        endpointRecord('disabled', { status: 'disabled' }),
      ),
    );
    for (const [tenantId, count] of Object.entries(tenants)) {
      const ids = Array.from({ length: count }, (_, n) => uuidOf(`${tenantId}/${n}`));
      await database.apply(
        ...incomingIssuances(...ids.map((id) => issuance(id, { tenantId, issuedAt }))),
      );
    }
    await database.pool.query(
      `update delivery set claimed_by = gen_random_uuid() where webhook_event_id = $1`,
      [uuidOf('active/0')],
    );
    await database.pool.query(
      `update endpoint set in_flight = case tenant_id when 'active' then 1 else 0 end,
         failing_since = now() - interval '3 days',
         probe_at = case tenant_id when 'broken' then now() + interval '1 minute' end`,
    );

    const registry = createRegistry('test');
    registerDispatcherGauges(registry, {
      readBacklog: () => readBacklog(database.pool),
      countEndpoints: () => countEndpoints(database.pool, { failingAfterMs: 48 * 3_600_000 }),
    });
    const text = await registry.metrics();
    expect(Object.fromEntries(lines(text))).to.deep.include({
      'tributary_webhook_due{class="sendable"}': 2,
      'tributary_webhook_due{class="breaker-open"}': 2,
      'tributary_webhook_due{class="paused"}': 1,
      'tributary_webhook_due{class="no-endpoint"}': 9,
      'tributary_webhook_endpoints{status="active"}': 2,
      'tributary_webhook_endpoints{status="none"}': 1,
      'tributary_webhook_breakers{state="open"}': 1,
      'tributary_webhook_breakers{state="closed"}': 1,
      'tributary_webhook_breakers{state="half-open"}': 0,
      tributary_webhook_endpoints_failing: 2,
      tributary_webhook_claimed: 1,
    });
    for (const name of ['sendable', 'no-endpoint']) {
      const oldest = lines(text).get(`tributary_webhook_due_oldest_seconds{class="${name}"}`);
      expect(oldest).to.be.at.least(ageSeconds);
    }
    for (const tenantId of ['disabled/', 'broken"', 'tenant'])
      expect(text).not.to.include(tenantId);
  });

  it('count attempts by few classes, whatever endpoints answer', async () => {
    const registry = createRegistry('test');
    const metrics = createDispatcherMetrics(registry);
    for (const statusCode of [204, 404, 410, 503, 999]) {
      const delivered = statusCode === 204;
      metrics.attempted({ evaluation: { delivered, result: 'status', statusCode }, durationMs: 5 });
    }
    metrics.attempted({ evaluation: { delivered: false, result: 'timeout' }, durationMs: 10_000 });
    for (const delivered of [true, false]) {
      const evaluation = {
        delivered,
        result: 'status' as const,
        statusCode: delivered ? 200 : 500,
      };
      metrics.attempted({ evaluation, durationMs: 5, sinceIssuedMs: 2_000 });
    }
    const of = (delivered: boolean, result: string, statusClass: string) =>
      `tributary_webhook_attempts_total{delivered="${delivered}",result="${result}",status_class="${statusClass}"}`;
    expect(Object.fromEntries(lines(await registry.metrics()))).to.deep.include({
      [of(true, 'status', '2xx')]: 2,
      [of(false, 'status', '4xx')]: 2,
      [of(false, 'status', '5xx')]: 2,
      [of(false, 'status', 'other')]: 1,
      [of(false, 'timeout', 'none')]: 1,
      // Only what was delivered and whose issuance is known counts.
      tributary_webhook_delivery_delay_seconds_count: 1,
      tributary_webhook_delivery_delay_seconds_sum: 2,
    });
  });
});
