import { topicName, topicSettings } from '@tributary/contracts/topics';
import { createAppender } from '@tributary/event-log/appender';
import { replaceTopicSettings, silentLogger } from '@tributary/event-log/testing';
import { sampleOf } from '@tributary/http/testing/samples';
import { eventually } from '@tributary/testkit/eventually';
import { expect } from 'chai';
import { startTestPortal, type TestPortal } from '../testing/test-portal.ts';

describe('portal: an answer and the log', () => {
  let portal: TestPortal;

  before(async () => {
    portal = await startTestPortal();
    await portal.call('POST', '/api/tenants', { tenantId: 'acme', name: 'Acme' });
    await portal.call('PUT', '/api/tenants/acme/campaigns/spring', campaign);
  });
  after(() => portal.stop());

  it('is given once the log has the change', async () => {
    for (let round = 0; round < 10; round++) {
      const body = { productUserId: `user ${round}` };
      const { status, body: code } = await portal.call('POST', '/api/tenants/acme/codes', body);
      expect(status).to.equal(201);
      expect(code).to.not.have.property('published');
      const published = await portal.textsOf('codes');
      const uccs = published.map(({ value }) => (JSON.parse(value) as { ucc: string }).ucc);
      expect(uccs).to.include(code['ucc']);
    }
  }).timeout(90_000);

  it('says that the log does not have the change yet, and loses nothing of either', async () => {
    const release = await refuseAppends(portal);
    const asked = { productUserId: 'held up' };
    const issued = await portal.call('POST', '/api/tenants/acme/codes', asked);
    expect(issued.status).to.equal(201);
    expect(issued.body).to.include({ productUserId: 'held up', published: false });
    const key = await portal.call('POST', '/api/tenants/acme/access-keys');
    expect(key.status).to.equal(201);
    expect(key.body).to.include({ published: false }).and.to.have.property('secretAccessKey');
    // What changes nothing says nothing about the log; nor does another tenant's change.
    expect((await portal.call('GET', '/api/tenants/acme')).body).to.not.have.property('published');
    const check = await portal.call('POST', '/api/tenants/acme/widget/check-token', { token: 'x' });
    expect(check.body).to.include({ accepted: false }).and.to.not.have.property('published');
    expect(await pending()).to.equal(2);

    await release();
    await eventually(() => {
      expect(portal.codes.map(({ productUserId }) => productUserId)).to.include('held up');
    });
    await eventually(async () => expect(await pending()).to.equal(0));
    const again = await portal.call('POST', '/api/tenants/acme/codes', asked);
    const { published: _, ...code } = issued.body;
    expect([again.status, again.body]).to.deep.equal([200, code]);
  });

  /** As an operator sees it. */
  async function pending(): Promise<number> {
    const metrics = await (await fetch(`${portal.adminUrl}/metrics`)).text();
    return sampleOf(metrics, 'tributary_outbox_records') ?? NaN;
  }
});

/** The brokers take nothing on the portal's topics until they are released. */
async function refuseAppends({ kafka, topics }: TestPortal): Promise<() => Promise<void>> {
  const own = (['catalog', 'codes'] as const).map((topic) => ({
    name: topicName(topic, topics),
    settings: topicSettings(topic),
  }));
  const replace = async (more: Record<string, string>) => {
    for (const { name, settings } of own) {
      await replaceTopicSettings(kafka, name, { ...settings, ...more });
    }
  };
  await replace({ 'max.message.bytes': '1' });
  // A broker tells of a setting a moment before it goes by it. Readers pass over the tombstones.
  const appender = createAppender({ kafka, logger: silentLogger, deadlineMs: 2_000 });
  await appender.start();
  await eventually(() => expect(appender.health().ok).to.equal(true));
  await eventually(async () => {
    const tombstones = own.map(({ name }) => ({ topic: name, key: 'acme', value: null }));
    const appends = await Promise.allSettled(tombstones.map((entry) => appender.append([entry])));
    expect(appends.map(({ status }) => status)).to.deep.equal(['rejected', 'rejected']);
  });
  await appender.stop();
  return () => replace({});
}

const campaign = {
  name: 'Spring',
  landingUrl: 'https://example.com/join',
  rules: [
    {
      ruleId: 'signup',
      trigger: 'signup-created',
      recipient: 'referrer',
      effect: { kind: 'fixed', credits: '5' },
    },
  ],
};
