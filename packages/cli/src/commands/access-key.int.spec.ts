import { expect } from 'chai';
import { type AdminApi, startAdminApi } from '../testing/admin-api.ts';

describe('tributary access-key issue', () => {
  let api: AdminApi;
  before(async () => {
    api = await startAdminApi();
  });
  after(() => api.stop());

  const pair = { accessKeyId: 'ak-1', secretAccessKey: 's' };
  const issue = (...more: string[]) =>
    api.run(['access-key', 'issue', '--tenant', 'acme', ...more]);

  it('prints the pair', async () => {
    api.replyWith(() => ({ status: 201, body: pair }));
    const { code, out } = await issue();
    expect(code).to.equal(0);
    expect(out).to.contain('ak-1').and.to.not.contain('log');
  });

  it('says so when the log has not taken the change yet', async () => {
    api.replyWith(() => ({ status: 201, body: { ...pair, published: false } }));
    const { code, out } = await issue();
    expect(code).to.equal(0);
    expect(out).to.match(/secretAccessKey +s\n/);
    expect(out).to.match(/not on the log yet; it holds as soon as the log takes it\.\n$/);
    expect(JSON.parse((await issue('--json')).out)).to.deep.equal({ ...pair, published: false });
  });
});
