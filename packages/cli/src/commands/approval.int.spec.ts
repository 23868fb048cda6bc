import { expect } from 'chai';
import { type AdminApi, startAdminApi } from '../testing/admin-api.ts';

describe('tributary approval', () => {
  let api: AdminApi;
  before(async () => {
    api = await startAdminApi();
  });
  beforeEach(() => {
    api.requests.length = 0;
  });
  after(() => api.stop());

  const at = '2026-11-24T02:00:00.000Z';
  const pending = {
    ...{ approvalId: 'p1', action: 'releaseReviewedRewards', tenantId: 'acme' },
    ...{ requestedBy: 'account:a1', requestedAt: at, expiresAt: at, state: 'pending' },
  };
  const body = { filter: { state: 'review' } };
  const listed = {
    ...{ ...pending, target: {}, asked: body, decidedBy: null, decidedAt: null, status: null },
  };

  it('shows what waits, and what was asked', async () => {
    api.replyWith({ approvals: [listed], nextCursor: null });
    const { code, out } = await api.run(['approval', 'list', '--tenant', 'acme']);
    expect(code).to.equal(0);
    expect(out).to.contain('releaseReviewedRewards').and.to.contain(JSON.stringify(body));
    await api.run(['approval', 'list', '--state', 'expired']);
    expect(api.requests).to.deep.equal([
      'GET /api/tenants/acme/approvals',
      'GET /api/approvals?state=expired',
    ]);
  });

  it('approves and declines, of a tenant or of the deployment', async () => {
    api.replyWith({ approvalId: 'p1', state: 'done', status: 200, answer: {} });
    expect((await api.run(['approval', 'approve', 'p1', '--tenant', 'acme'])).code).to.equal(0);
    await api.run(['approval', 'approve', 'p1']);
    api.replyWith({ ...listed, state: 'declined', asked: null });
    await api.run(['approval', 'decline', 'p1', '--tenant', 'acme']);
    await api.run(['approval', 'decline', 'p1']);
    api.replyWith({ required: true });
    await api.run(['approval', 'require', '--tenant', 'acme']);
    await api.run(['approval', 'waive', '--tenant', 'acme']);
    expect(api.requests).to.deep.equal([
      'POST /api/tenants/acme/approvals/p1/approve',
      'POST /api/approvals/p1/approve',
      'DELETE /api/tenants/acme/approvals/p1',
      'DELETE /api/approvals/p1',
      'PUT /api/tenants/acme/second-person {"required":true}',
      'PUT /api/tenants/acme/second-person {"required":false}',
    ]);
  });

  it('says of an action that waits that it is not done, and how it will be', async () => {
    api.replyWith(() => ({ status: 202, body: pending }));
    const release = ['reward', 'release', '--tenant', 'acme', '--all-in-review'];
    const { code, out, err } = await api.run(release);
    expect([code, out]).to.deep.equal([1, '']);
    expect(err).to.contain('tributary approval approve p1 --tenant acme');
    const asJson = await api.run(['--json', ...release]);
    expect(asJson.err.replace(/^.*?\n(?={)/s, '')).to.equal(
      `${JSON.stringify(pending, null, 2)}\n`,
    );
    // A job that is started is answered with the same status, and it is not one.
    api.replyWith(() => ({ status: 202, body: { ...pending, tenantId: null } }));
    const swapped = await api.run(['replay', 'swap', '2']);
    expect([swapped.code, swapped.err.split('\n').at(-2)]).to.deep.equal([
      1,
      '  tributary approval approve p1',
    ]);
  });
});
