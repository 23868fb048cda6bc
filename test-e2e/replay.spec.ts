import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { eventually } from '@tributary/testkit/eventually';
import { expect } from 'chai';
import { type AdminClient, createAdminClient } from '../deploy/demo/admin-client.ts';
import { createTributaryClient, type TributaryClient } from '../packages/client/src/client.ts';
import { sharedDemo } from './shared-stack.ts';
import { tributary } from './tributary-process.ts';

const campaign = (credits: string) => ({
  name: 'Spring',
  landingUrl: 'https://acme.example/join',
  rules: [
    {
      ...{ ruleId: 'purchase', trigger: 'purchase-created', recipient: 'referrer' },
      effect: { kind: 'fixed', credits },
    },
  ],
});

/** A customer of its own, whose receiver is in this process and counts every credit. */
describe('replays, from the command line to the webhook', function () {
  this.timeout(180_000);
  const soon = { deadlineMs: 60_000 };
  const tenantId = `replay-${randomBytes(4).toString('hex')}`;
  const at = `/api/tenants/${tenantId}`;
  const tenant = ['--tenant', tenantId];
  let admin: AdminClient;
  let client: TributaryClient;
  let ucc: string;
  let receiver: Awaited<ReturnType<typeof startReceiver>>;
  let run: (argv: readonly string[], input?: string) => ReturnType<typeof tributary>;

  before(async () => {
    const demo = await sharedDemo();
    receiver = await startReceiver();
    admin = createAdminClient({ baseUrl: demo.baseUrl, token: demo.adminToken });
    const connection = ['--url', demo.baseUrl, '--token', demo.adminToken];
    run = (argv, input) => tributary([...connection, 'replay', ...argv], input);
    await admin.call('POST', '/api/tenants', { tenantId, name: tenantId });
    await admin.call('PUT', `${at}/campaigns/spring`, campaign('10'));
    const password = randomBytes(16).toString('hex');
    await admin.call('PUT', `${at}/webhook`, { url: receiver.url, username: tenantId, password });
    const key = await admin.call<{ accessKeyId: string; secretAccessKey: string }>(
      'POST',
      `${at}/access-keys`,
    );
    ({ ucc } = await admin.call<{ ucc: string }>('POST', `${at}/codes`, { productUserId: 'ada' }));
    client = createTributaryClient({ baseUrl: demo.baseUrl, ...key });
    // What the portal publishes takes a moment to reach the others, the several replicas too.
    await eventually(async () => {
      for (let i = 0; i < 4; i++) expect(await client.lookup(ucc)).to.include({ valid: true });
    }, soon);
    for (const user of ['bob', 'cleo', 'dan']) await buy(user);
    await eventually(() => expect(receiver.credits()).to.deep.equal([10, 10, 10]), soon);
  });
  after(() => receiver?.stop());

  let previewId = '';

  const buy = (user: string) =>
    client.purchaseCreated({
      ucc,
      occurredAt: new Date().toISOString(),
      newUser: { id: user },
      currency: 'EUR',
      invoiceId: randomUUID(),
      amount: 4_900,
      subscription: { interval: 'monthly' },
    });

  it('verify says that what is held is what the log gives', async () => {
    const { code, out } = await run(['verify', ...tenant]);
    expect([code, out]).to.deep.equal([0, out]);
    expect(out).to.match(/^Identical: generation 1 against \d+ events? of the log\.$/m);
    const user = await run(['verify', ...tenant, '--user', 'ada']);
    expect(user.out).to.contain('Identical');
  });

  it('preview says what a change would have done to all of history', async () => {
    const file = JSON.stringify(campaign('15'));
    const from = ['--effective-from', '2020-01-01T00:00:00Z'];
    const { code, out } = await run(['preview', ...tenant, '--campaign', '-', ...from], file);
    expect(code, out).to.equal(0);
    expect(out).to.match(/0 unchanged, 0 new, 0 withdrawn, 3 changed; \d+ to review/, out);
    expect(out).to.contain('credits: 30 → 45 (+15)');
    expect(out).to.match(/\nada +30 +45 +\+15\n/);
    previewId = /^Preview (\S+):/m.exec(out)?.[1] ?? '';
    const csv = await run(['show', previewId, '--changes', '--format', 'csv']);
    expect(csv.out.trim().split('\n')).to.have.length(1 + 3);
  });

  it('preview --until shows what was before anything had happened', async () => {
    const { code, out } = await run(['preview', ...tenant, '--until', '2020-01-01T00:00:00Z']);
    expect(code, out).to.equal(0);
    expect(out).to.contain('credits: 0 → 30 (+30)');
  });

  it('commit makes it so, is checked, and sends nothing', async () => {
    await buy('eve');
    // By what holds before the commit, and told before it.
    await eventually(() => expect(receiver.sum()).to.equal(40), soon);
    const { code, out } = await run(['commit', previewId, '--by', 'olga']);
    expect(code, out).to.equal(0);
    expect(out).to.contain('Checked: live is what the preview showed');
    expect(out).to.contain('1 event arrived between the preview and the commit');
    const again = await run(['commit', previewId, '--by', 'peter', '--detach']);
    expect([again.code, again.out]).to.deep.equal([0, again.out]);
    expect(again.out).to.contain('olga').and.contain('revision 2');
    expect(receiver.sum()).to.equal(40);
  });

  it('what it grants more goes out once, when an operator says so', async () => {
    const body = { by: 'olga', filter: { state: 'review', campaignId: 'spring' } };
    await eventually(async () => {
      await admin.call('POST', `${at}/rewards/release`, body);
      expect(receiver.sum()).to.equal(60);
    }, soon);
    expect(receiver.credits()).to.have.length(8);
    const { code, out } = await run(['verify', ...tenant]);
    expect(code, out).to.equal(0);
    expect(receiver.sum()).to.equal(60);
  });

  it('lists its jobs', async () => {
    const { out } = await run(['jobs']);
    for (const kind of ['verify', 'preview', 'state', 'commit-check']) expect(out).to.contain(kind);
  });
});

/** Grants each event once, as a receiver must. */
async function startReceiver() {
  const granted = new Map<string, number>();
  const server = createServer((req, res) => {
    void text(req).then((body) => {
      const event = JSON.parse(body) as {
        eventId: string;
        eventType: string;
        data: { reward: { amount: number } };
      };
      if (event.eventType === 'new-reward') granted.set(event.eventId, event.data.reward.amount);
      res.writeHead(200).end();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;

  return {
    url: `http://127.0.0.1:${port}/rewards`,
    credits: () => [...granted.values()],
    sum: () => [...granted.values()].reduce((sum, amount) => sum + amount, 0),
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}
