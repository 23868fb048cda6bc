import type { EventRecord } from '@tributary/contracts/event-record';
import { connectRaw, parseAnswer } from '@tributary/http/testing';
import { eventually } from '@tributary/testkit/eventually';
import { startOwned } from '@tributary/testkit/owned-servers';
import { getServers } from '@tributary/testkit/servers';
import { expect } from 'chai';
import { payment } from './testing/envelopes.ts';
import { createLegacyFixture, type LegacyFixture } from './testing/legacy-fixture.ts';

describe('legacy-events', () => {
  let legacy: LegacyFixture;

  before(async () => {
    legacy = await createLegacyFixture((await getServers()).kafkaBrokers);
  });

  after(() => legacy.stop());

  it('answers 200 {success: true} and the event is on the log (4.4)', async () => {
    const answer = await legacy.post(payOf('inv-1'));
    expect([answer.status, answer.body]).to.deep.equal([200, { success: true }]);
    expect(answer.headers.get('content-type')).to.match(/^application\/json/);
    const event = await eventOf('inv-1');
    expect(event).to.include({ tenantId: 't1', source: 'legacy', eventType: 'purchase-created' });
    expect(event).to.have.nested.property('purchase.amount', 4900);
  });

  for (const [trigger, eventType] of Object.entries({
    'new-signup': 'signup-created',
    'demo-call-attended': 'demo-attended',
    'invoice-paid': 'purchase-created',
    'charge-refunded': 'purchase-refunded',
  })) {
    it(`puts ${trigger} on the log as ${eventType} (design 8, triggers)`, async () => {
      const answer = await legacy.post(payOf(trigger, { event: { trigger } }));
      expect(answer.status).to.equal(200);
      expect(await eventOf(trigger)).to.include({ eventType });
    });
  }

  it('puts the person on the people topic and keeps it out of the event (design 5)', async () => {
    const newUser = { name: 'Ann Example', email: 'ann@example.com' };
    expect((await legacy.post(payOf('with-person', { newUser }))).status).to.equal(200);
    expect(JSON.stringify(await eventOf('with-person'))).not.to.match(/Ann|example/);
    const person = (await legacy.people()).find((p) => p.userId === 'user-of-with-person');
    expect(person).to.include({ ...newUser, tenantId: 't1' });
  });

  it('keeps warnings in the record and answers without them (design 8)', async () => {
    const answer = await legacy.post(payOf('rounded', { payload: { price: '0.5' } }));
    expect(answer.body).to.deep.equal({ success: true });
    expect((await eventOf('rounded'))?.warnings?.map((w) => w.code)).to.include('AMOUNT_ROUNDED');
  });

  it('stores an event as often as it is sent: there is no idempotency here', async () => {
    const body = Buffer.from(JSON.stringify(payOf('twice')));
    const headers = { 'idempotency-key': 'k' };
    const answers = [await legacy.send({ body, headers }), await legacy.send({ body, headers })];
    expect(answers.map((a) => a.status)).to.deep.equal([200, 200]);
    const ids = (await legacy.events()).filter((e) => e.newUser.id === 'user-of-twice');
    expect(new Set(ids.map((e) => e.eventId)).size).to.equal(2);
  });

  it('answers as {message} also what never became a request (design 8)', async () => {
    const connection = await connectRaw(legacy.port);
    connection.send('POST /events HTTP/1.1\r\nContent-Length: x\r\n\r\n');
    await connection.closed;
    const { status, body } = parseAnswer(connection.received());
    expect(status).to.equal(400);
    expect(Object.keys(JSON.parse(body) as object)).to.deep.equal(['message']);
  });

  it('counts unknown fields by name, never by value, in bounded number and length', async () => {
    const many = Object.fromEntries(
      Array.from({ length: 200 }, (_, n) => [`odd${n}`, 'secret-value']),
    );
    const names = { 'ann@example.com': 1, [`long${'x'.repeat(80)}`]: 1 };
    await legacy.post({ ...payOf('odd'), ...many, ...names });
    const text = await legacy.metrics();
    const labels = text.match(/tributary_legacy_events_unknown_fields_total\{/g) ?? [];
    expect(labels.length).to.be.within(2, 51);
    expect(text).to.include('field="odd0"').and.to.include('field="other"');
    expect(text).not.to.match(/secret-value|ann@|xxxx/);
  });

  it('answers 503 {message} while the log is away, and 200 again when it is back (design 4)', async () => {
    const kafka = await startOwned('kafka');
    const own = await createLegacyFixture(kafka.address);
    try {
      await kafka.kill();
      const answer = await own.post(payOf('inv-503'));
      expect(answer.status).to.equal(503);
      expect(answer.body).to.have.all.keys('message');
      expect(answer.headers.get('retry-after')).to.match(/^[0-9]+$/);
      await eventually(async () => expect(await own.readiness()).to.equal(503));
      await kafka.restart();
      await eventually(
        async () => expect((await own.post(payOf('inv-back'))).status).to.equal(200),
        { deadlineMs: 40_000, everyMs: 500 },
      );
    } finally {
      await own.stop();
      await kafka.stop();
    }
  }).timeout(120_000);

  /** Each with a user of its own, so that it can be found again. */
  function payOf(name: string, change: Parameters<typeof payment>[0] = {}) {
    const payload = { newUserId: `user-of-${name}`, ...change.payload };
    return payment({ ...change, payload, subscription: { invoiceId: name } });
  }

  async function eventOf(name: string): Promise<EventRecord | undefined> {
    return (await legacy.events()).find((event) => event.newUser.id === `user-of-${name}`);
  }
});
