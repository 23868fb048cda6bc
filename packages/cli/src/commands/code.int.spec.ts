import { expect } from 'chai';
import { type AdminApi, startAdminApi } from '../testing/admin-api.ts';

describe('tributary code issue, disable and enable', () => {
  let api: AdminApi;
  before(async () => {
    api = await startAdminApi();
  });
  beforeEach(() => void api.requests.splice(0));
  after(() => api.stop());
  const run = (...argv: string[]) => api.run(['code', ...argv, '--tenant', 'acme']);

  const code = { ucc: 'SUMMER', campaignId: 'spring', productUserId: 'ada' };
  const link = 'https://example.com/join?productId=p&ucc=SUMMER';

  it('prints a code with its link', async () => {
    api.replyWith(() => ({ status: 201, body: { ...code, link } }));
    expect((await run('issue', '--user', 'ada')).out).to.match(/^Code issued\n[^]*link +https/);
    api.replyWith({ ...code, link });
    expect((await run('issue', '--user', 'ada')).out).to.match(/^The user has this code\n/);
  });

  it('says that a code is disabled, and what to do', async () => {
    api.replyWith({ ...code, disabledAt: '2026-05-01T12:00:00.000Z' });
    const { out } = await run('issue', '--user', 'ada');
    expect(out).to.match(/^The user has this code, and it is disabled: it attributes nothing\n/);
    expect(out).to.match(/disabledAt +2026-05-01/);
    expect(out).to.contain('Enable it again with `tributary code enable`');
    expect(out).to.not.contain('link');
  });

  it('enables one', async () => {
    api.replyWith({ ...code, link });
    const { out, code: exit } = await run('enable', 'SUMMER');
    expect(exit).to.equal(0);
    expect(out).to.match(/^Code enabled\n {2}ucc +SUMMER\n[^]*link +https/);
    expect(api.requests).to.deep.equal(['POST /api/tenants/acme/codes/enable {"ucc":"SUMMER"}']);
  });
});
