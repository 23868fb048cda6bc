import { expect } from 'chai';
import {
  apiKey,
  away,
  by,
  refused,
  type ConnectionsWorld,
  startConnectionsWorld,
} from '../testing/connections-world.ts';

describe('portal: what is done with a connection to a payment processor', function () {
  this.timeout(60_000);
  let world: ConnectionsWorld;
  before(async () => {
    world = await startConnectionsWorld();
  });
  beforeEach(() => world.nextTenant());
  after(() => world.stop());

  describe('rotating', () => {
    it('has a new endpoint beside the old one, which holds for three days', async () => {
      world.portal.clock.set('2026-03-01T12:00:00.000Z');
      const id = await world.connected();
      const [first] = await world.recordsUpTo(1);
      const { status, body } = await world.tell(id, 'rotate');
      expect(status).to.equal(200);
      expect(body['previousEndpoint']).to.deep.equal({
        endpointId: first?.endpoint?.id,
        until: '2026-03-04T12:00:00.000Z',
      });
      const [, second] = await world.recordsUpTo(2);
      expect(second?.previous).to.deep.equal({
        ...first?.endpoint,
        until: '2026-03-04T12:00:00.000Z',
      });
      expect(second?.endpoint?.id).to.equal(body['endpointId']).and.not.equal(first?.endpoint?.id);
      expect(world.secretOf(second?.endpoint)).to.not.equal(world.secretOf(first?.endpoint));
    });

    it('waits for the overlap to end: no third secret could be kept', async () => {
      world.portal.clock.set('2026-03-01T12:00:00.000Z');
      const id = await world.connected();
      await world.tell(id, 'rotate', { overlapHours: 1 });
      const early = await world.tell(id, 'rotate');
      expect(early.status).to.equal(409);
      expect(early.body['detail']).to.contain('2026-03-01T13:00:00.000Z');
      expect(world.processor.verbs().filter((verb) => verb === 'renew')).to.have.length(1);
      world.portal.clock.set('2026-03-01T13:00:00.000Z');
      expect((await world.tell(id, 'rotate')).status).to.equal(200);
      const [, second, third] = await world.recordsUpTo(3);
      expect(third?.previous?.id).to.equal(second?.endpoint?.id);
    });

    it('without overlap names the old endpoint all the same, so that it is removed', async () => {
      world.portal.clock.set('2026-03-01T12:00:00.000Z');
      const id = await world.connected();
      const { body } = await world.tell(id, 'rotate', { overlapHours: 0 });
      expect(body).to.not.have.property('previousEndpoint');
      const [first, second] = await world.recordsUpTo(2);
      expect(second?.previous).to.include({
        id: first?.endpoint?.id,
        until: '2026-03-01T12:00:00.000Z',
      });
    });

    it('by two at once is one rotation', async () => {
      const id = await world.connected();
      const answers = await Promise.all([world.tell(id, 'rotate'), world.tell(id, 'rotate')]);
      expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, 409]);
      await world.recordsUpTo(2);
    });

    it('changes nothing while Stripe cannot be asked, and finds what was made then', async () => {
      const id = await world.connected();
      const before = await world.shown(id);
      world.processor.replies.set('renew', away);
      const failed = await world.tell(id, 'rotate');
      expect([failed.status, failed.body['detail']]).to.deep.equal([
        503,
        'Stripe does not answer. Nothing was changed.',
      ]);
      expect(await world.shown(id)).to.deep.equal(before);
      world.processor.replies.clear();
      expect((await world.tell(id, 'rotate')).status).to.equal(200);
      await world.recordsUpTo(2);
    });

    it('answers 404 of processor-events as not read yet', async () => {
      const id = await world.connected();
      world.processor.replies.set('renew', { problem: 'NOT_FOUND' });
      expect((await world.tell(id, 'rotate')).status).to.equal(503);
    });
  });

  describe('repairing', () => {
    const broken = { check: 'endpoint-enabled', ok: false, detail: 'It is disabled.' };
    const theirs = { check: 'silence', ok: false, detail: 'No event came for days.' };

    it('replaces an endpoint that is broken, and leaves the rest to people', async () => {
      const id = await world.connected();
      world.processor.finds([broken, theirs]);
      let checks = 0;
      world.processor.whenAsked((verb) => {
        if (verb === 'check' && (checks += 1) > 1) world.processor.finds([theirs]);
      });
      const { status, body } = await world.tell(id, 'repair', {});
      expect(status).to.equal(200);
      expect(body).to.deep.include({
        repaired: ['endpoint-enabled'],
        ok: false,
        findings: [theirs],
      });
      const [first, second] = await world.recordsUpTo(2);
      expect(second?.previous?.id).to.equal(first?.endpoint?.id);
      expect(second?.endpoint?.id).to.equal(body['endpointId']);
    });

    it('keeps a rotated endpoint that still delivers', async () => {
      const id = await world.connected();
      await world.tell(id, 'rotate');
      world.processor.finds([broken]);
      world.processor.whenAsked((verb) =>
        verb === 'renew' ? world.processor.finds([]) : undefined,
      );
      await world.tell(id, 'repair', {});
      const [, second, third] = await world.recordsUpTo(3);
      expect(third?.previous).to.deep.equal(second?.previous);
      expect(third?.endpoint?.id).to.not.equal(second?.endpoint?.id);
    });

    it('changes nothing where nothing of the endpoint is broken', async () => {
      const id = await world.connected();
      world.processor.finds([theirs]);
      const { body } = await world.tell(id, 'repair');
      expect(body).to.deep.include({ repaired: [], ok: false, findings: [theirs] });
      expect(world.processor.verbs()).to.not.contain('renew');
      await world.recordsUpTo(1);
    });

    it('takes a new key of the same account', async () => {
      const id = await world.connected();
      const { status, body } = await world.tell(id, 'repair', { apiKey: `${apiKey}new` });
      expect([status, body['repaired']]).to.deep.equal([200, ['api-key']]);
      const [first, second] = await world.recordsUpTo(2);
      expect(world.open(second?.sealedApiKey, 'processor-api-key')).to.equal(`${apiKey}new`);
      expect(second?.endpoint).to.deep.equal(first?.endpoint);
      const again = await world.connect({ apiKey: `${apiKey}new` });
      expect([again.status, again.body['connectionId']]).to.deep.equal([200, id]);
    });

    it('refuses a key that is of another connection, and one that Stripe refuses', async () => {
      const id = await world.connected();
      const other = await world.connected({ apiKey: `${apiKey}other` });
      const taken = await world.tell(id, 'repair', { apiKey: `${apiKey}other` });
      expect([taken.status, String(taken.body['detail'])]).to.deep.equal([
        409,
        `This key is already connected, as ${other}.`,
      ]);
      world.processor.replies.set('open', refused);
      const bad = await world.tell(id, 'repair', { apiKey: `${apiKey}bad` });
      expect(bad.status).to.equal(409);
      expect(bad.body['detail']).to.contain('Nothing was changed').and.contain('force');
    });

    it('takes a signing secret that was changed at Stripe', async () => {
      const id = await world.connected();
      const { body } = await world.tell(id, 'repair', { signingSecret: 'whsec_rolled', by });
      expect(body).to.deep.include({ repaired: ['signing-secret'], changedBy: by });
      const [first, second] = await world.recordsUpTo(2);
      expect(second?.endpoint?.id).to.equal(first?.endpoint?.id);
      expect(world.secretOf(second?.endpoint)).to.equal('whsec_rolled');
      expect(second).to.not.have.property('previous');
    });
  });

  describe('disconnecting', () => {
    const byWhom = { by, reason: 'they left' };

    it('removes the endpoints first, then forgets key and secrets', async () => {
      const id = await world.connected();
      await world.tell(id, 'rotate');
      const { status, body } = await world.tell(id, 'disconnect', byWhom);
      expect(status).to.equal(200);
      expect(body).to.include({ status: 'disconnected', reason: 'they left', changedBy: by });
      expect(body['removed']).to.have.length(2);
      expect(body['left']).to.deep.equal([]);
      const [, , third] = await world.recordsUpTo(3);
      expect(third).to.include({ status: 'disconnected', sealedApiKey: null, endpoint: null });
      expect(third).to.not.have.property('previous');
    });

    it('changes nothing while processor-events is down, unless it is forced', async () => {
      const id = await world.connected();
      const before = await world.shown(id);
      world.processor.replies.set('close', away);
      const failed = await world.tell(id, 'disconnect', byWhom);
      expect(failed.status).to.equal(503);
      expect(failed.body['detail']).to.contain('Nothing was changed').and.contain('force');
      expect(await world.shown(id)).to.deep.equal(before);
      const forced = await world.tell(id, 'disconnect', { ...byWhom, force: true });
      expect(forced.body).to.deep.include({ removed: [], left: [before['endpointId']] });
      expect((await world.recordsUpTo(2))[1]).to.include({
        status: 'disconnected',
        sealedApiKey: null,
      });
    });

    it('again is no change, and the first request stands', async () => {
      const id = await world.connected();
      await world.tell(id, 'disconnect', byWhom);
      const again = await world.tell(id, 'disconnect', { by: 'paul@ops', reason: 'again' });
      expect(again.body).to.include({ status: 'disconnected', reason: 'they left', changedBy: by });
      await world.recordsUpTo(2);
    });

    it('lets the same key connect as another connection', async () => {
      const id = await world.connected();
      await world.tell(id, 'disconnect', byWhom);
      expect(await world.connected()).to.not.equal(id);
      for (const verb of ['rotate', 'repair', 'check']) {
        expect((await world.tell(id, verb)).status, verb).to.equal(409);
      }
    });

    it('forgets one that was never opened, and what was made for it at Stripe', async () => {
      world.processor.revealsSecrets(false);
      await world.connect();
      const [opening] = await world.listed();
      const id = String(opening?.['connectionId']);
      expect((await world.tell(id, 'rotate')).status).to.equal(409);
      const { body } = await world.tell(id, 'disconnect', byWhom);
      expect(body['status']).to.equal('disconnected');
      expect(body['removed']).to.have.length(1);
      expect(world.processor.asked.at(-1)?.body).to.include({ apiKey });
      expect(await world.listed()).to.deep.equal([]);
      expect((await world.portal.call('GET', `${world.list()}/${id}`)).status).to.equal(404);
      await world.recordsUpTo(0);
    });
  });
});
