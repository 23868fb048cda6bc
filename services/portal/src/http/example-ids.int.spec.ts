import { expect } from 'chai';
import { startTestPortal, type TestPortal } from '../testing/test-portal.ts';

const campaign = {
  ...{ name: 'Friends', landingUrl: 'https://example.com/join', creditScale: 2 },
  rules: [
    {
      ...{ ruleId: 'purchase', trigger: 'purchase-created', recipient: 'referrer' },
      effect: { kind: 'fixed', credits: '5' },
    },
  ],
};

describe('portal: the ids that samples of the documentation show', () => {
  let portal: TestPortal;
  before(async () => {
    portal = await startTestPortal({ docsTenant: 'shown' });
  });
  after(() => portal.stop());

  const ids = async (of = portal) => {
    const answer = await fetch(`${of.baseUrl}/docs/example-ids.json`);
    expect(answer.headers.get('cache-control')).to.equal('no-store');
    return { status: answer.status, body: (await answer.json()) as object };
  };

  it('are none before there is such a tenant', async () => {
    expect(await ids()).to.deep.equal({ status: 200, body: {} });
  });

  it('are those of one tenant, and no secret is among them', async () => {
    for (const tenantId of ['shown', 'other']) {
      await portal.call('POST', '/api/tenants', { tenantId, name: tenantId });
    }
    const at = '/api/tenants/shown';
    expect((await ids()).body).to.deep.equal({
      ...{ tenantId: 'shown', accessKeyId: null, campaignId: null, ucc: null },
    });
    const { body: revoked } = await portal.call('POST', `${at}/access-keys`, {});
    await portal.call('DELETE', `${at}/access-keys/${String(revoked['accessKeyId'])}`);
    const { body: key } = await portal.call('POST', `${at}/access-keys`, {});
    await portal.call('PUT', `${at}/campaigns/friends`, campaign);
    const user = { productUserId: 'ada', campaignId: 'friends' };
    const { body: code } = await portal.call('POST', `${at}/codes`, user);
    expect((await ids()).body).to.deep.equal({
      ...{ tenantId: 'shown', campaignId: 'friends' },
      ...{ accessKeyId: key['accessKeyId'], ucc: code['ucc'] },
    });
  });

  it('are asked for by the pages of this deployment alone', async () => {
    const page = await fetch(`${portal.baseUrl}/docs/integration`).then((answer) => answer.text());
    expect(page).to.contain('data-example-ids="/docs/example-ids.json"');
    const usual = await startTestPortal();
    try {
      const answer = await fetch(`${usual.baseUrl}/docs/example-ids.json`);
      expect(answer.status).to.equal(404);
      const text = await fetch(`${usual.baseUrl}/docs/integration`).then((one) => one.text());
      expect(text).not.to.contain('data-example-ids');
    } finally {
      await usual.stop();
    }
  });
});
