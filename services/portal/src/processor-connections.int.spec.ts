import type { ProcessorConnectionRecord } from '@tributary/contracts/catalog-record';
import { secretContext } from '@tributary/contracts/secret-context';
import { openSecret } from '@tributary/runtime/secrets';
import { eventually } from '@tributary/testkit/eventually';
import { expect } from 'chai';
import pg from 'pg';
import { type ProcessorListener, startProcessorListener } from './testing/processor-listener.ts';
import { startTestPortal, testPublicUrl, type TestPortal } from './testing/test-portal.ts';

describe('portal: connections to a payment processor', function () {
  this.timeout(60_000);
  const apiKey = 'rk_test_canary0123456789';
  let portal: TestPortal;
  let processor: ProcessorListener;
  let tenants = 0;
  let tenantId: string;
  before(async () => {
    processor = await startProcessorListener();
    portal = await startTestPortal({ processorUrl: processor.url });
  });
  after(async () => {
    await portal.stop();
    await processor.stop();
  });
  beforeEach(async () => {
    processor.forget();
    portal.clock.run();
    tenantId = `tenant-${(tenants += 1)}`;
    await portal.call('POST', '/api/tenants', { tenantId, name: 'Acme' });
  });

  const list = () => `/api/tenants/${tenantId}/processor-connections`;
  const connect = (body: object = { apiKey }) => portal.call('POST', list(), body);
  const tell = (id: string, verb: string, body?: unknown) =>
    portal.call('POST', `${list()}/${id}/${verb}`, body);
  const shown = async (id: string) => (await portal.call('GET', `${list()}/${id}`)).body;
  const listed = async () =>
    (await portal.call('GET', list())).body['connections'] as Record<string, unknown>[];
  const connected = async (body?: object): Promise<string> => {
    const answer = await connect(body);
    expect(answer.status, JSON.stringify(answer.body)).to.equal(201);
    return String(answer.body['connectionId']);
  };
  const recordsUpTo = (version: number) =>
    eventually(() => {
      const found = portal.catalog.filter(
        (record): record is ProcessorConnectionRecord =>
          record.entity === 'processor-connection' && record.tenantId === tenantId,
      );
      expect(found.map((record) => record.version)).to.deep.equal(
        Array.from({ length: version }, (_, i) => i + 1),
      );
      return found;
    });
  const open = (
    sealed: string | null | undefined,
    use: 'processor-api-key' | 'processor-signing-secret',
  ) => openSecret(portal.keyRing, sealed ?? '', secretContext(tenantId, use));
  const secretOf = (endpoint: { sealedSecret: string } | null | undefined) =>
    open(endpoint?.sealedSecret, 'processor-signing-secret');
  const by = 'olga@ops';
  const away = { problem: 'SERVICE_UNAVAILABLE', detail: 'Stripe does not answer.' } as const;
  const refused = { problem: 'CONFLICT', detail: 'Stripe rejects the API key.' } as const;

  async function inTables(sql: string): Promise<void> {
    const client = new pg.Client({
      connectionString: portal.postgresUrl,
      options: '-c search_path=portal',
    });
    await client.connect();
    await client.query(sql).finally(() => client.end());
  }

  /** Whoever asks it is kept waiting until it is let go. */
  function hold(verb: string): { reached: Promise<void>; letGo: () => void } {
    const reached = Promise.withResolvers<void>();
    const go = Promise.withResolvers<void>();
    processor.whenAsked(async (asked) => {
      if (asked !== verb) return;
      reached.resolve();
      await go.promise;
    });
    return { reached: reached.promise, letGo: () => go.resolve() };
  }

  describe('connecting', () => {
    it('opens at Stripe, publishes key and secret sealed, and checks the way in', async () => {
      processor.finds([{ check: 'way-in', ok: true, detail: 'A test event came through.' }]);
      const { status, body } = await connect({ apiKey, taxPolicy: 'net', by });
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
      const [record] = await recordsUpTo(1);
      expect(record).to.include({ connectionId, status: 'active', taxPolicy: 'net' });
      expect(open(record?.sealedApiKey, 'processor-api-key')).to.equal(apiKey);
      expect(record?.endpoint?.id).to.equal(body['endpointId']);
      expect(secretOf(record?.endpoint)).to.match(/^whsec_/);
      const [asked] = processor.asked;
      expect(asked).to.deep.equal({
        what: `${tenantId} connections ${connectionId} open`,
        body: { apiKey, apiVersion: body['apiVersion'], url: body['webhookUrl'] },
      });
    });

    it('with the same key again is the connection that is there, and asks for no other', async () => {
      const connectionId = await connected();
      processor.forget();
      const again = await connect();
      expect([again.status, again.body['connectionId']]).to.deep.equal([200, connectionId]);
      expect(processor.verbs()).to.not.contain('open');
      const other = await connect({ apiKey, taxPolicy: 'net' });
      expect(other.status).to.equal(409);
      expect(other.body['detail']).to.contain(connectionId);
      await recordsUpTo(1);
    });

    it('by several at once with one key makes one connection and one record', async () => {
      const answers = await Promise.all(Array.from({ length: 5 }, () => connect()));
      const ids = new Set(answers.map(({ body }) => body['connectionId']));
      expect(ids.size).to.equal(1);
      expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, 200, 200, 200, 201]);
      expect(processor.verbs().filter((verb) => verb === 'open')).to.have.length(1);
      await recordsUpTo(1);
    });

    it('with two keys makes two connections; a key of another tenant is another one', async () => {
      const first = await connected();
      const second = await connected({ apiKey: `${apiKey}x` });
      expect((await listed()).map(({ connectionId }) => connectionId)).to.deep.equal([
        first,
        second,
      ]);
      tenantId = `tenant-${tenants - 1}`;
      expect((await tell(second, 'check')).status).to.equal(404);
    });

    it('goes on with the same id where Stripe could not be asked', async () => {
      processor.replies.set('open', away);
      const failed = await connect();
      expect(failed.status).to.equal(503);
      const [opening] = await listed();
      expect(opening).to.include({ status: 'opening', livemode: null, endpointId: null });
      expect(failed.body['detail']).to.contain(opening?.['webhookUrl']);
      processor.replies.clear();
      expect(await connected()).to.equal(opening?.['connectionId']);
      await recordsUpTo(1);
    });

    it('says why it was refused, keeps it as the reason, and takes other settings then', async () => {
      processor.replies.set('open', refused);
      const failed = await connect();
      expect(failed.status).to.equal(409);
      expect(failed.body['detail']).to.match(/^Stripe rejects the API key\. Connection /);
      const [opening] = await listed();
      expect(opening).to.include({ status: 'opening', reason: refused.detail });
      processor.replies.clear();
      const opened = await connect({ apiKey, apiVersion: '2022-11-15', taxPolicy: 'net' });
      expect(opened.body).to.include({ apiVersion: '2022-11-15', taxPolicy: 'net' });
      expect(opened.body).to.not.have.property('reason');
    });

    it('asks for the signing secret that Stripe does not tell', async () => {
      processor.tellsSecrets(false);
      const failed = await connect();
      expect(failed.status).to.equal(409);
      const [endpoint] = [...processor.made.values()].slice(-1);
      expect(failed.body['detail']).to.contain(endpoint?.id).and.contain('signingSecret');
      await connected({ apiKey, signingSecret: 'whsec_from_dashboard' });
      const [record] = await recordsUpTo(1);
      expect(record?.endpoint?.id).to.equal(endpoint?.id);
      expect(secretOf(record?.endpoint)).to.equal('whsec_from_dashboard');
    });

    it('takes an endpoint that was made by hand, with its secret', async () => {
      await connected({ apiKey, endpointId: 'we_hand', signingSecret: 'whsec_by_hand' });
      const [record] = await recordsUpTo(1);
      expect(record?.endpoint?.id).to.equal('we_hand');
      expect(secretOf(record?.endpoint)).to.equal('whsec_by_hand');
    });

    it('that was stopped for over a minute writes nothing: another one has done it', async () => {
      const { reached, letGo } = hold('open');
      const slow = connect();
      await reached;
      // The minute is over.
      await inTables(`update processor_connection set held_until = now() - interval '1 second'
         where held_by is not null`);
      processor.whenAsked(() => undefined);
      const connectionId = await connected();
      letGo();
      expect((await slow).status).to.equal(409);
      expect(await shown(connectionId)).to.include({ status: 'active' });
      await recordsUpTo(1);
    });
  });

  describe('rotating', () => {
    it('has a new endpoint beside the old one, which holds for three days', async () => {
      portal.clock.set('2026-03-01T12:00:00.000Z');
      const id = await connected();
      const [first] = await recordsUpTo(1);
      const { status, body } = await tell(id, 'rotate');
      expect(status).to.equal(200);
      expect(body['previousEndpoint']).to.deep.equal({
        endpointId: first?.endpoint?.id,
        until: '2026-03-04T12:00:00.000Z',
      });
      const [, second] = await recordsUpTo(2);
      expect(second?.previous).to.deep.equal({
        ...first?.endpoint,
        until: '2026-03-04T12:00:00.000Z',
      });
      expect(second?.endpoint?.id).to.equal(body['endpointId']).and.not.equal(first?.endpoint?.id);
      expect(secretOf(second?.endpoint)).to.not.equal(secretOf(first?.endpoint));
    });

    it('waits for the overlap to end: no third secret could be kept', async () => {
      portal.clock.set('2026-03-01T12:00:00.000Z');
      const id = await connected();
      await tell(id, 'rotate', { overlapHours: 1 });
      const early = await tell(id, 'rotate');
      expect(early.status).to.equal(409);
      expect(early.body['detail']).to.contain('2026-03-01T13:00:00.000Z');
      expect(processor.verbs().filter((verb) => verb === 'renew')).to.have.length(1);
      portal.clock.set('2026-03-01T13:00:00.000Z');
      expect((await tell(id, 'rotate')).status).to.equal(200);
      const [, second, third] = await recordsUpTo(3);
      expect(third?.previous?.id).to.equal(second?.endpoint?.id);
    });

    it('without overlap names the old endpoint all the same, so that it is removed', async () => {
      portal.clock.set('2026-03-01T12:00:00.000Z');
      const id = await connected();
      const { body } = await tell(id, 'rotate', { overlapHours: 0 });
      expect(body).to.not.have.property('previousEndpoint');
      const [first, second] = await recordsUpTo(2);
      expect(second?.previous).to.include({
        id: first?.endpoint?.id,
        until: '2026-03-01T12:00:00.000Z',
      });
    });

    it('by two at once is one rotation', async () => {
      const id = await connected();
      const answers = await Promise.all([tell(id, 'rotate'), tell(id, 'rotate')]);
      expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, 409]);
      await recordsUpTo(2);
    });

    it('changes nothing while Stripe cannot be asked, and finds what was made then', async () => {
      const id = await connected();
      const before = await shown(id);
      processor.replies.set('renew', away);
      const failed = await tell(id, 'rotate');
      expect([failed.status, failed.body['detail']]).to.deep.equal([
        503,
        'Stripe does not answer. Nothing was changed.',
      ]);
      expect(await shown(id)).to.deep.equal(before);
      processor.replies.clear();
      expect((await tell(id, 'rotate')).status).to.equal(200);
      await recordsUpTo(2);
    });

    it('answers 404 of processor-events as not read yet', async () => {
      const id = await connected();
      processor.replies.set('renew', { problem: 'NOT_FOUND' });
      expect((await tell(id, 'rotate')).status).to.equal(503);
    });
  });

  describe('repairing', () => {
    const broken = { check: 'endpoint-enabled', ok: false, detail: 'It is disabled.' };
    const theirs = { check: 'silence', ok: false, detail: 'No event came for days.' };

    it('replaces an endpoint that is broken, and leaves the rest to people', async () => {
      const id = await connected();
      processor.finds([broken, theirs]);
      let checks = 0;
      processor.whenAsked((verb) => {
        if (verb === 'check' && (checks += 1) > 1) processor.finds([theirs]);
      });
      const { status, body } = await tell(id, 'repair', {});
      expect(status).to.equal(200);
      expect(body).to.deep.include({
        repaired: ['endpoint-enabled'],
        ok: false,
        findings: [theirs],
      });
      const [first, second] = await recordsUpTo(2);
      expect(second?.previous?.id).to.equal(first?.endpoint?.id);
      expect(second?.endpoint?.id).to.equal(body['endpointId']);
    });

    it('keeps a rotated endpoint that still delivers', async () => {
      const id = await connected();
      await tell(id, 'rotate');
      processor.finds([broken]);
      processor.whenAsked((verb) => (verb === 'renew' ? processor.finds([]) : undefined));
      await tell(id, 'repair', {});
      const [, second, third] = await recordsUpTo(3);
      expect(third?.previous).to.deep.equal(second?.previous);
      expect(third?.endpoint?.id).to.not.equal(second?.endpoint?.id);
    });

    it('changes nothing where nothing of the endpoint is broken', async () => {
      const id = await connected();
      processor.finds([theirs]);
      const { body } = await tell(id, 'repair');
      expect(body).to.deep.include({ repaired: [], ok: false, findings: [theirs] });
      expect(processor.verbs()).to.not.contain('renew');
      await recordsUpTo(1);
    });

    it('takes a new key of the same account', async () => {
      const id = await connected();
      const { status, body } = await tell(id, 'repair', { apiKey: `${apiKey}new` });
      expect([status, body['repaired']]).to.deep.equal([200, ['api-key']]);
      const [first, second] = await recordsUpTo(2);
      expect(open(second?.sealedApiKey, 'processor-api-key')).to.equal(`${apiKey}new`);
      expect(second?.endpoint).to.deep.equal(first?.endpoint);
      const again = await connect({ apiKey: `${apiKey}new` });
      expect([again.status, again.body['connectionId']]).to.deep.equal([200, id]);
    });

    it('refuses a key that is of another connection, and one that Stripe refuses', async () => {
      const id = await connected();
      const other = await connected({ apiKey: `${apiKey}other` });
      const taken = await tell(id, 'repair', { apiKey: `${apiKey}other` });
      expect([taken.status, String(taken.body['detail'])]).to.deep.equal([
        409,
        `This key is connected already, as ${other}.`,
      ]);
      processor.replies.set('open', refused);
      expect((await tell(id, 'repair', { apiKey: `${apiKey}bad` })).status).to.equal(409);
    });

    it('takes a signing secret that was changed at Stripe', async () => {
      const id = await connected();
      const { body } = await tell(id, 'repair', { signingSecret: 'whsec_rolled', by });
      expect(body).to.deep.include({ repaired: ['signing-secret'], changedBy: by });
      const [first, second] = await recordsUpTo(2);
      expect(second?.endpoint?.id).to.equal(first?.endpoint?.id);
      expect(secretOf(second?.endpoint)).to.equal('whsec_rolled');
      expect(second).to.not.have.property('previous');
    });
  });

  describe('disconnecting', () => {
    const said = { by, reason: 'they left' };

    it('removes the endpoints first, then forgets key and secrets', async () => {
      const id = await connected();
      await tell(id, 'rotate');
      const { status, body } = await tell(id, 'disconnect', said);
      expect(status).to.equal(200);
      expect(body).to.include({ status: 'disconnected', reason: 'they left', changedBy: by });
      expect(body['removed']).to.have.length(2);
      expect(body['left']).to.deep.equal([]);
      const [, , third] = await recordsUpTo(3);
      expect(third).to.include({ status: 'disconnected', sealedApiKey: null, endpoint: null });
      expect(third).to.not.have.property('previous');
    });

    it('changes nothing while processor-events is down, unless it is forced', async () => {
      const id = await connected();
      const before = await shown(id);
      processor.replies.set('close', away);
      const failed = await tell(id, 'disconnect', said);
      expect(failed.status).to.equal(503);
      expect(failed.body['detail']).to.contain('Nothing was changed').and.contain('force');
      expect(await shown(id)).to.deep.equal(before);
      const forced = await tell(id, 'disconnect', { ...said, force: true });
      expect(forced.body).to.deep.include({ removed: [], left: [before['endpointId']] });
      expect((await recordsUpTo(2))[1]).to.include({ status: 'disconnected', sealedApiKey: null });
    });

    it('again is no change, and the first word stands', async () => {
      const id = await connected();
      await tell(id, 'disconnect', said);
      const again = await tell(id, 'disconnect', { by: 'paul@ops', reason: 'again' });
      expect(again.body).to.include({ status: 'disconnected', reason: 'they left', changedBy: by });
      await recordsUpTo(2);
    });

    it('lets the same key connect as another connection', async () => {
      const id = await connected();
      await tell(id, 'disconnect', said);
      expect(await connected()).to.not.equal(id);
      for (const verb of ['rotate', 'repair', 'check']) {
        expect((await tell(id, verb)).status, verb).to.equal(409);
      }
    });

    it('forgets one that was never opened, and what was made for it at Stripe', async () => {
      processor.tellsSecrets(false);
      await connect();
      const [opening] = await listed();
      const id = String(opening?.['connectionId']);
      expect((await tell(id, 'rotate')).status).to.equal(409);
      const { body } = await tell(id, 'disconnect', said);
      expect(body['status']).to.equal('disconnected');
      expect(body['removed']).to.have.length(1);
      expect(processor.asked.at(-1)?.body).to.include({ apiKey });
      expect(await listed()).to.deep.equal([]);
      expect((await portal.call('GET', `${list()}/${id}`)).status).to.equal(404);
      await recordsUpTo(0);
    });
  });

  it('lists how each fares, and without that while processor-events is away', async () => {
    const id = await connected();
    const fares = { connectionId: id, lastEventAt: null, silent: false, failing: null };
    processor.replies.set('status', { status: 200, body: { connections: [fares] } });
    expect((await listed())[0]).to.deep.include({ ...fares, status: 'active' });
    expect(await shown(id)).to.deep.include({ ...fares, status: 'active' });
    processor.replies.set('status', away);
    const { status, body } = await portal.call('GET', list());
    expect([status, body['statusUnavailable']]).to.deep.equal([200, away.detail]);
    expect(await shown(id)).to.include({ status: 'active', statusUnavailable: away.detail });
  });

  it('hands checks and pages of a reconciliation on', async () => {
    const id = await connected();
    processor.forget();
    processor.replies.set('reconcile', { status: 200, body: { scanned: 3, nextCursor: null } });
    const body = { kind: 'refunds', since: '2026-03-01T12:00:00+01:00', lookBackDays: 30 };
    const page = await tell(id, 'reconcile', body);
    expect(page.body).to.deep.equal({ scanned: 3, nextCursor: null });
    expect(processor.asked).to.deep.equal([
      {
        what: `${tenantId} connections ${id} reconcile`,
        body: { ...body, since: '2026-03-01T11:00:00.000Z', append: false },
      },
    ]);
    processor.replies.set('check', refused);
    expect((await tell(id, 'check')).body['detail']).to.equal(refused.detail);
  });

  it('keeps keys and secrets in clear in no table, no record and no answer (design 5)', async () => {
    const id = await connected();
    const answers = [
      await tell(id, 'rotate'),
      await tell(id, 'repair', { apiKey: `${apiKey}2`, signingSecret: 'whsec_canary' }),
      await portal.call('GET', list()),
    ];
    const told = answers.map(({ body }) => body);
    const kept = JSON.stringify([told, await recordsUpTo(3)]) + (await portal.dumpTables());
    expect(kept).to.not.contain('canary').and.not.contain('whsec_');
  });

  it('answers 404 without a tenant or connection, and asks nobody', async () => {
    const id = 'a'.repeat(32);
    for (const path of [
      `/api/tenants/nobody/processor-connections`,
      `${list()}/${id}/check`,
      `${list()}/${id}/rotate`,
      `${list()}/${id}/repair`,
      `${list()}/no-id/check`,
    ]) {
      const body = path.endsWith('connections') ? { apiKey } : {};
      expect((await portal.call('POST', path, body)).status, path).to.equal(404);
    }
    expect(processor.asked).to.deep.equal([]);
  });
});
