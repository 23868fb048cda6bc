import { stripeApiVersions } from '@tributary/testkit/stripe/api-version';
import { deliverBody } from '@tributary/testkit/stripe/deliver-events';
import { type FakeStripe, startFakeStripe } from '@tributary/testkit/stripe/fake-stripe';
import { eventually } from '@tributary/testkit/eventually';
import { expect } from 'chai';
import {
  type Connection,
  createProcessorWorld,
  type ProcessorWorld,
  type RunningProcessor,
} from '../testing/processor.ts';
import type { Finding } from '../commands/check-connection.ts';

type Made = { id: string; secret: string | null };

describe('connections at Stripe', () => {
  let fake: FakeStripe;
  let world: ProcessorWorld;
  let running: RunningProcessor;
  let named = 0;
  /** The connection that the test begins with; nothing is known of it yet. */
  let connectionId: string;
  let url: string;
  const apiVersion = stripeApiVersions.new;

  before(async () => {
    fake = await startFakeStripe();
    world = await createProcessorWorld({ stripeUrl: fake.url });
    running = await world.start();
  });
  after(async () => {
    await world.end();
    await fake.stop();
  });
  beforeEach(() => {
    connectionId = `c0nnection${String((named += 1)).padStart(8, '0')}`;
    url = `${running.publicUrl}/processor/stripe/${connectionId}`;
    fake.forgetRequests();
  });

  const ask = (verb: string, body: object = {}) =>
    running.ask(`tenants/t1/connections/${connectionId}/${verb}`, body);
  const open = (changes: object = {}) =>
    ask('open', { apiKey: fake.apiKey, apiVersion, url, ...changes });
  const madeBy = ({ body }: { body: Record<string, unknown> }) => body['endpoint'] as Made;
  const atStripe = () => fake.account.endpoints().filter((endpoint) => endpoint.url === url);

  /** Opened, and on the log as the portal would write it. */
  async function connect(changes: Partial<Connection> = {}): Promise<Made> {
    const endpoint = madeBy(await open());
    await put({ endpoint: { id: endpoint.id, secret: endpoint.secret ?? '' }, ...changes });
    await eventually(async () => {
      expect((await deliverBody(url, '{}', undefined)).status).to.equal(401);
    });
    return endpoint;
  }

  const put = (connection: Partial<Connection> & Pick<Connection, 'endpoint'>) =>
    world.connect({ tenantId: 't1', connectionId, apiKey: fake.apiKey, apiVersion, ...connection });

  describe('opening', () => {
    it('makes an endpoint for the five kinds and hands its secret over', async () => {
      const { status, body } = await open();
      expect(status).to.equal(200);
      const [endpoint, ...more] = atStripe();
      expect(more).to.have.length(0);
      expect(body).to.deep.equal({
        livemode: false,
        endpoint: { id: endpoint!.id, secret: endpoint!.secret },
      });
      expect(endpoint!.enabledEvents).to.have.length(5);
      expect(endpoint!.metadata).to.deep.equal({ tributary_connection: connectionId });
    });

    it('again has the same answer, and makes nothing', async () => {
      const first = await open();
      expect(await open()).to.deep.equal(first);
      expect(atStripe()).to.have.length(1);
    });

    it('again makes another one when the first was removed at Stripe', async () => {
      const first = madeBy(await open());
      fake.account.remove(first.id);
      const second = madeBy(await open());
      expect(second.id).to.not.equal(first.id);
      expect(atStripe().map(({ id }) => id)).to.deep.equal([second.id]);
    });

    it('takes an endpoint that was made by hand, when it sends what is needed here', async () => {
      const { id: endpointId } = madeBy(await open());
      const { status, body } = await open({ endpointId });
      expect([status, madeBy({ body })]).to.deep.equal([200, { id: endpointId, secret: null }]);
      const none = await open({ endpointId: 'we_none' });
      expect([none.status, none.body['detail']]).to.deep.equal([
        409,
        'The Stripe account of this key has no webhook endpoint we_none.',
      ]);
      const elsewhere = await open({ endpointId, url: `${url}x` });
      expect(elsewhere.status).to.equal(409);
      expect(elsewhere.body['detail']).to.include('must send to');
    });

    it('refuses a key of the other mode, one that is none, and one that Stripe rejects', async () => {
      const live = await open({ apiKey: 'rk_live_1234567890' });
      expect([live.status, live.body['code']]).to.deep.equal([409, 'CONFLICT']);
      expect(live.body['detail']).to.include('live key');
      expect((await open({ apiKey: 'pk_test_1234567890' })).status).to.equal(422);
      expect(fake.requests()).to.have.length(0);
      const rejected = await open({ apiKey: 'rk_test_revoked1234567890' });
      expect(rejected.status).to.equal(409);
      expect(rejected.body['detail']).to.include('make a new one').and.include('repair');
      expect(JSON.stringify(rejected.body)).to.not.include('revoked1234567890');
      expect(atStripe()).to.have.length(0);
    });

    it('refuses a key without the permissions, and names them', async () => {
      const read = fake.fail({ answer: 'forbidden', path: '/v1/invoices' });
      const withoutRead = await open();
      read.remove();
      expect(withoutRead.status).to.equal(409);
      expect(withoutRead.body['detail']).to.include('may not read: Invoices.');
      const write = fake.fail({ answer: 'forbidden', method: 'POST' });
      const withoutWrite = await open();
      write.remove();
      expect(withoutWrite.status).to.equal(409);
      expect(withoutWrite.body['detail']).to.include('permission');
      expect(atStripe()).to.have.length(0);
    });

    it('says that Stripe cannot be asked, and goes on when it can', async () => {
      const fault = fake.fail({ answer: 'server-error' });
      expect((await open()).status).to.equal(503);
      fault.remove();
      expect((await open()).status).to.equal(200);
    });

    it('refuses a body of another shape', async () => {
      expect((await open({ apiVersion: 'newest' })).status).to.equal(422);
      expect((await open({ more: 1 })).status).to.equal(422);
    });
  });

  describe('renewing', () => {
    it('makes a second endpoint, the same one until it is the present one', async () => {
      const first = await connect();
      const second = madeBy(await ask('renew'));
      expect(second.id).to.not.equal(first.id);
      expect(second.secret)
        .to.match(/^whsec_/)
        .and.not.equal(first.secret);
      expect(madeBy(await ask('renew'))).to.deep.equal(second);
      expect(atStripe()).to.have.length(2);

      await put({ endpoint: { id: second.id, secret: second.secret! }, version: 2 });
      await eventually(async () => {
        const answer = await ask('renew', { endpointId: second.id });
        expect(answer.status).to.equal(200);
        expect(madeBy(answer).id).to.not.equal(second.id);
      });
    });

    it('waits for the last change of the portal, and is of no unknown connection', async () => {
      await connect();
      expect((await ask('renew', { endpointId: 'we_newer' })).status).to.equal(503);
      connectionId = 'c0nnection99999999';
      expect((await ask('renew')).status).to.equal(404);
    });

    it('is of no connection of another tenant', async () => {
      await connect();
      for (const verb of ['renew', 'close', 'check']) {
        const answer = await running.ask(`tenants/t2/connections/${connectionId}/${verb}`);
        expect(answer.status).to.equal(404);
      }
      expect(atStripe()).to.have.length(1);
    });
  });

  describe('closing', () => {
    it('removes the endpoints of the connection and no others', async () => {
      await connect();
      const second = madeBy(await ask('renew'));
      const others = fake.account.endpoints().length - 2;
      const { status, body } = await ask('close');
      expect(status).to.equal(200);
      expect(body['removed']).to.include(second.id);
      expect(atStripe()).to.have.length(0);
      expect(fake.account.endpoints()).to.have.length(others);
      expect((await ask('close')).status).to.equal(200);
    });

    it('is possible for one that is not on the log, with its key', async () => {
      const { id } = madeBy(await open());
      expect((await ask('close')).status).to.equal(404);
      const answer = await ask('close', { apiKey: fake.apiKey, apiVersion });
      expect(answer.body).to.deep.equal({ removed: [id] });
      expect(atStripe()).to.have.length(0);
    });

    it('says what Stripe has against it', async () => {
      await connect();
      const fault = fake.fail({ answer: 'unauthorized' });
      expect((await ask('close')).status).to.equal(409);
      fault.remove();
      expect(atStripe()).to.have.length(1);
    });
  });

  describe('checking', () => {
    const check = async () => {
      const { status, body } = await ask('check');
      expect(status).to.equal(200);
      const findings = body['findings'] as Finding[];
      return {
        ok: body['ok'],
        wrong: findings.filter(({ ok }) => !ok).map((one) => one.check),
        findings,
      };
    };

    it('finds all well, and that a test event of our own came through', async () => {
      await connect();
      const { ok, wrong, findings } = await check();
      expect([ok, wrong]).to.deep.equal([true, []]);
      expect(findings.map((one) => one.check)).to.deep.equal([
        'mode',
        'api-key',
        'permissions',
        'endpoint',
        'endpoint-enabled',
        'endpoint-url',
        'endpoint-kinds',
        'endpoint-api-version',
        'way-in',
        'last-event',
        'silence',
        'fetches',
      ]);
      const tests = (await world.records()).filter(
        (record) => record.type === 'received' && record.connectionId === connectionId,
      );
      expect(tests).to.have.length(1);
      expect(tests[0]).to.include({ ignored: 'connection-test', tenantId: 't1' });
    });

    it('finds what is wrong with the endpoint', async () => {
      const { id } = await connect();
      const [endpoint] = atStripe();
      endpoint!.status = 'disabled';
      endpoint!.enabledEvents = ['invoice.paid'];
      endpoint!.url = 'https://example.com/elsewhere';
      const changed = await check();
      expect(changed.wrong).to.deep.equal(['endpoint-enabled', 'endpoint-url', 'endpoint-kinds']);
      const details = changed.findings.filter(({ ok }) => !ok).map(({ detail }) => detail);
      for (const detail of details) expect(detail).to.include('Repair makes a new one.');
      fake.account.remove(id);
      expect((await check()).wrong).to.deep.equal(['endpoint']);
    });

    it('finds that the key is rejected, lacks permissions, or that Stripe is away', async () => {
      await connect();
      const rejected = fake.fail({ answer: 'unauthorized' });
      const of = await check();
      expect(of.wrong).to.deep.equal(['api-key']);
      expect(of.findings.find(({ ok }) => !ok)?.detail).to.include('Repair with a new key.');
      rejected.remove();
      const forbidden = fake.fail({ answer: 'forbidden', path: '/v1/refunds' });
      expect((await check()).wrong).to.deep.equal(['permissions']);
      forbidden.remove();
      const away = fake.fail({ answer: 'server-error' });
      expect((await check()).wrong).to.deep.equal(['api-key']);
      away.remove();
    });

    it('finds that the way in is not open', async () => {
      const closed = await world.start({ publicUrl: 'http://127.0.0.1:1' });
      await connect();
      await eventually(async () => {
        const { status, body } = await closed.ask(`tenants/t1/connections/${connectionId}/check`);
        expect(status).to.equal(200);
        const findings = body['findings'] as Finding[];
        const wayIn = findings.find((one) => one.check === 'way-in');
        expect(wayIn).to.have.property('ok', false);
      });
      await closed.stop();
    });
  });

  // Behind all others, of whose lines it is.
  describe('in what is logged', () => {
    it('there is no key and no secret', () => {
      const logged = world.logged();
      expect(logged).to.include('refused').and.not.include(fake.apiKey);
      expect(logged).to.not.match(/whsec_[A-Za-z0-9]|rk_(?:test|live)_[A-Za-z0-9]/);
    });
  });
});
