import { WebhookPayload } from '@tributary/contracts/webhook-payload';
import { eventually } from '@tributary/testkit/eventually';
import { Value } from '@sinclair/typebox/value';
import { expect } from 'chai';
import { createDispatcherWorld, credentials, type DispatcherWorld } from './testing/dispatcher.ts';
import { accept, inTurn, type Receiver, startReceiver, status } from './testing/receiver.ts';
import { issuance, uuidOf } from './testing/records.ts';

describe('webhook-dispatcher', () => {
  let world: DispatcherWorld;
  let receiver: Receiver;

  before(async () => {
    receiver = await startReceiver();
  });

  beforeEach(async () => {
    world = await createDispatcherWorld();
    receiver.received.length = 0;
    receiver.answerWith(accept);
  });

  afterEach(() => world.end());
  after(() => receiver.stop());

  it('turns an issuance into the request of interface 6.1', async () => {
    await world.setEndpoint(`${receiver.url}/hooks/reward?x=1`);
    await world.start();
    const issuedAt = '2026-03-01T10:20:30.045Z';
    await world.issue(issuance(uuidOf('ev-1'), { credits: '12.50', issuedAt }));
    await eventually(() => expect(receiver.received).to.have.length(1));

    const { method, path, headers, rawBody } = receiver.received[0]!;
    expect({ method, path }).to.deep.equal({ method: 'POST', path: '/hooks/reward?x=1' });
    const basic = Buffer.from(`${credentials.username}:${credentials.password}`).toString('base64');
    expect(headers).to.include({
      authorization: `Basic ${basic}`,
      'content-type': 'application/json; charset=utf-8',
      'x-service-env': 'sandbox',
      'x-tributary-attempt': '1',
      'content-length': String(rawBody.length),
    });
    expect(headers['user-agent']).to.match(/^Tributary/);
    expect(Value.Check(WebhookPayload, JSON.parse(rawBody.toString()))).to.equal(true);
    expect(rawBody.toString()).to.include('"amount":12.50');
    expect(rawBody.toString()).to.include(`"createdTs":"${issuedAt}"`);
  });

  it('puts each attempt on the deliveries topic', async () => {
    receiver.answerWith(inTurn(status(500), accept));
    await world.setEndpoint(receiver.url);
    await world.start();
    await world.issue(issuance(uuidOf('ev-1')));
    await eventually(async () => {
      const facts = await world.deliveries();
      expect(facts.map((f) => [f.webhookEventId, f.attempt, f.outcome])).to.deep.equal([
        [uuidOf('ev-1'), 1, 'failed'],
        [uuidOf('ev-1'), 2, 'delivered'],
      ]);
    });
  });

  it('sends nothing again from an empty schema, and goes on with what is open', async () => {
    receiver.answerWith((res, { eventId }) => {
      res.writeHead(eventId === uuidOf('open') ? 500 : 200).end();
    });
    await world.setEndpoint(receiver.url);
    const first = await world.start();
    const ids = Array.from({ length: 300 }, (_, n) => uuidOf(`ev-${n}`));
    const records = ids.map((id, n) => issuance(id, { recipientId: `r${n}` }));
    await world.issue(issuance(uuidOf('open')), ...records);
    // Sixteen at a time: a busy machine needs more than the usual moment.
    await eventually(async () => expect(await world.deliveries()).to.have.length(302), {
      deadlineMs: 60_000,
    });
    await first.stop();

    receiver.received.length = 0;
    receiver.answerWith(accept);
    await world.start({ schema: 'dispatch_rebuilt' });
    await world.issue(issuance(uuidOf('new')));
    await eventually(() =>
      expect(receiver.received.map((r) => r.eventId)).to.include(uuidOf('new')),
    );
    expect(receiver.received.map((r) => r.eventId)).to.deep.equal([uuidOf('new')]);
  });

  it('sends nothing again that was recorded on the log and not written (0011)', async () => {
    await world.setEndpoint(receiver.url);
    let recorded = 0;
    const held = Promise.withResolvers<void>();
    await world.start({
      observe: (hook) => {
        if (hook !== 'recorded') return;
        recorded += 1;
        // As if it had been killed here; the projection goes on.
        return held.promise;
      },
    });
    const ids = Array.from({ length: 5 }, (_, n) => uuidOf(`ev-${n}`));
    await world.issue(...ids.map((id) => issuance(id)));
    await eventually(() => expect(recorded).to.equal(5));
    await eventually(async () => expect(await world.states()).to.deep.equal({ delivered: 5 }));
    await world.start();
    await world.issue(issuance(uuidOf('new')));
    await eventually(() => expect(receiver.received).to.have.length(6));
    expect(new Set(receiver.received.map((r) => r.eventId)).size).to.equal(6);
    held.resolve();
  });

  it('sends nothing again from an empty schema that a stopped partition may have', async () => {
    await world.setEndpoint(receiver.url);
    const first = await world.start();
    const ids = Array.from({ length: 60 }, (_, n) => uuidOf(`ev-${n}`));
    await world.issue(issuance(uuidOf('first')));
    await eventually(() => expect(receiver.received).to.have.length(1));
    const stopped = await world.deliveriesPartition('t1', ids[0]!);
    await world.stopDeliveriesOf('t1', ids[0]!);
    await world.issue(...ids.map((id) => issuance(id)));
    await eventually(() => expect(receiver.received).to.have.length(61));
    await eventually(async () => expect(await world.states()).to.deep.equal({ delivered: 61 }));
    await first.stop();

    receiver.received.length = 0;
    await world.start({ schema: 'dispatch_rebuilt' });
    const other = await newOne('not as', stopped);
    await world.issue(issuance(other));
    await eventually(() => expect(receiver.received.map((r) => r.eventId)).to.include(other));
    expect(receiver.received.map((r) => r.eventId)).to.deep.equal([other]);
  });

  it('frees nothing of a dead worker that a stopped partition may have', async () => {
    await world.setEndpoint(receiver.url);
    let [sending, recorded] = [0, 0];
    const heldToSend = Promise.withResolvers<void>();
    const held = Promise.withResolvers<void>();
    await world.start({
      observe: (hook) => {
        if (hook === 'sending' && sending++ === 0) return heldToSend.promise;
        if (hook !== 'recorded') return;
        recorded += 1;
        return held.promise;
      },
    });
    const ids = Array.from({ length: 9 }, (_, n) => uuidOf(`ev-${n}`));
    const stopped = await world.deliveriesPartition('t1', ids[0]!);
    const unsent = await newOne('not as', stopped);
    await world.issue(issuance(unsent));
    await eventually(() => expect(sending).to.equal(1));
    await world.stopDeliveriesOf('t1', ids[0]!);
    await world.issue(...ids.map((id) => issuance(id)));
    await eventually(() => expect(recorded).to.equal(9));
    // As if it had been killed here: only the log knows of them.
    await world.query('update dispatch.worker set alive_until = now()');
    await eventually(() => expect(receiver.received.map((r) => r.eventId)).to.include(unsent));
    const other = await newOne('not as', stopped, 'later');
    await world.issue(issuance(other));
    await eventually(() => expect(receiver.received.map((r) => r.eventId)).to.include(other));
    const sent = receiver.received.map((r) => r.eventId).sort();
    expect(sent).to.deep.equal([...ids, unsent, other].sort());
    heldToSend.resolve();
    held.resolve();
  });

  it('has room for others while a stopped partition may have what a dead worker held', async () => {
    await world.setEndpoint(receiver.url);
    let recorded = 0;
    const held = Promise.withResolvers<void>();
    await world.start({
      worker: { maxInFlightPerEndpoint: 3 },
      observe: (hook) => {
        if (hook !== 'recorded') return;
        recorded += 1;
        return recorded > 1 && recorded <= 4 ? held.promise : undefined;
      },
    });
    const stopped = await world.deliveriesPartition('t1', uuidOf('ev-0'));
    // Sent before the partition stops: under a lease of before, it does not keep from claiming.
    await world.issue(issuance(await newOne('not as', stopped, 'first')));
    await eventually(async () => expect(await world.states()).to.deep.equal({ delivered: 1 }));
    await world.stopDeliveriesOf('t1', uuidOf('ev-0'));
    const names = ['a', 'b', 'c'];
    const ids = await Promise.all(names.map((name) => newOne('as', stopped, name)));
    await world.issue(...ids.map((id) => issuance(id)));
    await eventually(() => expect(recorded).to.equal(4));
    // As if it had been killed here: only the log knows of them.
    await world.query('update dispatch.worker set alive_until = now()');
    const other = await newOne('not as', stopped, 'other');
    await world.issue(issuance(other));
    await eventually(() => expect(receiver.received.map((r) => r.eventId)).to.include(other));
    expect(receiver.received).to.have.length(5);
    // Not dead after all: what it recorded is written late.
    held.resolve();
    await eventually(async () => expect(await world.states()).to.deep.equal({ delivered: 5 }));
    const holding = await world.query(
      `select (select count(*)::int from dispatch.delivery where claimed_by is not null) as claims,
         in_flight from dispatch.endpoint`,
    );
    expect(holding).to.deep.equal([{ claims: 0, in_flight: 0 }]);
  });

  /** A delivery whose facts go into this partition, or into another one. */
  async function newOne(which: 'as' | 'not as', partition: number, name = 'new'): Promise<string> {
    for (let n = 0; ; n++) {
      const id = uuidOf(`${name}-${n}`);
      const isThere = (await world.deliveriesPartition('t1', id)) === partition;
      if (isThere === (which === 'as')) return id;
    }
  }

  it('delivers what waited for an endpoint once there is one', async () => {
    await world.start();
    await world.issue(issuance(uuidOf('ev-1')));
    await world.setEndpoint(receiver.url);
    await eventually(() => expect(receiver.received).to.have.length(1));
    await world.setEndpoint(`${receiver.url}/second`, { version: 2 });
    await world.issue(issuance(uuidOf('ev-2')));
    await eventually(() => expect(receiver.received).to.have.length(2));
  });

  it('sends nothing by plain http in production; the attempt is blocked', async () => {
    await world.setEndpoint(receiver.url);
    await world.start({ environment: 'prod' });
    await world.issue(issuance(uuidOf('ev-1')));
    await eventually(async () => {
      expect((await world.deliveries())[0]).to.include({ result: 'blocked', outcome: 'failed' });
    });
    expect(receiver.received).to.deep.equal([]);
  });

  it('is ready once it has caught up, and reports its metrics without naming tenants', async () => {
    await world.setEndpoint(receiver.url);
    const { adminUrl } = await world.start();
    await eventually(async () =>
      expect((await fetch(`${adminUrl}/readyz?all`)).status).to.equal(200),
    );
    await world.issue(issuance(uuidOf('ev-1'), { tenantId: 't1' }));
    await eventually(async () => {
      const text = await (await fetch(`${adminUrl}/metrics`)).text();
      const own = text.match(/^tributary_webhook_(attempts_total|due)\{.*/gm)?.join('\n');
      expect(own).to.match(/tributary_webhook_attempts_total\{[^}]*delivered="true"[^}]*\} 1/);
      expect(own).to.match(/tributary_webhook_due\{[^}]*class="sendable"[^}]*\} 0/);
      expect(text).not.to.include('t1');
    });
  });

  it('shares the work between two dispatchers without sending anything twice', async () => {
    await world.setEndpoint(receiver.url);
    // Nobody gives an attempt up here, however slow the machine is.
    const worker = { timeoutMs: 60_000, leaseMs: 120_000 };
    await world.start({ worker });
    await world.start({ worker });
    const ids = Array.from({ length: 100 }, (_, n) => uuidOf(`ev-${n}`));
    await world.issue(...ids.map((id, n) => issuance(id, { recipientId: `r${n}` })));
    await eventually(async () => expect(await world.deliveries()).to.have.length(100), {
      deadlineMs: 20_000,
    });
    expect(new Set(receiver.received.map((r) => r.eventId)).size).to.equal(100);
    expect(receiver.received).to.have.length(100);
  });

  it('is not held up by a process that stops in the middle of a claim', async () => {
    const claiming = Promise.withResolvers<void>();
    const asleep = Promise.withResolvers<void>();
    await world.setEndpoint(receiver.url);
    await world.start({
      observe(hook) {
        if (hook !== 'claimed') return;
        claiming.resolve();
        return asleep.promise;
      },
    });
    await world.issue(issuance(uuidOf('ev-1')));
    await claiming.promise;
    await world.start();
    const others = Array.from({ length: 5 }, (_, n) => uuidOf(`other-${n}`));
    await world.issue(...others.map((id) => issuance(id)));
    await eventually(
      () => expect(new Set(receiver.received.map((r) => r.eventId)).size).to.equal(6),
      { deadlineMs: 15_000 },
    );
    asleep.resolve();
  });
});
