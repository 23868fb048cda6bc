import { expect } from 'chai';
import {
  apiKey,
  away,
  by,
  refused,
  type ConnectionsWorld,
  startConnectionsWorld,
} from '../testing/connections-world.ts';
import { testPublicUrl } from '../testing/test-portal.ts';

describe('portal: connections to a payment processor', function () {
  this.timeout(60_000);
  let world: ConnectionsWorld;
  before(async () => {
    world = await startConnectionsWorld();
  });
  beforeEach(() => world.nextTenant());
  after(() => world.stop());

  describe('connecting', () => {
    it('opens at Stripe, publishes key and secret sealed, and checks the way in', async () => {
      world.processor.finds([{ check: 'way-in', ok: true, detail: 'A test event came through.' }]);
      const { status, body } = await world.connect({ apiKey, taxPolicy: 'net', by });
      expect(status).to.equal(201);
      const connectionId = String(body['connectionId']);
      expect(body).to.deep.include({
        processor: 'stripe',
        status: 'active',
        livemode: false,
        taxPolicy: 'net',
        changedBy: by,
        webhookUrl: `${testPublicUrl}/processor/stripe/${connectionId}`,
        check: {
          ok: true,
          findings: [{ check: 'way-in', ok: true, detail: 'A test event came through.' }],
        },
      });
      const [record] = await world.recordsUpTo(1);
      expect(record).to.include({ connectionId, status: 'active', taxPolicy: 'net' });
      expect(world.open(record?.sealedApiKey, 'processor-api-key')).to.equal(apiKey);
      expect(record?.endpoint?.id).to.equal(body['endpointId']);
      expect(world.secretOf(record?.endpoint)).to.match(/^whsec_/);
      const [asked] = world.processor.asked;
      expect(asked).to.deep.equal({
        what: `${world.tenantId()} connections ${connectionId} open`,
        body: { apiKey, apiVersion: body['apiVersion'], url: body['webhookUrl'] },
      });
    });

    it('with the same key again is the connection that is there, and asks for no other', async () => {
      const connectionId = await world.connected();
      world.processor.forget();
      const again = await world.connect();
      expect([again.status, again.body['connectionId']]).to.deep.equal([200, connectionId]);
      expect(world.processor.verbs()).to.not.contain('open');
      const other = await world.connect({ apiKey, taxPolicy: 'net' });
      expect(other.status).to.equal(409);
      expect(other.body['detail']).to.contain(connectionId);
      await world.recordsUpTo(1);
    });

    it('by several at once with one key makes one connection and one record', async () => {
      const answers = await Promise.all(Array.from({ length: 5 }, () => world.connect()));
      const ids = new Set(answers.map(({ body }) => body['connectionId']));
      expect(ids.size).to.equal(1);
      expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, 200, 200, 200, 201]);
      expect(world.processor.verbs().filter((verb) => verb === 'open')).to.have.length(1);
      await world.recordsUpTo(1);
    });

    it('with two keys makes two connections; a key of another tenant is another one', async () => {
      const first = await world.connected();
      const second = await world.connected({ apiKey: `${apiKey}x` });
      expect((await world.listed()).map(({ connectionId }) => connectionId)).to.deep.equal([
        first,
        second,
      ]);
      await world.nextTenant();
      expect((await world.tell(second, 'check')).status).to.equal(404);
    });

    it('goes on with the same id where Stripe could not be asked', async () => {
      world.processor.replies.set('open', away);
      const failed = await world.connect();
      expect(failed.status).to.equal(503);
      const [opening] = await world.listed();
      expect(opening).to.include({ status: 'opening', livemode: null, endpointId: null });
      expect(failed.body['detail']).to.contain(opening?.['webhookUrl']);
      world.processor.replies.clear();
      expect(await world.connected()).to.equal(opening?.['connectionId']);
      await world.recordsUpTo(1);
    });

    it('says why it was refused, keeps it as the reason, and takes other settings then', async () => {
      world.processor.replies.set('open', refused);
      const failed = await world.connect();
      expect(failed.status).to.equal(409);
      expect(failed.body['detail']).to.match(/^Stripe rejects the API key\. Connection /);
      const [opening] = await world.listed();
      expect(opening).to.include({ status: 'opening', reason: refused.detail });
      world.processor.replies.clear();
      const opened = await world.connect({ apiKey, apiVersion: '2022-11-15', taxPolicy: 'net' });
      expect(opened.body).to.include({ apiVersion: '2022-11-15', taxPolicy: 'net' });
      expect(opened.body).to.not.have.property('reason');
    });

    it('keeps no key of the other mode, and asks nobody about it', async () => {
      const failed = await world.connect({ apiKey: 'sk_live_canary0123456789' });
      expect(failed.status).to.equal(409);
      expect(failed.body['detail']).to.contain('live key').and.not.contain('canary');
      expect(await world.listed()).to.deep.equal([]);
      expect(world.processor.verbs()).to.deep.equal(['status']);
    });

    it('that does not open says both ways on: the same key again, or letting go of it', async () => {
      world.processor.replies.set('open', refused);
      const failed = await world.connect();
      expect(failed.body['detail']).to.contain('again with the same key').and.contain('disconnect');
      const [opening] = await world.listed();
      await world.tell(String(opening?.['connectionId']), 'disconnect', {
        by,
        reason: 'another key',
      });
      expect(await world.listed()).to.deep.equal([]);
    });

    it('asks for the signing secret that Stripe does not tell', async () => {
      world.processor.revealsSecrets(false);
      const failed = await world.connect();
      expect(failed.status).to.equal(409);
      const [endpoint] = [...world.processor.made.values()].slice(-1);
      expect(failed.body['detail']).to.contain(endpoint?.id).and.contain('signingSecret');
      await world.connected({ apiKey, signingSecret: 'whsec_from_dashboard' });
      const [record] = await world.recordsUpTo(1);
      expect(record?.endpoint?.id).to.equal(endpoint?.id);
      expect(world.secretOf(record?.endpoint)).to.equal('whsec_from_dashboard');
    });

    it('takes an endpoint that was made by hand, with its secret', async () => {
      await world.connected({ apiKey, endpointId: 'we_hand', signingSecret: 'whsec_by_hand' });
      const [record] = await world.recordsUpTo(1);
      expect(record?.endpoint?.id).to.equal('we_hand');
      expect(world.secretOf(record?.endpoint)).to.equal('whsec_by_hand');
    });

    it('that was stopped for over a minute writes nothing: another one has done it', async () => {
      const { reached, letGo } = world.hold('open');
      const slow = world.connect();
      await reached;
      // The minute is over.
      await world.inTables(`update processor_connection set held_until = now() - interval '1 second'
         where held_by is not null`);
      world.processor.whenAsked(() => undefined);
      const connectionId = await world.connected();
      letGo();
      expect((await slow).status).to.equal(409);
      expect(await world.shown(connectionId)).to.include({ status: 'active' });
      await world.recordsUpTo(1);
    });
  });

  it('lists how each fares, and without that while processor-events is away', async () => {
    const id = await world.connected();
    const fares = { connectionId: id, lastEventAt: null, silent: false, failing: null };
    world.processor.replies.set('status', { status: 200, body: { connections: [fares] } });
    expect((await world.listed())[0]).to.deep.include({ ...fares, status: 'active' });
    expect(await world.shown(id)).to.deep.include({ ...fares, status: 'active' });
    world.processor.replies.set('status', away);
    const { status, body } = await world.portal.call('GET', world.list());
    expect([status, body['statusUnavailable']]).to.deep.equal([200, away.detail]);
    expect(await world.shown(id)).to.include({ status: 'active', statusUnavailable: away.detail });
  });

  it('hands checks and pages of a reconciliation on', async () => {
    const id = await world.connected();
    world.processor.forget();
    world.processor.replies.set('reconcile', {
      status: 200,
      body: { scanned: 3, nextCursor: null },
    });
    const body = { kind: 'refunds', since: '2026-03-01T12:00:00+01:00', lookBackDays: 30 };
    const page = await world.tell(id, 'reconcile', body);
    expect(page.body).to.deep.equal({ scanned: 3, nextCursor: null });
    expect(world.processor.asked).to.deep.equal([
      {
        what: `${world.tenantId()} connections ${id} reconcile`,
        body: { ...body, since: '2026-03-01T11:00:00.000Z', append: false },
      },
    ]);
    world.processor.replies.set('check', refused);
    expect((await world.tell(id, 'check')).body['detail']).to.equal(refused.detail);
  });

  it('keeps keys and secrets in clear in no table, no record and no answer (design 5)', async () => {
    const id = await world.connected();
    const answers = [
      await world.tell(id, 'rotate'),
      await world.tell(id, 'repair', { apiKey: `${apiKey}2`, signingSecret: 'whsec_canary' }),
      await world.portal.call('GET', world.list()),
    ];
    const reported = answers.map(({ body }) => body);
    const kept =
      JSON.stringify([reported, await world.recordsUpTo(3)]) + (await world.portal.dumpTables());
    expect(kept).to.not.contain('canary').and.not.contain('whsec_');
  });

  it('answers 404 without a tenant or connection, and asks nobody', async () => {
    const id = 'a'.repeat(32);
    for (const path of [
      `/api/tenants/nobody/processor-connections`,
      `${world.list()}/${id}/check`,
      `${world.list()}/${id}/rotate`,
      `${world.list()}/${id}/repair`,
      `${world.list()}/no-id/check`,
    ]) {
      const body = path.endsWith('connections') ? { apiKey } : {};
      expect((await world.portal.call('POST', path, body)).status, path).to.equal(404);
    }
    expect(world.processor.asked).to.deep.equal([]);
  });
});
