import { createDatabase, type TestDatabase } from '@tributary/testkit/database';
import { eventually } from '@tributary/testkit/eventually';
import { getServers } from '@tributary/testkit/servers';
import { expect } from 'chai';
import {
  createIngestFixture,
  type IngestFixture,
  type IngestProcess,
  purchase,
  tenantA,
  tenantB,
} from '../testing/ingest-fixture.ts';
import { withoutCopies } from '@tributary/event-log/testing/read-records';

describe('ingest-api: accepting an event (interface 4.1)', () => {
  let database: TestDatabase;
  let fixture: IngestFixture;
  let api: IngestProcess;
  let other: IngestProcess;
  let token: string;

  before(async () => {
    const servers = await getServers();
    database = await createDatabase();
    fixture = await createIngestFixture({ ...servers, postgresUrl: database.url });
    api = await fixture.start();
    other = await fixture.start();
    token = await api.token(tenantA);
    await eventually(async () => {
      expect((await fetch(`${api.adminUrl}/readyz?all`)).status).to.equal(200);
      expect((await fetch(`${other.adminUrl}/readyz?all`)).status).to.equal(200);
    });
  });

  after(async () => {
    await other?.stop();
    await api?.stop();
    await fixture?.stop();
    await database?.drop();
  });

  const eventsOf = async (invoiceId: string) =>
    (await fixture.events()).filter(
      (event) => event.eventType === 'purchase-created' && event.purchase.invoiceId === invoiceId,
    );

  it('answers 202 with eventId and receivedAt, and the event is on the log', async () => {
    const answer = await api.purchase(token, purchase({ invoiceId: 'first' }));
    expect(answer.status).to.equal(202);
    const accepted = JSON.parse(answer.text) as { eventId: string; receivedAt: string };
    expect(Object.keys(accepted)).to.eql(['eventId', 'receivedAt']);
    expect(accepted.eventId).to.match(/^[0-9a-f]{8}-[0-9a-f]{4}-7/);

    const [event] = await eventsOf('first');
    expect(event).to.include({ eventId: accepted.eventId, receivedAt: accepted.receivedAt });
    expect(event).to.include({ tenantId: 'a', source: 'v2' });
    expect(JSON.stringify(event)).not.to.match(/canary/i);
    const people = await fixture.people();
    expect(people.filter(({ eventId }) => eventId === accepted.eventId)).to.have.length(1);
  });

  it('returns warnings and changes nothing else for them (2.7 rule 4)', async () => {
    const body = purchase({ occurredAt: '0000-01-01T00:00:00Z', invoiceId: 'warned' });
    const answer = await api.purchase(token, body);
    expect(answer.status).to.equal(202);
    expect(answer.text).to.contain('OCCURRED_AT_BACKDATED');
    expect(withoutCopies(await eventsOf('warned'))).to.have.length(1);
  });

  it('answers a repeated request byte by byte as the first time (4.1 rule 8)', async () => {
    const body = purchase({ invoiceId: 'repeated', occurredAt: '1999-12-31T23:59:60Z' });
    const first = await api.purchase(token, body, 'repeated');
    expect(first.status).to.equal(202);
    const again = [
      await api.purchase(token, body, ' repeated '),
      await other.purchase(token, { ...body, idempotencyKey: 'repeated' }),
      await other.purchase(token, JSON.stringify(body, undefined, 3), 'repeated'),
    ];
    for (const answer of again) {
      expect(answer.status).to.equal(202);
      expect(answer.text).to.equal(first.text);
    }
    const ids = new Set((await eventsOf('repeated')).map(({ eventId }) => eventId));
    expect(ids).to.have.length(1);
  });

  it('appends nothing for a repeat that follows its answer at once', async () => {
    const body = purchase({ invoiceId: 'at-once' });
    const first = await api.purchase(token, body, 'at-once');
    const again = await api.purchase(token, body, 'at-once');
    expect(again.text).to.equal(first.text);
    expect(await eventsOf('at-once')).to.have.length(1);
  });

  it('refuses the same key with another body, and writes nothing (4.1 rule 9)', async () => {
    await api.purchase(token, purchase({ invoiceId: 'conflict' }), 'conflict');
    const answer = await other.purchase(token, purchase({ invoiceId: 'conflict-2' }), 'conflict');
    expect(answer.status).to.equal(409);
    expect(JSON.parse(answer.text)).to.include({ code: 'IDEMPOTENCY_CONFLICT' });
    expect(await eventsOf('conflict-2')).to.have.length(0);
  });

  it('refuses header and body keys that differ (4.1 rule 10)', async () => {
    const body = purchase({ idempotencyKey: 'one' });
    const answer = await api.purchase(token, body, 'two');
    expect(answer.status).to.equal(400);
    expect(JSON.parse(answer.text)).to.include({ code: 'IDEMPOTENCY_KEY_CONFLICT' });
  });

  it('lets a refused request consume no key', async () => {
    const body = purchase({ invoiceId: 'fixed' });
    expect((await api.purchase(token, { ...body, amount: 1.5 }, 'fixed')).status).to.equal(422);
    expect((await api.purchase(token, body, 'fixed')).status).to.equal(202);
  });

  it('gives 50 parallel copies over two processes one event id', async () => {
    const body = purchase({ invoiceId: 'parallel' });
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, i) => (i % 2 ? api : other).purchase(token, body, 'parallel')),
    );
    expect(new Set(answers.map(({ status }) => status))).to.eql(new Set([202]));
    expect(new Set(answers.map(({ text }) => text))).to.have.length(1);
    const ids = new Set((await eventsOf('parallel')).map(({ eventId }) => eventId));
    expect(ids).to.have.length(1);
  });

  it('keeps keys of two tenants apart', async () => {
    const body = purchase({ invoiceId: 'tenants' });
    const ofA = await api.purchase(token, body, 'tenants');
    const ofB = await api.purchase(await api.token(tenantB), body, 'tenants');
    expect([ofA.status, ofB.status]).to.eql([202, 202]);
    expect(ofA.text).not.to.equal(ofB.text);
  });
});
