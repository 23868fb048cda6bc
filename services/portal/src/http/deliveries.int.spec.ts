import { createAdminApp } from '@tributary/http/admin-listener';
import { createInternalRouter, type InternalReply } from '@tributary/http/internal-router';
import { createRegistry } from '@tributary/http/metrics';
import type { Listener } from '@tributary/http/server';
import { serve } from '@tributary/http/testing';
import { createLogger } from '@tributary/runtime/logger';
import { expect } from 'chai';
import { startTestPortal, type TestPortal } from '../testing/test-portal.ts';

const logger = createLogger({ service: 'test', level: 'silent' });
const webhookEventId = '8f14e45f-ceea-567a-9f3c-0d1f2a3b4c5d';

/** The dispatcher has specs of its own; here it is whoever listens at its address and is asked. */
describe('deliveries through the admin API', () => {
  let portal: TestPortal;
  let dispatcher: Listener;
  const asked: { path: string; body: unknown }[] = [];
  let reply: InternalReply;

  before(async () => {
    const paths = ['/tenants/:t/:what/:verb', '/tenants/:t/:what/:id/:verb'];
    const routes = paths.map((path) => ({
      method: 'POST' as const,
      path,
      answer: ({ param, json }: { param(name: string): string; json: unknown }) => {
        const named = ['t', 'what', 'id', 'verb'].map(param).filter((part) => part !== '');
        asked.push({ path: named.join(' '), body: json });
        return Promise.resolve(reply);
      },
    }));
    const internal = {
      tokens: ['test-internal-token'],
      router: createInternalRouter(routes, { logger }),
    };
    const registry = createRegistry('webhook-dispatcher');
    dispatcher = await serve(
      createAdminApp({ service: 'webhook-dispatcher', registry, checks: {}, internal }),
    );
    portal = await startTestPortal({
      webhookDispatcherUrl: `http://127.0.0.1:${dispatcher.port}`,
    });
    await portal.call('POST', '/api/tenants', { tenantId: 'acme', name: 'Acme' });
  });
  beforeEach(() => {
    asked.length = 0;
    reply = { status: 200, body: { answered: true } };
  });
  after(async () => {
    await portal.stop();
    await dispatcher.stop();
  });

  const by = 'ops@example.com';
  const list = '/api/tenants/acme/deliveries';
  const one = `${list}/${webhookEventId}`;
  const webhook = '/api/tenants/acme/webhook';

  it('asks for a list, its times as UTC and 50 at most unless said otherwise', async () => {
    reply = { status: 200, body: { deliveries: [], nextCursor: 'bmV4dA' } };
    const { status, body } = await portal.call(
      'GET',
      `${list}?state=no-endpoint&recipient=u%201&since=2026-03-01T12:00:00%2B01:00&until=2026-03-02T00:00:00Z`,
    );
    expect([status, body]).to.deep.equal([200, { deliveries: [], nextCursor: 'bmV4dA' }]);
    await portal.call('GET', `${list}?limit=7&cursor=bmV4dA`);
    expect(asked).to.deep.equal([
      {
        path: 'acme deliveries search',
        body: {
          state: 'no-endpoint',
          recipientId: 'u 1',
          since: '2026-03-01T11:00:00.000Z',
          until: '2026-03-02T00:00:00.000Z',
          limit: 50,
        },
      },
      { path: 'acme deliveries search', body: { limit: 7, cursor: 'bmV4dA' } },
    ]);
  });

  it('says null where a list ends, as every list does', async () => {
    reply = { status: 200, body: { deliveries: [] } };
    const { body } = await portal.call('GET', list);
    expect(body).to.deep.equal({ deliveries: [], nextCursor: null });
  });

  it('asks for one, for it to be sent again, and hands the answers on', async () => {
    for (const [method, path, said] of [
      ['GET', one, undefined],
      ['POST', `${one}/resend`, { by, note: 'they were down' }],
    ] as const) {
      const answer = await portal.call(method, path, said);
      expect([answer.status, answer.body]).to.deep.equal([200, { answered: true }]);
    }
    expect(asked).to.deep.equal([
      { path: `acme deliveries ${webhookEventId} show`, body: {} },
      {
        path: `acme deliveries ${webhookEventId} resend`,
        body: { by, note: 'they were down' },
      },
    ]);
  });

  it('asks how an endpoint fares, for a test and for recovery', async () => {
    const since = '2026-03-01T12:00:00.0001Z';
    await portal.call('GET', webhook);
    await portal.call('POST', `${webhook}/test`);
    await portal.call('POST', `${webhook}/recover`, { by, note: 'up again', since });
    await portal.call('POST', `${webhook}/recover`, { by, since, until: since });
    const time = '2026-03-01T12:00:00.001Z';
    expect(asked).to.deep.equal([
      { path: 'acme webhook status', body: {} },
      { path: 'acme webhook test', body: {} },
      {
        path: 'acme webhook recover',
        body: { by, note: 'up again', since: time, limit: 500 },
      },
      { path: 'acme webhook recover', body: { by, since: time, until: time, limit: 500 } },
    ]);
  });

  it('hands a refusal on in the words of the dispatcher, and a failure as 503', async () => {
    reply = { problem: 'CONFLICT', detail: 'This tenant has no webhook.' };
    const refused = await portal.call('POST', `${webhook}/test`, {});
    expect([refused.status, refused.body['detail']]).to.deep.equal([
      409,
      'This tenant has no webhook.',
    ]);
    reply = { problem: 'INTERNAL_ERROR' };
    const failed = await portal.call('GET', one);
    expect([failed.status, failed.body.code]).to.deep.equal([503, 'SERVICE_UNAVAILABLE']);
  });

  it('refuses queries and bodies with every mistake at its pointer, and asks nobody', async () => {
    const examples: [string, string, unknown, string[]][] = [
      [
        'GET',
        `${list}?state=lost&since=soon&limit=0&cursor=%20&from=x`,
        undefined,
        [
          '/cursor INVALID_FORMAT',
          '/from UNKNOWN_FIELD',
          '/limit OUT_OF_RANGE',
          '/since INVALID_FORMAT',
          '/state INVALID_ENUM',
        ],
      ],
      ['POST', `${one}/resend`, { note: 1 }, ['/note INVALID_TYPE']],
    ];
    for (const [method, path, body, expected] of examples) {
      const answer = await portal.call(method, path, body);
      const found = answer.body.errors?.map(({ pointer, code }) => `${pointer} ${code}`);
      expect([answer.status, found?.sort()]).to.deep.equal([422, expected]);
    }
    expect(asked).to.deep.equal([]);
  });

  it('knows by itself that a tenant or an id cannot be, and asks nobody', async () => {
    for (const [method, path, body] of [
      ['GET', '/api/tenants/nobody/deliveries', undefined],
      ['GET', `/api/tenants/nobody/deliveries/${webhookEventId}`, undefined],
      ['GET', `${list}/1`, undefined],
      ['POST', `${list}/%00/resend`, { by }],
      ['GET', '/api/tenants/nobody/webhook', undefined],
      ['POST', '/api/tenants/nobody/webhook/test', {}],
      ['POST', '/api/tenants/nobody/webhook/recover', { by, since: '2026-03-01T12:00:00Z' }],
    ] as const) {
      const answer = await portal.call(method, path, body);
      expect([answer.status, answer.body.code], path).to.deep.equal([404, 'NOT_FOUND']);
    }
    expect(asked).to.deep.equal([]);
  });
});
