import { createAdminApp } from '@tributary/http/admin-listener';
import { createInternalRouter, type InternalReply } from '@tributary/http/internal-router';
import { createRegistry } from '@tributary/http/metrics';
import type { Listener } from '@tributary/http/server';
import { serve } from '@tributary/http/testing';
import { silentLogger } from '@tributary/event-log/testing';
import { attackMade } from '@tributary/testkit/attacks';
import { eventually } from '@tributary/testkit/eventually';
import { expect } from 'chai';
import pg from 'pg';
import { createApprovalUpkeep } from '../accounts/workers/approval-upkeep.ts';
import { ask, bearer, type Page, type Person, signIn, signUp } from '../testing/people.ts';
import { type ReplayListener, startReplayListener } from '../testing/replay-listener.ts';
import { type Answer, startTestPortal, type TestPortal } from '../testing/test-portal.ts';

type Entry = Record<string, unknown>;

/** rewards and replay have specs of their own; here they are whoever listens and is asked. */
describe('portal: a second person', () => {
  let portal: TestPortal;
  let rewards: Listener;
  let replay: ReplayListener;
  const asked: { path: string; by: unknown }[] = [];
  const replies: InternalReply[] = [];
  let ada: Person & { page: Page };
  let bob: Person & { page: Page };
  let analyst: Page;
  before(async () => {
    const routes = [
      {
        method: 'POST' as const,
        path: '/tenants/:t/rewards/release',
        answer: ({ param, json }: { param(name: string): string; json: unknown }) => {
          asked.push({ path: param('t'), by: (json as { by: unknown }).by });
          return Promise.resolve(
            replies.shift() ?? { status: 200, body: { released: 1, more: false } },
          );
        },
      },
    ];
    const router = createInternalRouter(routes, { logger: silentLogger });
    const internal = { tokens: ['test-internal-token'], router };
    const registry = createRegistry('rewards');
    rewards = await serve(createAdminApp({ service: 'rewards', registry, checks: {}, internal }));
    replay = await startReplayListener();
    portal = await startTestPortal({
      rewardsUrl: `http://127.0.0.1:${rewards.port}`,
      replayUrl: replay.url,
    });
    for (const tenantId of ['acme', 'free', 'other']) {
      await portal.call('POST', '/api/tenants', { name: tenantId, tenantId });
    }
    ada = await someone('ada', 'owner');
    bob = await someone('bob', 'reviewer');
    analyst = (await someone('analyst', 'analyst')).page;
    const required = await ada.page.call('PUT', '/api/tenants/acme/second-person', {
      required: true,
    });
    expect(required.body).to.deep.equal({ required: true });
  });
  beforeEach(() => {
    asked.length = 0;
    replies.length = 0;
  });
  afterEach(() => portal.clock.run());
  after(async () => {
    await portal.stop();
    await rewards.stop();
    await replay.stop();
  });

  async function someone(name: string, role: 'owner' | 'reviewer' | 'analyst') {
    const person = await signUp(portal, { email: `${name}@example.com`, tenantId: 'acme', role });
    return { ...person, page: await signIn(portal, person) };
  }
  const body = { filter: { state: 'review' } };
  const release = (page: Pick<Page, 'call'>, tenant = 'acme') =>
    page.call('POST', `/api/tenants/${tenant}/rewards/release`, body);
  const approve = (page: Pick<Page, 'call'>, approvalId: unknown) =>
    page.call('POST', `/api/tenants/acme/approvals/${String(approvalId)}/approve`);
  const waiting = async () => {
    const pending = await release(ada.page);
    expect(pending.status).to.equal(202);
    return pending.body;
  };
  const listed = async (page: Pick<Page, 'call'>, id: unknown): Promise<Entry> => {
    const answer = await page.call('GET', '/api/tenants/acme/approvals?limit=200');
    const all = answer.body['approvals'] as Entry[];
    return all.find(({ approvalId }) => approvalId === id) ?? {};
  };
  const refusedWith = (status: number, answer: Answer, what: string) => {
    expect(answer.status, what).to.equal(status);
    expect(asked, what).to.deep.equal([]);
    attackMade('roles', `second person: ${what}`);
  };

  it('is needed where the tenant wants one, and nothing is done before', async () => {
    const pending = await waiting();
    expect(pending).to.deep.include({
      ...{ action: 'releaseReviewedRewards', tenantId: 'acme', state: 'pending' },
      requestedBy: `account:${ada.accountId}`,
    });
    expect(asked).to.deep.equal([]);
    expect(await listed(bob.page, pending['approvalId'])).to.deep.include({ asked: body });
    expect(await listed(analyst, pending['approvalId'])).to.deep.include({ asked: null });
    expect((await release(portal, 'free')).body).to.deep.equal({ released: 1, more: false });
  });

  it('has it done in the name of whoever asked, once; the audit list names both', async () => {
    const { approvalId } = await waiting();
    const done = await approve(bob.page, approvalId);
    expect(done.body).to.deep.equal({
      ...{ approvalId, state: 'done', status: 200 },
      answer: { released: 1, more: false },
    });
    expect(asked).to.deep.equal([{ path: 'acme', by: `account:${ada.accountId}` }]);
    expect((await approve(bob.page, approvalId)).status).to.equal(409);
    expect(asked).to.have.length(1);
    expect(await listed(bob.page, approvalId)).to.deep.include({
      ...{ state: 'done', status: 200, asked: null, decidedBy: `account:${bob.accountId}` },
    });
    const audit = await portal.call('GET', '/api/tenants/acme/audit?limit=200');
    const entries = (audit.body['entries'] as Entry[]).filter(
      ({ target }) => (target as Entry)['approvalId'] === approvalId,
    );
    const told = entries.map(({ actor, action, status }) => [actor, action, status]);
    expect(told).to.deep.equal([
      [`account:${bob.accountId}`, 'approveInTenant', 409],
      [`account:${bob.accountId}`, 'approveInTenant', 200],
      [`account:${ada.accountId}`, 'releaseReviewedRewards', 202],
    ]);
    expect(entries[1]?.['target']).to.deep.equal({
      ...{ approvalId, action: 'releaseReviewedRewards' },
      requestedBy: `account:${ada.accountId}`,
    });
  });

  it('is another one, with the right, who has proved who they are', async () => {
    const { approvalId } = await waiting();
    refusedWith(403, await approve(ada.page, approvalId), 'whoever asked');
    refusedWith(403, await approve(analyst, approvalId), 'without the right for it');
    refusedWith(403, await approve(portal, approvalId), 'nobody in particular');
    const token = async (page: Pick<Page, 'call'>) => {
      const made = await page.call('POST', '/api/tenants/acme/tokens', {
        ...{ name: 'ci', role: 'reviewer' },
      });
      const headers = bearer(String(made.body['token']));
      const call = (method: string, path: string) => ask(portal, method, path, { headers });
      return { call };
    };
    refusedWith(403, await approve(await token(ada.page), approvalId), 'a token of whoever asked');
    refusedWith(403, await approve(await token(portal), approvalId), 'a token of nobody');
    const elsewhere = `/api/tenants/other/approvals/${String(approvalId)}/approve`;
    refusedWith(404, await portal.call('POST', elsewhere), 'by the path of another tenant');
    const deployment = `/api/approvals/${String(approvalId)}/approve`;
    refusedWith(404, await portal.call('POST', deployment), 'by the path of the deployment');
    expect((await approve(bob.page, approvalId)).status).to.equal(200);
  });

  it('cannot be got around by a token that asks', async () => {
    const made = await ada.page.call('POST', '/api/tenants/acme/tokens', {
      ...{ name: 'job', role: 'reviewer' },
    });
    const headers = bearer(String(made.body['token']));
    const pending = await ask(portal, 'POST', '/api/tenants/acme/rewards/release', {
      ...{ headers, body },
    });
    expect(pending.status).to.equal(202);
    refusedWith(403, await approve(ada.page, pending.body['approvalId']), 'the maker of the token');
    await portal.call('DELETE', `/api/tenants/acme/tokens/${String(made.body['tokenId'])}`);
    refusedWith(
      409,
      await approve(bob.page, pending.body['approvalId']),
      'for a token that was revoked meanwhile',
    );
  });

  it('has a day, and can decline', async () => {
    const { approvalId } = await waiting();
    const declined = await bob.page.call(
      'DELETE',
      `/api/tenants/acme/approvals/${String(approvalId)}`,
    );
    expect(declined.body).to.deep.include({ state: 'declined', asked: null });
    refusedWith(409, await approve(bob.page, approvalId), 'what was declined');
    const late = (await waiting())['approvalId'];
    portal.clock.set(new Date(Date.now() + 25 * 3_600_000).toISOString());
    const again = await signIn(portal, { email: bob.email });
    refusedWith(409, await approve(again, late), 'after a day');
    expect(await listed(again, late)).to.deep.include({ state: 'expired', asked: null });
    const expired = await again.call('GET', '/api/tenants/acme/approvals?state=expired');
    const ids = (expired.body['approvals'] as Entry[]).map((one) => one['approvalId']);
    expect(ids).to.include(late);
  });

  it('keeps nothing of what was asked once it is decided, or its day is over', async () => {
    const decided = (await waiting())['approvalId'];
    expect((await approve(bob.page, decided)).status).to.equal(200);
    const late = (await waiting())['approvalId'];
    const now = new Date(Date.now() + 25 * 3_600_000);
    const pool = new pg.Pool({
      connectionString: portal.postgresUrl,
      options: '-c search_path=portal',
    });
    const clock = { now: () => now };
    const office = { pool, clock };
    const upkeep = createApprovalUpkeep({ office, logger: silentLogger, everyMs: 20 });
    upkeep.start();
    await eventually(async () => {
      const { rows } = await pool.query('select approval_id from approval where body is not null');
      expect(rows).to.deep.equal([]);
    });
    await upkeep.stop();
    const { rows } = await pool.query<{ search: string }>(
      'select search from approval where approval_id = any($1)',
      [[decided, late]],
    );
    expect(rows).to.deep.equal([{ search: '' }, { search: '' }]);
    await pool.end();
  });

  it('decides once, however many do at the same time', async () => {
    const { approvalId } = await waiting();
    const answers = await Promise.all(
      [bob.page, bob.page, bob.page].map((page) => approve(page, approvalId)),
    );
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, 409, 409]);
    expect(asked).to.have.length(1);
  });

  it('approves all of it, where an answer says that there is more', async () => {
    replies.push({ status: 200, body: { released: 500, more: true } });
    replies.push({ status: 200, body: { released: 500, more: true } });
    replies.push({ status: 200, body: { released: 7, more: false } });
    const done = await approve(bob.page, (await waiting())['approvalId']);
    expect(done.body['answer']).to.deep.equal({ released: 1_007, more: false });
  });

  it('hears what an action is refused with, which is then over', async () => {
    replies.push({ problem: 'CONFLICT', detail: 'not now' });
    const { approvalId } = await waiting();
    const refused = await approve(bob.page, approvalId);
    expect([refused.status, refused.body['detail']]).to.deep.equal([409, 'not now']);
    expect(await listed(bob.page, approvalId)).to.deep.include({ state: 'failed', status: 409 });
  });

  it('is not asked for what nobody could do', async () => {
    const wrong = await ada.page.call('POST', '/api/tenants/acme/rewards/release', { filter: {} });
    expect(wrong.status).to.equal(422);
  });

  it('is needed to do without one', async () => {
    const off = await ada.page.call('PUT', '/api/tenants/acme/second-person', { required: false });
    expect(off.status).to.equal(202);
    const { approvalId } = off.body;
    expect((await approve(bob.page, approvalId)).status).to.equal(403);
    const shown = await bob.page.call('GET', '/api/tenants/acme/second-person');
    expect(shown.body).to.deep.equal({ required: true, byDeployment: false });
    const eve = await someone('eve', 'owner');
    expect((await approve(eve.page, approvalId)).status).to.equal(200);
    expect((await release(ada.page)).status).to.equal(200);
    await ada.page.call('PUT', '/api/tenants/acme/second-person', { required: true });
  });

  it('is wanted for the commit of a preview by the tenant whose campaign it changes', async () => {
    const campaign = { name: 'Spring', landingUrl: 'https://acme.example/join', rules: [] };
    const commitOf = async (tenantId: string) => {
      const path = `/api/tenants/${tenantId}/campaigns/spring`;
      expect((await portal.call('PUT', path, campaign)).status).to.equal(200);
      const { body: preview } = await portal.call('POST', '/api/replay/previews', {
        ...{ tenantId, campaignId: 'spring', campaign: { ...campaign, name: 'Changed' } },
        effectiveFrom: '2026-01-01T00:00:00.000Z',
      });
      const commit = `/api/replay/previews/${String(preview['previewId'])}/commit`;
      return { path, commit: () => portal.call('POST', commit) };
    };
    const free = await commitOf('free');
    expect((await free.commit()).status).to.equal(200);
    const acme = await commitOf('acme');
    const pending = await acme.commit();
    expect([pending.status, pending.body['action']]).to.deep.equal([202, 'commitPreview']);
    const revision = () => portal.call('GET', `${acme.path}/revisions/2`);
    expect((await revision()).status).to.equal(404);
    attackMade('roles', 'second person: the commit of a preview');
    const operator = await signUp(portal, { email: 'operator@example.com' });
    const page = await signIn(portal, operator);
    const approval = `/api/approvals/${String(pending.body['approvalId'])}/approve`;
    expect((await page.call('POST', approval)).status).to.equal(200);
    expect((await revision()).status).to.equal(200);
    // What is committed is told again to whoever asks.
    expect((await acme.commit()).status).to.equal(200);
  });

  it('is needed for the deployment and every tenant, where its configuration says so', async () => {
    const strict = await startTestPortal({ replayUrl: replay.url, secondPerson: true });
    await strict.call('POST', '/api/tenants', { name: 'acme', tenantId: 'acme' });
    const shown = await strict.call('GET', '/api/tenants/acme/second-person');
    expect(shown.body).to.deep.equal({ required: true, byDeployment: true });
    const operator = await signUp(strict, { email: 'operator@example.com' });
    const page = await signIn(strict, operator);
    const before = replay.jobs.length;
    const paths = ['/api/replay/generations/2/swap', '/api/replay/generations/rollback'];
    for (const path of paths) {
      const pending = await strict.call('POST', path, { by: 'ops' });
      expect([pending.status, pending.body['state']]).to.deep.equal([202, 'pending']);
      expect(replay.jobs).to.have.length(before);
    }
    const commit = '/api/replay/previews/8f14e45f-ceea-567a-9f3c-0d1f2a3b4c5d/commit';
    expect((await strict.call('POST', commit)).body['action']).to.equal('commitPreview');
    const all = await page.call('GET', '/api/approvals?state=pending');
    const swap = (all.body['approvals'] as Entry[]).find(({ action }) => action === 'startSwap');
    expect(swap).to.deep.include({ target: { number: '2' }, asked: { by: 'ops' } });
    const done = await page.call('POST', `/api/approvals/${String(swap?.['approvalId'])}/approve`);
    expect(done.body).to.include({ status: 202 });
    expect(replay.jobs.slice(before)).to.have.length(1);
    expect(replay.jobs.at(-1)).to.deep.include({ kind: 'swap', params: { to: 2 }, by: 'ops' });
    await strict.stop();
  }).timeout(120_000);
});
