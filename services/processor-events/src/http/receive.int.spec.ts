import { stripeApiVersions } from '@tributary/testkit/stripe/api-version';
import { deliverBody, deliverEvent, signStripe } from '@tributary/testkit/stripe/deliver-events';
import { type FakeStripe, startFakeStripe } from '@tributary/testkit/stripe/fake-stripe';
import { eventually } from '@tributary/testkit/eventually';
import { expect } from 'chai';
import {
  type Connection,
  createProcessorWorld,
  type ProcessorWorld,
  type RunningProcessor,
} from '../testing/processor.ts';

describe('events of the processor', () => {
  let fake: FakeStripe;
  let world: ProcessorWorld;
  let running: RunningProcessor;
  let connection: Connection;
  let url: string;
  const secret = 'whsec_theSecretOfTests';

  before(async () => {
    fake = await startFakeStripe();
    world = await createProcessorWorld({ stripeUrl: fake.url });
    running = await world.start();
    connection = {
      ...{ tenantId: 't1', connectionId: 'c0nnection00000001', apiKey: fake.apiKey },
      apiVersion: stripeApiVersions.new,
      endpoint: { id: 'we_1', secret },
    };
    await world.connect(connection);
    url = `${running.publicUrl}/processor/stripe/${connection.connectionId}`;
    await eventually(async () => {
      expect((await deliverBody(url, '{}', undefined)).status).to.equal(401);
    });
  });
  after(async () => {
    await world.end();
    await fake.stop();
  });

  const paidInvoice = () => {
    const { account } = fake;
    const { id: customerId } = account.customer({ ucc: 'UCC1', newUserId: 'user-1' });
    const lines = [{ amount: 1_000, priceId: null }];
    return account.paidInvoice({ customerId, currency: 'eur', lines });
  };
  const ofEvent = async (id: string) =>
    (await world.records()).filter(
      (record) => record.type === 'received' && record.processorEventId === id,
    );
  const bodyOf = (id: string, changes: object = {}) =>
    JSON.stringify({
      ...{ id, object: 'event', api_version: null, created: 1_777_636_800, livemode: false },
      ...{ type: 'customer.created', data: { object: { id: 'cus_1', object: 'customer' } } },
      ...changes,
    });
  const post = (body: string, to = url) =>
    deliverBody(to, body, signStripe(body, { secrets: [secret] }));

  it('are on the log when they are answered, and become facts', async () => {
    const { event, invoice } = paidInvoice();
    const answer = await deliverEvent(url, event, { shape: 'new', secrets: [secret] });
    expect(answer.status).to.equal(200);
    expect(JSON.parse(answer.body)).to.deep.equal({ received: true, id: event.id });
    const [record] = await ofEvent(event.id);
    expect(record).to.deep.include({ tenantId: 't1', kind: 'invoice.paid', taxPolicy: 'gross' });
    expect(record).to.have.nested.property('object.id', invoice.id);
    await eventually(async () => {
      const purchases = (await world.facts()).filter(
        ({ eventType }) => eventType === 'purchase-created',
      );
      expect(JSON.stringify(purchases)).to.include(invoice.id);
    });
  });

  it('are answered alike when they come again, without a further record', async () => {
    const { event } = paidInvoice();
    const options = { shape: 'new', secrets: [secret] } as const;
    const first = await deliverEvent(url, event, options);
    await eventually(async () => {
      const before = (await ofEvent(event.id)).length;
      const again = await deliverEvent(url, event, options);
      expect([again.status, again.body]).to.deep.equal([first.status, first.body]);
      expect(await ofEvent(event.id)).to.have.length(before);
    });
  });

  it('of another kind, of another mode and of our own are on the log with the reason', async () => {
    expect((await post(bodyOf('evt_other_kind'))).status).to.equal(200);
    const [kind] = await ofEvent('evt_other_kind');
    expect(kind).to.include({ ignored: 'kind-not-used', subject: 'evt_other_kind' });
    expect(kind).to.not.have.property('object');

    const { event } = paidInvoice();
    const live = JSON.stringify({ ...(JSON.parse(event.body('new')) as object), livemode: true });
    expect((await post(live)).status).to.equal(200);
    const [mode] = await ofEvent(event.id);
    expect(mode).to.include({ ignored: 'other-mode' }).and.have.property('object');

    await post(bodyOf('evt_test', { type: 'tributary.connection_test' }));
    expect((await ofEvent('evt_test'))[0]).to.include({ ignored: 'connection-test' });
  });

  it('in a shape that is not understood are on the log by their id', async () => {
    const data = { object: { id: 'in_odd', object: 'invoice', customer: 'cus_odd', total: '12' } };
    expect((await post(bodyOf('evt_odd', { type: 'invoice.paid', data }))).status).to.equal(200);
    const [record] = await ofEvent('evt_odd');
    expect(record).to.have.property('subject', 'cus_odd');
    expect(record).to.have.nested.property('object.object', 'unreadable');
  });

  it('with a wrong signature are refused with the reason, and nothing is written', async () => {
    const body = bodyOf('evt_refused');
    const now = Math.floor(Date.now() / 1_000);
    const signed = (timestamp: number, key = secret) =>
      signStripe(body, { secrets: [key], timestamp });
    const cases: [signature: string | undefined, words: string][] = [
      [undefined, 'is missing'],
      ['nonsense', 'is malformed'],
      [`t=${now},v0=abc`, 'no v1 signature'],
      [signed(now, 'whsec_of_another'), 'No v1 signature'],
      [signed(now - 400), 'in the past'],
      [signed(now + 400), 'in the future'],
    ];
    for (const [signature, detail] of cases) {
      const answer = await deliverBody(url, body, signature);
      expect(answer.status, detail).to.equal(401);
      expect(answer.headers.get('www-authenticate')).to.equal('Stripe-Signature');
      expect(JSON.parse(answer.body)).to.include({ code: 'UNAUTHORIZED' });
      expect((JSON.parse(answer.body) as { detail: string }).detail).to.include(detail);
    }
    const spaced = JSON.stringify(JSON.parse(body), null, 1);
    const reserialised = await deliverBody(url, spaced, signed(now));
    expect(reserialised.status).to.equal(401);
    expect(await ofEvent('evt_refused')).to.have.length(0);
  });

  it('are taken with either secret while they overlap', async () => {
    const connectionId = 'c0nnection00000002';
    const both = { id: 'we_old', secret: 'whsec_old' };
    const until = new Date(Date.now() + 60_000).toISOString();
    await world.connect({ ...connection, connectionId, previous: { ...both, until } });
    const to = `${running.publicUrl}/processor/stripe/${connectionId}`;
    const with1 = (key: string) =>
      deliverBody(to, bodyOf('evt_two'), signStripe(bodyOf('evt_two'), { secrets: [key] }));
    await eventually(async () => expect((await with1(both.secret)).status).to.equal(200));
    expect((await with1(secret)).status).to.equal(200);
    const over = new Date(Date.now() - 1_000).toISOString();
    const after = { ...connection, connectionId, previous: { ...both, until: over }, version: 2 };
    await world.connect(after);
    await eventually(async () => expect((await with1(both.secret)).status).to.equal(401));
    expect((await with1(secret)).status).to.equal(200);
  });

  it('for no connection, a disconnected one or another path are refused', async () => {
    const at = (path: string, method = 'POST') =>
      fetch(`${running.publicUrl}${path}`, { method, ...(method === 'POST' && { body: '{}' }) });
    for (const path of [
      '/processor/stripe/c0nnection00000009',
      '/processor/stripe/%E0%A4%A',
      '/processor/stripe/C0NNECTION00000001',
      `/processor/stripe/${connection.connectionId}/more`,
      '/processor',
      '/',
    ]) {
      expect((await at(path)).status, path).to.equal(404);
    }
    const unknown = await at('/processor/stripe/c0nnection00000009');
    expect(await unknown.json())
      .to.have.property('detail')
      .that.matches(/^No connection has this/);
    const get = await at(`/processor/stripe/${connection.connectionId}`, 'GET');
    expect([get.status, get.headers.get('allow')]).to.deep.equal([405, 'POST']);

    const connectionId = 'c0nnection00000003';
    const to = `${running.publicUrl}/processor/stripe/${connectionId}`;
    await world.connect({ ...connection, connectionId });
    await eventually(async () => expect((await post(bodyOf('evt_3'), to)).status).to.equal(200));
    await world.connect({ ...connection, connectionId, version: 2, status: 'disconnected' });
    await eventually(async () => expect((await post(bodyOf('evt_3'), to)).status).to.equal(404));
  });

  it('that are too large, no JSON or no event are refused', async () => {
    const limit = 256 * 1024;
    const fill = limit - Buffer.byteLength(bodyOf('evt_large', { more: '' }));
    expect((await post(bodyOf('evt_large', { more: 'x'.repeat(fill) }))).status).to.equal(200);
    expect((await post(bodyOf('evt_large', { more: 'x'.repeat(fill + 1) }))).status).to.equal(413);
    const notJson = await post('{"id":');
    expect([notJson.status, JSON.parse(notJson.body)]).to.have.nested.property(
      '[1].code',
      'MALFORMED_JSON',
    );
    const noEvent = await post('{"id":"evt_1","object":"event"}');
    expect(noEvent.status).to.equal(422);
    expect(noEvent.body).to.include('/livemode');
  });

  it('leave no secret, key or signature in a log line', () => {
    const logged = world.logged();
    expect(logged).to.include('signature-no-match');
    for (const secretText of [secret, fake.apiKey, 'v1='])
      expect(logged).to.not.include(secretText);
  });
});
