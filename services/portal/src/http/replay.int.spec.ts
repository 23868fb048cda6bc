import { catalogSchemaVersion } from '@tributary/contracts/catalog-record';
import { expect } from 'chai';
import { type ReplayListener, startReplayListener } from '../testing/replay-listener.ts';
import { startTestPortal, type TestPortal } from '../testing/test-portal.ts';

const now = '2026-03-01T12:00:00.000Z';
const campaign = {
  name: 'Spring',
  landingUrl: 'https://acme.example/join',
  rules: [
    {
      ruleId: 'purchase',
      trigger: 'purchase-created',
      recipient: 'referrer',
      effect: { kind: 'fixed', credits: '10' },
      conditions: { minimumAmounts: { EUR: 1 } },
      holdDays: 14,
    },
  ],
};

/**
 * The replay service has specs of its own; here it is whoever listens at its address and is asked.
 */
describe('replays through the admin API', () => {
  let portal: TestPortal;
  let replay: ReplayListener;
  before(async () => {
    replay = await startReplayListener();
    portal = await startTestPortal({ replayUrl: replay.url });
    portal.clock.set('2026-02-01T00:00:00Z');
    await portal.call('POST', '/api/tenants', { tenantId: 'acme', name: 'Acme' });
    await portal.call('POST', '/api/tenants', { tenantId: 'empty', name: 'Empty' });
    await portal.call('PUT', '/api/tenants/acme/campaigns/spring', campaign);
    portal.clock.set(now);
  });
  beforeEach(() => {
    replay.jobs.length = 0;
    replay.asked.length = 0;
    replay.replies.clear();
  });
  after(async () => {
    await portal.stop();
    await replay.stop();
  });

  const preview = (body: object) => portal.call('POST', '/api/replay/previews', body);
  const mistakesOf = (answer: Awaited<ReturnType<typeof preview>>) => [
    answer.status,
    ...(answer.body.errors ?? []).map(({ pointer, code }) => `${pointer} ${code}`).sort(),
  ];

  describe('a preview', () => {
    it('is of the revision that the campaign would become, and may begin in the past', async () => {
      const effectiveFrom = '2026-02-10T01:00:00+01:00';
      const answer = await preview({
        tenantId: 'acme',
        campaignId: 'spring',
        campaign,
        effectiveFrom,
      });
      const [job] = replay.jobs;
      expect([answer.status, answer.body['previewId']]).to.deep.equal([202, job?.jobId]);
      expect(answer.body['warnings']).to.deep.equal([]);
      expect(job).to.deep.include({ kind: 'preview', by: 'operator' });
      expect(job?.params).to.deep.equal({
        tenantId: 'acme',
        effectiveFrom: '2026-02-10T00:00:00.000Z',
        draft: {
          ...campaign,
          schemaVersion: catalogSchemaVersion,
          entity: 'campaign-revision',
          tenantId: 'acme',
          version: 1,
          campaignId: 'spring',
          revision: 2,
          status: 'running',
          creditScale: 0,
          effectiveFrom: '2026-02-10T00:00:00.000Z',
          publishedAt: '9999-12-31T23:59:59.999Z',
        },
      });
      const stored = await portal.call('GET', '/api/tenants/acme/campaigns/spring');
      expect(stored.body['revisions']).to.have.length(1);
    });

    it('is of the default campaign, and from now on, unless said otherwise', async () => {
      const answer = await preview({ tenantId: 'acme', campaign, by: 'ops' });
      expect(replay.jobs[0]).to.have.nested.property('params.draft.campaignId', 'spring');
      expect(replay.jobs[0]).to.have.nested.property('params.draft.effectiveFrom', now);
      expect(replay.jobs[0]).to.have.property('by', 'ops');
      const codes = (answer.body['warnings'] as { code: string }[]).map(({ code }) => code);
      expect(codes).to.deep.equal(['HISTORY_UNTOUCHED']);
    });

    it('of a new campaign holds from always', async () => {
      await preview({ tenantId: 'acme', campaignId: 'autumn', campaign });
      expect(replay.jobs[0]).to.have.nested.property('params.draft.revision', 1);
      expect(replay.jobs[0]?.params['effectiveFrom']).to.equal('0000-01-01T00:00:00.000Z');
    });

    it('says when a later revision takes over', async () => {
      await portal.call('PUT', '/api/tenants/acme/campaigns/planned', campaign);
      await portal.call('PUT', '/api/tenants/acme/campaigns/planned', {
        ...{ ...campaign, name: 'Later' },
        effectiveFrom: '2026-06-01T00:00:00Z',
      });
      const input = { tenantId: 'acme', campaignId: 'planned', campaign };
      const { body } = await preview({ ...input, effectiveFrom: '2026-01-01T00:00:00Z' });
      expect(body['warnings']).to.have.nested.property('[0].code', 'TAKEN_OVER_LATER');
    });

    it('is refused with every mistake at its pointer, and asks nobody', async () => {
      const broken = { ...campaign, extra: 1, effectiveFrom: 'soon' };
      const examples: [object, string[]][] = [
        [{}, ['/campaign REQUIRED', '/tenantId REQUIRED']],
        [
          { tenantId: 'acme', campaign: broken },
          ['/campaign/effectiveFrom INVALID_FORMAT', '/campaign/extra UNKNOWN_FIELD'],
        ],
        [
          { tenantId: 'acme', campaign, effectiveFrom: 'soon', x: 1 },
          ['/effectiveFrom INVALID_FORMAT', '/x UNKNOWN_FIELD'],
        ],
        [{ tenantId: 'empty', campaign }, ['/campaignId REQUIRED']],
        [{ tenantId: 'acme', campaign, until: now }, ['/campaign UNKNOWN_FIELD']],
        [{ tenantId: 'acme', until: '2026-03-01T12:00:00.001Z' }, ['/until OUT_OF_RANGE']],
        [{ tenantId: 'acme', until: 'then' }, ['/until INVALID_FORMAT']],
        [
          { foldVersion: 2, campaign, until: now },
          ['/campaign UNKNOWN_FIELD', '/until UNKNOWN_FIELD'],
        ],
        [{ foldVersion: 0 }, ['/foldVersion OUT_OF_RANGE']],
      ];
      for (const [body, expected] of examples) {
        expect(mistakesOf(await preview(body))).to.deep.equal([422, ...expected]);
      }
      expect((await preview({ tenantId: 'nobody', campaign })).status).to.equal(404);
      expect((await preview({ tenantId: 'nobody', until: now })).status).to.equal(404);
      expect((await preview({ tenantId: 'nobody', foldVersion: 2 })).status).to.equal(404);
      expect(replay.jobs).to.deep.equal([]);
    });

    it('is unavailable in the words of the admin API when nobody answers', async () => {
      replay.replies.set('POST preview', { problem: 'INTERNAL_ERROR' });
      const answer = await preview({ tenantId: 'acme', campaign });
      expect([answer.status, answer.body.code]).to.deep.equal([503, 'SERVICE_UNAVAILABLE']);
    });
  });

  it('shows the state of a past moment, of one tenant or of all', async () => {
    await preview({ tenantId: 'acme', until: '2026-02-10T01:00:00+01:00' });
    await preview({ until: now, by: 'ops' });
    expect(replay.jobs.map(({ kind, params, by }) => ({ kind, params, by }))).to.deep.equal([
      {
        kind: 'state',
        params: { tenantId: 'acme', until: '2026-02-10T00:00:00.000Z' },
        by: 'operator',
      },
      { kind: 'state', params: { until: now }, by: 'ops' },
    ]);
  });

  it('previews another version of the fold, of one tenant or of all', async () => {
    expect((await preview({ foldVersion: 2 })).status).to.equal(202);
    expect((await preview({ tenantId: 'acme', foldVersion: 2, by: 'ops' })).status).to.equal(202);
    expect(replay.jobs.map(({ kind, params, by }) => ({ kind, params, by }))).to.deep.equal([
      { kind: 'preview', params: { foldVersion: 2 }, by: 'operator' },
      { kind: 'preview', params: { tenantId: 'acme', foldVersion: 2 }, by: 'ops' },
    ]);
  });

  it('verifies all, a tenant or a user of one', async () => {
    const verify = (body: object) => portal.call('POST', '/api/replay/jobs', body);
    await verify({ kind: 'verify' });
    const params = { tenantId: 'acme', userId: 'ada', generation: 2 };
    expect((await verify({ kind: 'verify', params, by: 'ops' })).status).to.equal(202);
    expect(replay.jobs.map((job) => job.params)).to.deep.equal([{}, params]);

    expect((await verify({ kind: 'verify', params: { tenantId: 'nobody' } })).status).to.equal(404);
    const examples: [object, string[]][] = [
      [{ kind: 'rebuild' }, ['/kind INVALID_ENUM']],
      [{ kind: 'verify', params: { userId: 'ada' } }, ['/params/tenantId REQUIRED']],
      [{ kind: 'verify', params: { user: 'ada' } }, ['/params/user UNKNOWN_FIELD']],
    ];
    for (const [body, expected] of examples) {
      expect(mistakesOf(await verify(body))).to.deep.equal([422, ...expected]);
    }
    expect(replay.jobs).to.have.length(2);
  });

  it('lists jobs page by page, shows one and cancels it', async () => {
    for (let i = 0; i < 3; i++) await portal.call('POST', '/api/replay/jobs', { kind: 'verify' });
    const [first, second, third] = replay.jobs.map(({ jobId }) => jobId);
    const idsOf = ({ body }: { body: Record<string, unknown> }) =>
      (body['jobs'] as { jobId: string }[]).map(({ jobId }) => jobId);
    const page = await portal.call('GET', '/api/replay/jobs?limit=2');
    expect([idsOf(page), page.body['nextCursor']]).to.deep.equal([[first, second], second]);
    const last = await portal.call('GET', `/api/replay/jobs?limit=2&cursor=${second}`);
    expect([idsOf(last), last.body['nextCursor']]).to.deep.equal([[third], null]);

    const one = await portal.call('GET', `/api/replay/jobs/${first}`);
    expect(one.body).to.have.property('jobId', first);
    await portal.call('POST', `/api/replay/jobs/${first}/cancel`, { by: 'ops' });
    await portal.call('POST', `/api/replay/jobs/${first}/cancel`);
    expect(replay.asked).to.deep.equal([`cancel ${first} by ops`, `cancel ${first} by operator`]);
    for (const id of ['1', '00000000-0000-4000-8000-000000000000', '..%2Fx']) {
      expect((await portal.call('GET', `/api/replay/jobs/${id}`)).status).to.equal(404);
    }
  });

  it('reads reports and pages of changes, filtered', async () => {
    const id = '3b1f0f0e-5a3e-4f1e-9d0e-0a8d1f0c9b11';
    const report = await portal.call('GET', `/api/replay/previews/${id}`);
    expect(report.body).to.deep.equal({ asked: `/previews/${id}`, commit: null, check: null });
    const query = 'kind=new&rule=r%261&recipient=ada&month=2026-03&limit=5&cursor=12.5-7';
    const page = await portal.call('GET', `/api/replay/previews/${id}/changes?${query}`);
    expect(page.body).to.have.property('nextCursor', null);
    replay.replies.set(`/previews/${id}/changes limit=50`, {
      status: 200,
      body: { changes: [], next: 'MTIuNSA3' },
    });
    const first = await portal.call('GET', `/api/replay/previews/${id}/changes`);
    expect(first.body).to.deep.equal({ changes: [], nextCursor: 'MTIuNSA3' });
    expect(replay.asked.at(-2)).to.equal(
      `/previews/${id}/changes kind=new&rule=r%261&recipient=ada&month=2026-03&after=12.5-7&limit=5`,
    );
    const wrong = await portal.call(
      'GET',
      `/api/replay/previews/${id}/changes?kind=old&month=2026-13&limit=0`,
    );
    expect(mistakesOf(wrong)).to.deep.equal([
      422,
      '/kind INVALID_ENUM',
      '/limit OUT_OF_RANGE',
      '/month INVALID_FORMAT',
    ]);
  });

  it('builds, swaps, rolls back and drops generations', async () => {
    const generations = '/api/replay/generations';
    const list = await portal.call('GET', generations);
    expect(list.body).to.deep.equal({ asked: '/generations' });
    await portal.call('POST', generations);
    await portal.call('POST', generations, { foldVersion: 1, by: 'ops' });
    await portal.call('POST', `${generations}/2/swap`, { by: 'ops' });
    await portal.call('POST', `${generations}/rollback`, {});
    expect((await portal.call('DELETE', `${generations}/1`)).status).to.equal(202);
    expect(replay.jobs.map(({ kind, params, by }) => ({ kind, params, by }))).to.deep.equal([
      { kind: 'rebuild', params: {}, by: 'operator' },
      { kind: 'rebuild', params: { foldVersion: 1 }, by: 'ops' },
      { kind: 'swap', params: { to: 2 }, by: 'ops' },
      { kind: 'rollback', params: {}, by: 'operator' },
      { kind: 'drop', params: { generation: 1 }, by: 'operator' },
    ]);
    expect((await portal.call('POST', `${generations}/0/swap`)).status).to.equal(404);
    expect((await portal.call('POST', `${generations}/1/swap`, { to: 2 })).status).to.equal(422);
    expect((await portal.call('DELETE', `${generations}/first`)).status).to.equal(404);
  });
});
