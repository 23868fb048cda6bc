import { catalogCodec, catalogSchemaVersion } from '@tributary/contracts/catalog-record';
import { topicName } from '@tributary/contracts/topics';
import { readRecords } from '@tributary/event-log/testing/read-records';
import { eventually } from '@tributary/testkit/eventually';
import { expect } from 'chai';
import { setTimeout as delay } from 'node:timers/promises';
import { createPortalDeployment, type PortalProcess } from '../testing/portal-process.ts';
import { type ReplayListener, startReplayListener } from '../testing/replay-listener.ts';
import { startTestPortal, type TestPortal } from '../testing/test-portal.ts';

const campaign = { name: 'Spring', landingUrl: 'https://acme.example/join', rules: [] };
const effectiveFrom = '2026-01-01T00:00:00.000Z';
type Call = (method: string, path: string, body?: unknown) => Promise<CallAnswer>;
type CallAnswer = { status: number; body: Record<string, unknown> };

async function previewBy(call: Call, name: string, more: object = {}): Promise<string> {
  const changed = { ...campaign, name };
  const input = { tenantId: 'acme', campaignId: 'spring', campaign: changed, effectiveFrom };
  const { body } = await call('POST', '/api/replay/previews', { ...input, ...more });
  return String(body['previewId']);
}
const commitBy = (call: Call, id: string, body?: object) =>
  call('POST', `/api/replay/previews/${id}/commit`, body);

