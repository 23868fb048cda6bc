import { expect } from 'chai';
import { type AdminApi, startAdminApi } from '../testing/admin-api.ts';

describe('tributary operator, people, token and audit', () => {
  let api: AdminApi;
  before(async () => {
    api = await startAdminApi();
  });
  beforeEach(() => {
    api.requests.length = 0;
  });
  after(() => api.stop());

  const at = '2026-11-24T02:00:00.000Z';
  const link = 'https://referrals.example/portal/invitation#secret';
  const token = {
    ...{ tokenId: 't1', name: 'ci', tenantId: 'acme', role: 'developer', createdBy: 'operator' },
    ...{ createdAt: at, expiresAt: at, lastUsedAt: null, revokedAt: null },
  };
  const entry = {
    ...{ entryId: 'e1', at, actor: 'account:a1', action: 'putCampaign', tenantId: 'acme' },
    ...{ actorKind: 'member', actorName: 'Ada', actorEmail: 'ada@example.com' },
    ...{ status: 200, outcome: 'done', target: { campaignId: 'spring' }, asked: { name: '=1' } },
    ...{ before: null, after: null, address: '192.0.2.1', requestId: 'r1' },
  };

  it('invites an operator, and shows the link by itself', async () => {
    const invited = { invitationId: 'i1', email: 'a@b.example', tenantId: null, role: 'operator' };
    api.replyWith({ ...invited, expiresAt: at, link, mailed: false });
    const { code, out } = await api.run(['operator', 'invite', 'a@b.example']);
    expect(code).to.equal(0);
    expect(out.trimEnd().split('\n').at(-1)).to.equal(link);
    expect(api.requests).to.deep.equal(['POST /api/operators/invitations {"email":"a@b.example"}']);
  });

  it('says that a link was mailed, which nobody is shown then', async () => {
    const invited = { invitationId: 'i1', email: 'a@b.example', tenantId: null, role: 'operator' };
    api.replyWith({ ...invited, expiresAt: at, link: null, mailed: true });
    const { code, out } = await api.run(['operator', 'invite', 'a@b.example']);
    expect([code, out.split('\n')[0]]).to.deep.equal([0, 'Invited; the link was mailed']);
  });

  it('withdraws the invitation of an operator', async () => {
    api.replyWith({ invitationId: 'i1', status: 'withdrawn' });
    const { code, out } = await api.run(['operator', 'withdraw', 'i1']);
    expect(code).to.equal(0);
    expect(out).to.contain('withdrawn');
    expect(api.requests).to.deep.equal(['DELETE /api/operators/invitations/i1']);
  });

  it('asks for what is said about people of a tenant', async () => {
    api.replyWith({ people: [], invitations: [] });
    const of = ['--tenant', 'acme'];
    await api.run(['people', 'list', ...of]);
    api.replyWith({});
    await api.run(['people', 'role', 'a1', ...of, '--role', 'admin']);
    await api.run(['people', 'remove', 'a1', ...of]);
    await api.run(['people', 'withdraw', 'i1', ...of]);
    expect(api.requests).to.deep.equal([
      'GET /api/tenants/acme/people',
      'PUT /api/tenants/acme/people/a1/role {"role":"admin"}',
      'DELETE /api/tenants/acme/people/a1',
      'DELETE /api/tenants/acme/people/invitations/i1',
    ]);
    expect((await api.run(['people', 'invite', 'a@b.example', ...of])).code).to.equal(2);
    const unknown = ['people', 'invite', 'a@b.example', ...of, '--role', 'king'];
    expect((await api.run(unknown)).code).to.equal(2);
  });

  it('makes, lists and revokes tokens, of a tenant or of the deployment', async () => {
    api.replyWith({ ...token, token: 'trib_x', tokens: [token] });
    const of = ['--tenant', 'acme'];
    const made = await api.run(['token', 'create', 'ci', ...of, '--role', 'developer']);
    expect(made.out).to.contain('trib_x').and.to.contain('not shown again');
    await api.run(['token', 'create', 'all', '--days', '30']);
    expect((await api.run(['token', 'list', ...of])).out).to.contain('lastUsedAt');
    await api.run(['token', 'list']);
    await api.run(['token', 'revoke', 't1', ...of]);
    await api.run(['token', 'revoke', 't1']);
    expect(api.requests).to.deep.equal([
      'POST /api/tenants/acme/tokens {"name":"ci","role":"developer"}',
      'POST /api/tokens {"name":"all","days":30}',
      'GET /api/tenants/acme/tokens',
      'GET /api/tokens',
      'DELETE /api/tenants/acme/tokens/t1',
      'DELETE /api/tokens/t1',
    ]);
    expect((await api.run(['token', 'create', 'ci', ...of])).code).to.equal(2);
    expect((await api.run(['token', 'create', 'ci', '--role', 'admin'])).code).to.equal(2);
  });

  it('lists what was done, page by page, or all of it as CSV', async () => {
    api.replyWith({ entries: [entry], nextCursor: 'abc' });
    const flags = ['--tenant', 'acme', '--actor', 'account:a1', '--since', at];
    expect((await api.run(['audit', 'list', ...flags])).out).to.contain('--cursor abc');
    api.replyWith((request) => ({
      status: 200,
      body: { entries: [entry], nextCursor: request.includes('cursor=abc') ? null : 'abc' },
    }));
    const { out } = await api.run(['audit', 'list', '--format', 'csv']);
    const row =
      `${at},account:a1,Ada,putCampaign,acme,spring,done,200,192.0.2.1,` +
      '"{""name"":""=1""}",,,r1,e1,member,ada@example.com';
    expect(out.trimEnd().split('\n').slice(1)).to.deep.equal([row, row]);
    expect(api.requests).to.deep.equal([
      `GET /api/tenants/acme/audit?actor=account%3Aa1&since=${encodeURIComponent(at)}`,
      'GET /api/audit?limit=200',
      'GET /api/audit?limit=200&cursor=abc',
    ]);
  });
});
