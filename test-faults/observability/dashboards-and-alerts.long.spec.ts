import { randomUUID } from 'node:crypto';
import { eventSchemaVersion } from '@tributary/contracts/event-record';
import { recordKey, topicName } from '@tributary/contracts/topics';
import { type Appender, createAppender } from '@tributary/event-log/appender';
import { connectTo, silentLogger } from '@tributary/event-log/testing';
import { eventually } from '@tributary/testkit/eventually';
import { expect } from 'chai';
import pg from 'pg';
import { consumers } from '../../deploy/observability/dashboards/consumers.ts';
import { flow } from '../../deploy/observability/dashboards/flow.ts';
import type { Query } from '../../deploy/observability/dashboards/panel.ts';
import type { Alert } from '../../deploy/observability/prometheus-api.ts';
import { wiring } from '../read-log.ts';
import { createTraffic, type Traffic } from './traffic.ts';
import {
  shortWindow,
  scrapeSeconds,
  startWatchedStack,
  type WatchedStack,
} from './watched-stack.ts';

/** The faults of the running system follow each other, and each but the last is undone. */
describe('dashboards and alerts in Prometheus', function () {
  this.timeout(300_000);
  let watched: WatchedStack;
  let traffic: Traffic;
  let db: pg.Client;
  let appender: Appender;

  before(async () => {
    watched = await startWatchedStack();
    const { stack } = watched;
    traffic = await createTraffic(stack);
    db = new pg.Client({ connectionString: stack.demo.postgresUrl });
    await db.connect();
    const kafka = connectTo(stack.demo);
    appender = createAppender({ kafka, logger: silentLogger, deadlineMs: 30_000 });
    await appender.start();
    await eventually(() => expect(appender.health().ok).to.equal(true));
  });

  after(async () => {
    await appender?.stop();
    await db?.end();
    await watched?.stop();
  });

  const promqlOf = ({ expr }: Query) => expr.replaceAll('$__rate_interval', shortWindow);

  /** How many series have had a number since the start. */
  async function seriesOf(query: Query): Promise<number> {
    const series = await watched.prometheus.queryRange(promqlOf(query), {
      fromSeconds: watched.startedSeconds,
      toSeconds: Math.ceil(Date.now() / 1_000),
      stepSeconds: scrapeSeconds,
    });
    const hasNumber = (points: readonly { value: number }[]) =>
      points.some(({ value }) => Number.isFinite(value));
    return series.filter(({ points }) => hasNumber(points)).length;
  }

  /** Alerts whose expression is true now, whatever their `for`. */
  async function raised(): Promise<string[]> {
    return (await watched.prometheus.alerts()).map(({ name }) => name);
  }

  /** Waits until it is raised; its text must be one for people. */
  async function raises(name: string): Promise<Alert> {
    const alert = await eventually(
      async () => {
        const all = await watched.prometheus.alerts();
        const found = all.find((one) => one.name === name);
        expect(found, `${name}; there are ${all.map((one) => one.name).join()}`).to.not.equal(
          undefined,
        );
        return found!;
      },
      { deadlineMs: 60_000, everyMs: 500 },
    );
    const { summary, description } = alert.annotations;
    expect(`${summary} ${description}`).to.not.match(/<no value>|<error|\{\{/);
    return alert;
  }

  const ends = (name: string) =>
    eventually(async () => expect(await raised()).to.not.include(name), {
      deadlineMs: 60_000,
      everyMs: 500,
    });

  it('every panel has data while customers report and all is well, but those that say why not', async () => {
    const going = traffic.keepOn(200);
    try {
      for (const { rows } of [flow, consumers]) {
        for (const panel of rows.flatMap(({ panels }) => panels)) {
          for (const query of panel.queries) {
            const what = `${panel.title}: ${query.legend}`;
            await eventually(
              async () => {
                const { emptyBecause } = query;
                if (emptyBecause === undefined) {
                  expect(await seriesOf(query), what).to.be.above(0);
                } else {
                  const found = await watched.prometheus.query(promqlOf(query));
                  expect(found, `${what}, because ${emptyBecause}`).to.deep.equal([]);
                }
              },
              { deadlineMs: 60_000, everyMs: 500 },
            );
          }
        }
      }
    } finally {
      await going.stop();
    }
  });

  it('every alert can be evaluated, and none is raised', async () => {
    await eventually(async () => expect(await raised()).to.deep.equal([]), {
      deadlineMs: 60_000,
      everyMs: 500,
    });
    const rules = await watched.prometheus.rules();
    expect(rules).to.have.length.above(20);
    for (const { name, health, lastError } of rules) {
      expect(`${health} ${lastError ?? ''}`.trim(), name).to.equal('ok');
    }
  });

  it('a record that breaks its contract raises TributaryDeadLetters', async () => {
    await appendEvent('{"schemaVersion":1,');
    await raises('TributaryDeadLetters');
  });

  it('an endpoint that is gone raises TributaryEndpointUnreachable, and ends it when it is back', async () => {
    const { receiver } = watched.stack;
    await receiver.kill();
    for (let i = 0; i < 20; i++) await traffic.buy();
    await raises('TributaryEndpointUnreachable');
    await receiver.restart();
    await ends('TributaryEndpointUnreachable');
  });

  it('Redis stopped raises TributaryRedisUnfit, and TributaryEventsFailing while keyed events come', async () => {
    const { redis } = watched.stack.servers;
    await redis.kill();
    await eventually(
      async () => {
        for (let i = 0; i < 10; i++) await traffic.buy({ keyed: true });
        expect(await raised()).to.include('TributaryEventsFailing');
      },
      { deadlineMs: 60_000 },
    );
    expect((await traffic.buy()).status).to.equal(202);
    await raises('TributaryRedisUnfit');
    await redis.restart();
    await ends('TributaryRedisUnfit');
  });

  it('a table that somebody has locked raises TributaryConsumerStuck, and ends it when it is let go', async () => {
    await db.query('begin; lock table attribution_g1.fact in access exclusive mode');
    try {
      await traffic.buy();
      const { labels } = await raises('TributaryConsumerStuck');
      expect(labels).to.include({ service: 'attribution', topic: topicName('events', wiring) });
    } finally {
      await db.query('rollback');
    }
    await ends('TributaryConsumerStuck');
  });

  it('an amount that somebody has changed raises TributaryLedgerNotBalanced', async () => {
    const change = (by: number) =>
      db.query('update rewards_g1.recipient set entitled = entitled + $1 where entitled > 1', [by]);
    const checkNow = () => db.query('update rewards_g1.ledger_check set begun_at = null');
    await change(1);
    await checkNow();
    const { annotations } = await raises('TributaryLedgerNotBalanced');
    expect(annotations['runbook_url']).to.equal('/docs/runbooks/ledger');
    await change(-1);
    await checkNow();
    await ends('TributaryLedgerNotBalanced');
  });

  it('a service without a process raises TributaryServiceMissing', async () => {
    const [replica] = watched.stack.services.rewards.replicas;
    await replica!.kill();
    expect((await raises('TributaryServiceMissing')).labels).to.include({ service: 'rewards' });
    await replica!.restart();
    await ends('TributaryServiceMissing');
  });

  it('a service that the edge cannot reach raises TributaryEdgeFailing', async () => {
    const [replica] = watched.stack.services['legacy-events'].replicas;
    const send = () => fetch(`${watched.stack.demo.baseUrl}/events`, { method: 'POST' });
    await replica!.kill();
    await eventually(
      async () => {
        for (let i = 0; i < 10; i++) expect((await send()).status).to.equal(503);
        expect(await raised()).to.include('TributaryEdgeFailing');
      },
      { deadlineMs: 60_000 },
    );
    expect((await raises('TributaryEdgeFailing')).labels).to.include({ route: 'legacy-events' });
    await replica!.restart();
    await eventually(async () => expect((await send()).status).to.equal(401));
    await ends('TributaryEdgeFailing');
  });

  it('Kafka stopped raises TributaryDependencyDown', async () => {
    const { kafka } = watched.stack.servers;
    await kafka.pause();
    try {
      expect((await raises('TributaryDependencyDown')).labels).to.include({ dependency: 'kafka' });
    } finally {
      await kafka.resume();
    }
    await ends('TributaryDependencyDown');
  });

  // The last one: its partition stays stopped.
  it('a record of a newer schema raises TributaryPartitionStopped', async () => {
    await appendEvent(JSON.stringify({ schemaVersion: eventSchemaVersion + 1 }));
    const { labels } = await raises('TributaryPartitionStopped');
    expect(labels).to.include({ topic: topicName('events', wiring) });
  });

  async function appendEvent(value: string): Promise<void> {
    const key = recordKey(watched.stack.demo.tenants[0]!.tenantId, randomUUID());
    await appender.append([{ topic: topicName('events', wiring), key, value }]);
  }
});