describe('commit of a preview', () => {
  let portal: TestPortal;
  let replay: ReplayListener;
  before(async () => {
    replay = await startReplayListener();
    portal = await startTestPortal({ replayUrl: replay.url });
    await portal.call('POST', '/api/tenants', { tenantId: 'acme', name: 'Acme' });
    await portal.call('PUT', '/api/tenants/acme/campaigns/spring', campaign);
  });
  beforeEach(() => {
    replay.replies.clear();
    replay.jobsEnd('done');
    replay.whenAsked(() => undefined);
  });
  after(async () => {
    await portal.stop();
    await replay.stop();
  });

  const published = (previewId: string) =>
    portal.catalog.filter((record) => 'previewId' in record && record.previewId === previewId);
  const checksOf = (previewId: string) =>
    replay.checks().filter(({ params }) => params['previewId'] === previewId);

  it('publishes its revision, back-dated, and has it checked', async () => {
    const previewId = await previewBy(portal.call, 'One');
    portal.clock.set('2026-03-01T12:00:00Z');
    const answer = await commitBy(portal.call, previewId, { by: 'ops', note: 'agreed' });
    portal.clock.run();
    const check = checksOf(previewId)[0];
    const publishedAt = '2026-03-01T12:00:00.000Z';
    expect(answer).to.deep.include({
      status: 200,
      body: {
        ...{ previewId, tenantId: 'acme', campaignId: 'spring', revision: 2, effectiveFrom },
        ...{ publishedAt, by: 'ops', note: 'agreed', checkRefusal: null },
        checkJobId: check?.jobId,
      },
    });
    expect(check).to.deep.include({ params: { previewId, revision: 2, publishedAt }, by: 'ops' });
    await eventually(() => expect(published(previewId)).to.have.length(1));
    expect(published(previewId)[0]).to.deep.equal({
      ...{ ...campaign, name: 'One', status: 'running', creditScale: 0 },
      ...{
        schemaVersion: catalogSchemaVersion,
        entity: 'campaign-revision',
        tenantId: 'acme',
        version: 1,
      },
      ...{ campaignId: 'spring', revision: 2, effectiveFrom, publishedAt, previewId },
    });
    const shown = await portal.call('GET', '/api/tenants/acme/campaigns/spring/revisions/2');
    expect(shown.body).to.include({ previewId, effectiveFrom });
    const report = await portal.call('GET', `/api/replay/previews/${previewId}`);
    expect(report.body).to.have.nested.property('commit.revision', 2);
  });

  it('answers the same again, whoever asks and whatever has come since', async () => {
    const previewId = await previewBy(portal.call, 'Two');
    const first = await commitBy(portal.call, previewId, { by: 'ops' });
    await portal.call('PUT', '/api/tenants/acme/campaigns/spring', { ...campaign, name: 'Put' });
    const again = await commitBy(portal.call, previewId, { by: 'somebody else' });
    expect([again.status, again.body]).to.deep.equal([200, first.body]);
    expect(checksOf(previewId)).to.have.length(1);
  });

  it('is refused when the campaign has another revision by now', async () => {
    const previewId = await previewBy(portal.call, 'Three');
    const other = await previewBy(portal.call, 'Other');
    expect((await commitBy(portal.call, other)).status).to.equal(200);
    const { status, body } = await commitBy(portal.call, previewId);
    expect([status, body['code']]).to.deep.equal([409, 'CONFLICT']);
    expect(body['detail']).to.match(/revision \d+ by now: make another preview/);
    expect(published(previewId)).to.deep.equal([]);
  });

  it('asks for a preview that was seen to its end', async () => {
    replay.jobsEnd('running');
    const running = await previewBy(portal.call, 'Running');
    replay.jobsEnd('failed');
    const failed = await previewBy(portal.call, 'Failed');
    replay.jobsEnd('done');
    const state = { campaignId: undefined, campaign: undefined, effectiveFrom: undefined };
    const past = await previewBy(portal.call, '', { ...state, until: effectiveFrom });
    const rules = await previewBy(portal.call, '', {
      ...{ ...state, tenantId: undefined, foldVersion: 2 },
    });
    for (const [id, words] of [
      [running, /not ready/],
      [failed, /is failed/],
      [past, /not a preview of a campaign but a state/],
      [rules, /version 2 of the fold.*`tributary replay rebuild`.*`tributary replay swap`/],
    ] as const) {
      const { status, body } = await commitBy(portal.call, id);
      expect([status, body['code']]).to.deep.equal([409, 'CONFLICT']);
      expect(body['detail']).to.match(words);
    }
    for (const id of ['1', '3b1f0f0e-5a3e-4f1e-9d0e-0a8d1f0c9b11']) {
      expect((await commitBy(portal.call, id)).status).to.equal(404);
    }
    expect((await commitBy(portal.call, running, { because: 1 })).status).to.equal(422);
  });

  it('makes the first campaign of a tenant its default one', async () => {
    await portal.call('POST', '/api/tenants', { tenantId: 'fresh', name: 'Fresh' });
    const previewId = await previewBy(portal.call, 'First', { tenantId: 'fresh' });
    expect((await commitBy(portal.call, previewId)).body).to.have.property('revision', 1);
    const { body } = await portal.call('GET', '/api/tenants/fresh');
    expect(body).to.have.property('defaultCampaignId', 'spring');
  });

  it('is checked later when nobody can be asked at the moment', async () => {
    const previewId = await previewBy(portal.call, 'Later');
    replay.replies.set('POST commit-check', { problem: 'SERVICE_UNAVAILABLE' });
    const answer = await commitBy(portal.call, previewId);
    expect([answer.status, answer.body['checkJobId']]).to.deep.equal([200, null]);
    await eventually(() => expect(published(previewId)).to.have.length(1));
    replay.replies.clear();
    await eventually(() => expect(checksOf(previewId)).to.have.length(1));
    await eventually(async () => {
      const { body } = await commitBy(portal.call, previewId);
      expect(body).to.deep.equal({ ...answer.body, checkJobId: checksOf(previewId)[0]?.jobId });
    });
  });

  it('keeps why it is not checked, and asks again when it is committed again', async () => {
    const previewId = await previewBy(portal.call, 'Refused');
    replay.replies.set('POST commit-check', { problem: 'CONFLICT', detail: 'It is gone.' });
    const { body } = await commitBy(portal.call, previewId);
    expect(body).to.include({ checkJobId: null, checkRefusal: 'It is gone.' });
    replay.replies.clear();
    const again = await commitBy(portal.call, previewId);
    expect(again.body['checkJobId']).to.equal(checksOf(previewId)[0]?.jobId);
    expect(again.body['checkRefusal']).to.equal(null);
  });
});

