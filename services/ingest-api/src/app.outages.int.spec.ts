import { setTimeout as delay } from 'node:timers/promises';
import { sampleOf } from '@tributary/http/testing/samples';
import { eventually } from '@tributary/testkit/eventually';
import { startOwned } from '@tributary/testkit/owned-servers';
import { expect } from 'chai';
import { Redis } from 'ioredis';
import {
  createIngestFixture,
  type IngestFixture,
  type IngestProcess,
  purchase,
  tenantA,
} from './testing/ingest-fixture.ts';

type Owned = Awaited<ReturnType<typeof startOwned>>;

describe('ingest-api: outages (design 4, promises 1, 3 and 10)', () => {
  let kafka: Owned;
  let redis: Owned;
  let postgres: Owned;
  let fixture: IngestFixture;
  let api: IngestProcess;
  let token: string;

  before(async () => {
    [kafka, redis, postgres] = await Promise.all([
      startOwned('kafka'),
      startOwned('redis'),
      startOwned('postgres'),
    ]);
    fixture = await createIngestFixture({
      kafkaBrokers: kafka.address,
      redisUrl: redis.address,
      postgresUrl: postgres.address,
    });
    api = await fixture.start();
    token = await api.token(tenantA);
    await eventually(
      async () => expect((await fetch(`${api.adminUrl}/readyz?all`)).status).to.equal(200),
      { deadlineMs: 30_000 },
    );
  });

  after(async () => {
    await api?.stop();
    await fixture?.stop();
    await Promise.all([kafka?.stop(), redis?.stop(), postgres?.stop()]);
  });

  const storeComplete = () =>
    eventually(
      async () => {
        const answer = await fetch(`${api.adminUrl}/readyz?all`);
        const { checks } = (await answer.json()) as { checks: Record<string, { ok: boolean }> };
        expect(checks['redis']?.ok).to.equal(true);
      },
      { deadlineMs: 30_000 },
    );

  /** It is sent what it can answer, and says what it cannot. */
  async function staysReadyWithout(dependency: string, lost: string): Promise<void> {
    const statuses = new Set<number>();
    // A request may find out before the check does.
    await eventually(async () => {
      const ready = await fetch(`${api.adminUrl}/readyz`);
      statuses.add(ready.status);
      const { checks } = (await ready.json()) as { checks: Record<string, object> };
      expect(checks[dependency]).to.include({ ok: false, lost });
    });
    expect([...statuses]).to.deep.equal([200]);
    expect((await fetch(`${api.adminUrl}/readyz?all`)).status).to.equal(503);
    const text = await (await fetch(`${api.adminUrl}/metrics`)).text();
    expect(sampleOf(text, 'tributary_dependency_up', { dependency })).to.equal(0);
  }

  it('rebuilds a store that is flushed under load by itself; then the old answers come', async () => {
    const before = new Map<string, string>();
    for (let i = 0; i < 40; i++) {
      const answer = await api.purchase(token, purchase({ invoiceId: `old-${i}` }), `old-${i}`);
      expect(answer.status).to.equal(202);
      before.set(`old-${i}`, answer.text);
    }
    const bodies = new Map([...before.keys()].map((key) => [key, purchase({ invoiceId: key })]));
    let flushing = true;
    const seen = new Map<string, Set<string>>();
    const load = Array.from({ length: 8 }, async (_, worker) => {
      for (let n = 0; flushing; n++) {
        const key = `load-${worker}-${n}`;
        const body = purchase({ invoiceId: key });
        const texts = new Set<string>();
        for (let attempt = 0; attempt < 2; attempt++) {
          const answer = await api.purchase(token, body, key);
          expect(answer.status).to.be.oneOf([202, 503]);
          if (answer.status === 202) texts.add(answer.text);
        }
        seen.set(key, texts);
        await delay(5);
      }
    });

    const admin = new Redis(redis.address);
    await delay(200);
    await admin.flushall();
    const refused = await api.purchase(token, bodies.get('old-1'), 'old-1');
    expect(refused.status).to.equal(503);
    expect(refused.headers.get('retry-after')).to.equal('1');
    expect((await api.purchase(token, purchase({ invoiceId: 'unkeyed' }))).status).to.equal(202);

    await storeComplete();
    flushing = false;
    await Promise.all(load);
    admin.disconnect();

    const events = await fixture.events();
    for (const [key, text] of before) {
      const event = events.find((e) => e.idempotency?.key === key)!;
      const body = purchase({ invoiceId: key, occurredAt: event.occurredAt });
      const answer = await api.purchase(token, body, key);
      expect([answer.status, answer.text], key).to.eql([202, text]);
    }
    for (const [key, texts] of seen) {
      const ids = new Set(events.filter((e) => e.idempotency?.key === key).map((e) => e.eventId));
      expect(ids.size, key).to.be.at.most(1);
      expect(texts.size, key).to.be.at.most(1);
    }
  }).timeout(90_000);

  it('answers 503 to keyed requests while redis is gone, serves unkeyed ones, and recovers', async () => {
    const body = purchase({ invoiceId: 'before-kill' });
    const first = await api.purchase(token, body, 'before-kill');
    expect(first.status).to.equal(202);
    await redis.kill();
    await eventually(async () => {
      const started = performance.now();
      expect((await api.purchase(token, body, 'before-kill')).status).to.equal(503);
      expect(performance.now() - started).to.be.below(3_000);
    });
    expect((await api.purchase(token, purchase({ invoiceId: 'no-redis' }))).status).to.equal(202);
    await staysReadyWithout('redis', 'events with an Idempotency-Key get 503');
    await redis.restart();
    await storeComplete();
    const again = await api.purchase(token, body, 'before-kill');
    expect([again.status, again.text]).to.eql([202, first.text]);
  }).timeout(90_000);

  it('answers 503 with Retry-After to a look-up while postgres is gone, and recovers', async () => {
    const lookUp = () =>
      fetch(`${api.url}/referral-codes/nobody`, { headers: { authorization: token } });
    expect((await lookUp()).status).to.equal(404);
    await postgres.kill();
    const refused = await lookUp();
    expect(refused.status).to.equal(503);
    expect(refused.headers.get('retry-after')).to.equal('1');
    expect(await refused.json()).to.include({ code: 'SERVICE_UNAVAILABLE' });
    await staysReadyWithout('postgres', 'look-ups of codes and links get 503');
    expect((await api.purchase(token, purchase({ invoiceId: 'no-postgres' }))).status).to.equal(
      202,
    );
    await postgres.restart();
    await eventually(async () => expect((await lookUp()).status).to.equal(404));
  }).timeout(60_000);

  it('answers 503 with Retry-After while kafka is gone, and then one event id per key', async () => {
    const body = purchase({ invoiceId: 'kafka-gone' });
    await kafka.kill();
    const refused = await api.purchase(token, body, 'kafka-gone');
    expect(refused.status).to.equal(503);
    expect(JSON.parse(refused.text)).to.include({ code: 'SERVICE_UNAVAILABLE' });
    expect(refused.headers.get('retry-after')).to.equal('1');
    expect((await api.purchase(token, body)).status).to.equal(503);
    await staysReadyWithout('kafka', 'events get 503');
    expect(await api.token(tenantA)).to.be.a('string');

    await kafka.restart();
    const accepted = await eventually(
      async () => {
        const answer = await api.purchase(token, body, 'kafka-gone');
        expect(answer.status).to.equal(202);
        return JSON.parse(answer.text) as { eventId: string };
      },
      { deadlineMs: 60_000, everyMs: 200 },
    );
    const events = (await fixture.events()).filter((e) => e.idempotency?.key === 'kafka-gone');
    expect(new Set(events.map(({ eventId }) => eventId))).to.eql(new Set([accepted.eventId]));
  }).timeout(120_000);
});
