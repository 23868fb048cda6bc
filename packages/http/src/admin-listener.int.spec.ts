import { expect } from 'chai';
import { Counter } from 'prom-client';
import type { Checks } from '@tributary/runtime/component';
import { createAdminApp, everything } from './admin-listener.ts';
import { createRegistry } from './metrics.ts';
import type { Listener } from './server.ts';
import { serve } from './testing.ts';
import { sampleOf, samplesOf } from './testing/samples.ts';

describe('internal listener', () => {
  let listener: Listener;
  let checks: Record<'kafka' | 'postgres', Checks[string]>;
  const registry = createRegistry('demo');

  before(async () => {
    // Each spec sets its own; the app asks for them through this.
    const live: Checks = {
      kafka: () => checks.kafka(),
      postgres: () => checks.postgres(),
    };
    listener = await serve(createAdminApp({ service: 'demo', registry, checks: live }));
  });
  beforeEach(() => {
    checks = { kafka: () => ({ ok: true }), postgres: () => Promise.resolve({ ok: true }) };
  });
  after(() => listener.stop());

  const ask = (path: string) => fetch(`http://127.0.0.1:${listener.port}${path}`);
  const askReady = async () => {
    const answer = await ask('/readyz');
    return { status: answer.status, body: await answer.json() };
  };

  it('is ready when every check is', async () => {
    expect(await askReady()).to.deep.equal({
      status: 200,
      body: { service: 'demo', ok: true, checks: { kafka: { ok: true }, postgres: { ok: true } } },
    });
  });

  it('is not ready with 503 when one is not, and shows the state of each', async () => {
    checks.kafka = () => ({ ok: false, detail: 'no broker answers' });
    expect(await askReady()).to.deep.equal({
      status: 503,
      body: {
        service: 'demo',
        ok: false,
        checks: { kafka: { ok: false, detail: 'no broker answers' }, postgres: { ok: true } },
      },
    });
  });

  it('takes a check that throws or rejects as not ready', async () => {
    checks = {
      kafka: () => {
        throw new Error('thrown');
      },
      postgres: () => Promise.reject(new Error('rejected')),
    };
    const { status, body } = await askReady();
    expect(status).to.equal(503);
    expect(body).to.have.nested.property('checks.kafka.detail', 'thrown');
    expect(body).to.have.nested.property('checks.postgres.detail', 'rejected');
  });

  it('does not wait for a check that does not answer', async () => {
    checks.postgres = () => new Promise(() => undefined);
    const { status, body } = await askReady();
    expect(status).to.equal(503);
    expect(body).to.have.nested.property('checks.postgres.detail', 'no answer within 2000 ms');
    expect(body).to.have.nested.property('checks.kafka.ok', true);
  });

  it('is alive whatever its servers do: a restart would not bring them back', async () => {
    checks.kafka = () => ({ ok: false });
    expect((await ask('/healthz')).status).to.equal(200);
  });

  it('gives metrics of the process and of the service, all with its name', async () => {
    const counter = new Counter({ name: 'demo_total', help: 'd', registers: [registry] });
    counter.inc(3);
    const answer = await ask('/metrics');
    expect(answer.headers.get('content-type')).to.match(/^text\/plain; version=0\.0\.4/);
    const text = await answer.text();
    expect(text).to.include('demo_total{service="demo"} 3');
    expect(text).to.include('nodejs_eventloop_lag_p99_seconds{service="demo"}');
    expect(text).to.include('process_cpu_user_seconds_total{service="demo"}');
  });

  it('says of each check in the metrics whether it passes, and what runs', async () => {
    checks.kafka = () => ({ ok: false });
    const text = await (await ask('/metrics')).text();
    const up = (dependency: string) => sampleOf(text, 'tributary_dependency_up', { dependency });
    expect([up('kafka'), up('postgres')]).to.deep.equal([0, 1]);
    const [build] = samplesOf(text, 'tributary_build_info');
    expect(build?.value).to.equal(1);
    expect(build?.labels).to.include({ service: 'demo', node: process.versions.node });
    expect(build?.labels['version']).to.match(/^\d+\.\d+\.\d+$/);
  });

  it('answers everything else with a problem', async () => {
    const answer = await ask('/');
    expect(answer.status).to.equal(404);
    expect(await answer.json()).to.include({ code: 'NOT_FOUND' });
  });
});

describe('readiness of a process that can do a part of its work', () => {
  let listener: Listener;
  const losses = { listener: everything, redis: 'keyed events get 503' };
  const ok = { listener: true, redis: true };
  const checks: Checks = {
    listener: () => ({ ok: ok.listener }),
    redis: () => ({ ok: ok.redis, detail: 'redis does not answer' }),
  };

  before(async () => {
    listener = await startAnother(0);
  });
  beforeEach(() => Object.assign(ok, { listener: true, redis: true }));
  after(() => listener.stop());

  const ask = async (path: string, port = listener.port) => {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`);
    return { status: answer.status, body: (await answer.json()) as object };
  };

  async function startAnother(settleMs: number): Promise<Listener> {
    const registry = createRegistry('demo');
    return serve(createAdminApp({ service: 'demo', registry, checks, losses, settleMs }));
  }

  it('begins when all parts have worked once, or not in time', async () => {
    ok.redis = false;
    const [one, late] = [await startAnother(60_000), await startAnother(0)];
    try {
      expect((await ask('/readyz', one.port)).status).to.equal(503);
      expect((await ask('/readyz', late.port)).status).to.equal(200);
      ok.redis = true;
      expect((await ask('/readyz', one.port)).status).to.equal(200);
      ok.redis = false;
      expect((await ask('/readyz', one.port)).status).to.equal(200);
    } finally {
      await Promise.all([one.stop(), late.stop()]);
    }
  });

  it('stays without what only a part needs, and says what does not work', async () => {
    ok.redis = false;
    expect(await ask('/readyz')).to.deep.equal({
      status: 200,
      body: {
        service: 'demo',
        ok: true,
        checks: {
          listener: { ok: true },
          redis: { ok: false, detail: 'redis does not answer', lost: 'keyed events get 503' },
        },
      },
    });
  });

  it('is of all parts for who asks for that', async () => {
    expect((await ask('/readyz?all')).status).to.equal(200);
    ok.redis = false;
    const { status, body } = await ask('/readyz?all');
    expect(status).to.equal(503);
    expect(body).to.include({ ok: false });
  });

  it('ends with what everything needs', async () => {
    ok.listener = false;
    const { status, body } = await ask('/readyz');
    expect(status).to.equal(503);
    expect(body).to.have.nested.property('checks.listener.lost', 'everything');
  });
});