describe('commits by processes that die', function () {
  this.timeout(120_000);
  let replay: ReplayListener;
  let deployment: Awaited<ReturnType<typeof createPortalDeployment>>;
  let portal: PortalProcess;
  before(async () => {
    const token = 'internal-token-of-the-test';
    replay = await startReplayListener(token);
    deployment = await createPortalDeployment({ replayUrl: replay.url, token });
    portal = await deployment.start();
    await portal.call('POST', '/api/tenants', { tenantId: 'acme', name: 'Acme' });
    await portal.call('PUT', '/api/tenants/acme/campaigns/spring', campaign);
  });
  after(async () => {
    await deployment.end();
    await replay.stop();
  });

  /** On the log, in their order; whoever dies between an ack and a removal sends one twice. */
  async function revisions(): Promise<string[]> {
    const topic = topicName('catalog', deployment.wiring);
    const found = await readRecords(deployment.kafka, topic, catalogCodec);
    const published = found.flatMap((record) =>
      record.entity === 'campaign-revision' ? [`${record.revision} ${record.previewId}`] : [],
    );
    return [...new Set(published)];
  }
  const checksOf = (previewId: string) =>
    replay.checks().filter(({ params }) => params['previewId'] === previewId);

  it('many at once, in two processes, publish once and are checked once', async () => {
    const previewId = await previewBy(portal.call, 'Many');
    const other = await deployment.start();
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, i) => commitBy(i % 2 ? portal.call : other.call, previewId)),
    );
    for (const { status, body } of answers) {
      expect([status, body]).to.deep.equal([200, answers[0]?.body]);
    }
    expect(checksOf(previewId)).to.have.length(1);
    await eventually(async () => {
      expect(await revisions()).to.deep.equal(['1 undefined', `2 ${previewId}`]);
    });
    await other.stop();
  });

  it('is checked by the next process when it dies between publishing and asking for it', async () => {
    const previewId = await previewBy(portal.call, 'Killed');
    const asked = new Promise<void>((resolve) => {
      replay.whenAsked(async (kind) => {
        if (kind !== 'commit-check') return;
        await portal.kill();
        resolve();
        throw new Error('whoever asked is gone');
      });
    });
    const answer = await commitBy(portal.call, previewId).catch(() => 'no answer');
    await asked;
    expect(answer).to.equal('no answer');
    expect(checksOf(previewId)).to.deep.equal([]);

    replay.whenAsked(() => undefined);
    portal = await deployment.start();
    await eventually(() => expect(checksOf(previewId)).to.have.length(1));
    const { body } = await commitBy(portal.call, previewId);
    expect(body).to.include({ revision: 3, checkJobId: checksOf(previewId)[0]?.jobId });
    await eventually(async () => {
      expect((await revisions()).at(-1)).to.equal(`3 ${previewId}`);
    });
  });

  it('is published once or not at all when it dies at any moment, and once when asked again', async () => {
    for (const afterMs of [2, 6, 12]) {
      const before = await revisions();
      const previewId = await previewBy(portal.call, `Killed after ${afterMs} ms`);
      const dying = commitBy(portal.call, previewId).catch(() => undefined);
      await delay(afterMs);
      await portal.kill();
      await dying;
      portal = await deployment.start();
      const { status, body } = await commitBy(portal.call, previewId);
      expect([status, body['revision']]).to.deep.equal([200, before.length + 1]);
      await eventually(async () => {
        expect(await revisions()).to.deep.equal([...before, `${before.length + 1} ${previewId}`]);
      });
      await eventually(() => expect(checksOf(previewId)).to.have.length(1));
    }
  });
});
