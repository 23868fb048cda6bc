import { createAdminApp } from '@tributary/http/admin-listener';
import { createInternalRouter, type InternalReply } from '@tributary/http/internal-router';
import { createRegistry } from '@tributary/http/metrics';
import type { Listener } from '@tributary/http/server';
import { serve } from '@tributary/http/testing';
import { createLogger } from '@tributary/runtime/logger';
import { expect } from 'chai';
import express from 'express';
import { startTestPortal, type TestPortal } from '../testing/test-portal.ts';

const logger = createLogger({ service: 'test', level: 'silent' });
const rewardId = '8f14e45f-ceea-567a-9f3c-0d1f2a3b4c5d';

/** rewards has specs of its own; here it is whoever listens at its address and is asked. */
describe('rewards through the admin API', () => {
  let portal: TestPortal;
  let rewards: Listener;
  const asked: { path: string; body: unknown }[] = [];
  let askedAs: unknown;
  let reply: InternalReply;

  before(async () => {
    const paths = ['/tenants/:t/rewards/:id/:verb', '/tenants/:t/rewards/release'];
    const routes = paths.map((path) => ({
      method: 'POST' as const,
      path,
      answer: ({ param, json }: { param(name: string): string; json: unknown }) => {
        const named = [param('t'), param('id'), param('verb')].filter((part) => part !== '');
        asked.push({ path: named.join(' '), body: json });
        return Promise.resolve(reply);
      },
    }));
    const internal = {
      tokens: ['test-internal-token'],
      router: createInternalRouter(routes, { logger }),
    };
    const registry = createRegistry('rewards');
    const app = express().use((req, _res, next) => {
      askedAs = req.headers['x-request-id'];
      next();
    });
    app.use(createAdminApp({ service: 'rewards', registry, checks: {}, internal }));
    rewards = await serve(app);
    portal = await startTestPortal({ rewardsUrl: `http://127.0.0.1:${rewards.port}` });
  });
  beforeEach(() => {
    asked.length = 0;
    reply = { status: 200, body: { rewardId, action: 'released' } };
  });
  after(async () => {
    await portal.stop();
    await rewards.stop();
  });

  const by = 'ops@example.com';
  const one = `/api/tenants/acme/rewards/${rewardId}`;
  const many = '/api/tenants/acme/rewards/release';

  it('asks rewards to release or withhold one, and hands its answer on', async () => {
    const answer = await portal.call('POST', `${one}/release`, { by, note: 'seen' });
    expect([answer.status, answer.body]).to.deep.equal([200, { rewardId, action: 'released' }]);
    await portal.call('POST', `${one}/withhold`, { by });
    expect(asked).to.deep.equal([
      { path: `acme ${rewardId} release`, body: { by, note: 'seen' } },
      { path: `acme ${rewardId} withhold`, body: { by } },
    ]);
  });

  it('hands a refusal on in the words of rewards, under one request id', async () => {
    reply = { problem: 'CONFLICT', detail: 'This reward was issued in full already.' };
    const answer = await portal.call('POST', `${one}/withhold`, { by });
    expect(answer.status).to.equal(409);
    expect(answer.body).to.include({ detail: 'This reward was issued in full already.' });
    expect(answer.body['instance']).to.equal(answer.headers.get('x-request-id'));
    expect(askedAs).to.equal(answer.headers.get('x-request-id'));
  });

  it('answers 503 when rewards fails', async () => {
    reply = { problem: 'INTERNAL_ERROR' };
    const answer = await portal.call('POST', `${one}/release`, { by });
    expect([answer.status, answer.body.code]).to.deep.equal([503, 'SERVICE_UNAVAILABLE']);
  });

  it('asks for many with the time as UTC, rounded up to the millisecond', async () => {
    const filter = {
      state: 'review',
      campaignId: 'spring',
      before: '2026-03-01T12:00:00.0001+01:00',
    };
    await portal.call('POST', many, { by, filter });
    expect(asked).to.deep.equal([
      { path: 'acme', body: { by, filter: { ...filter, before: '2026-03-01T11:00:00.001Z' } } },
    ]);
  });

  it('refuses a body with every mistake at its pointer, and asks nobody', async () => {
    const examples: [string, unknown, string[]][] = [
      [`${one}/release`, { by: '', word: 1 }, ['/by OUT_OF_RANGE', '/word UNKNOWN_FIELD']],
      [`${one}/withhold`, { by, note: 'n'.repeat(1_001) }, ['/note OUT_OF_RANGE']],
      [many, { by }, ['/filter REQUIRED']],
      [many, { by, filter: { state: 'held' } }, ['/filter/state INVALID_ENUM']],
      [
        many,
        { by, filter: { state: 'review', before: 'soon' } },
        ['/filter/before INVALID_FORMAT'],
      ],
    ];
    for (const [path, body, expected] of examples) {
      const answer = await portal.call('POST', path, body);
      const found = answer.body.errors?.map(({ pointer, code }) => `${pointer} ${code}`);
      expect(answer.status, JSON.stringify(body)).to.equal(422);
      expect(found?.sort(), JSON.stringify(body)).to.deep.equal(expected);
    }
    expect(asked).to.deep.equal([]);
  });
});
