import { createDatabase, type TestDatabase } from '@tributary/testkit/database';
import { eventually } from '@tributary/testkit/eventually';
import { startOwned } from '@tributary/testkit/owned-servers';
import { getServers } from '@tributary/testkit/servers';
import type { TestServer } from '@tributary/testkit/test-server';
import { expect } from 'chai';
import { Redis } from 'ioredis';
import { completenessKey, lastCompleteKey, reservationKey, undivided } from './keys.ts';
import {
  type Answer,
  createIngestFixture,
  type IngestFixture,
  type IngestProcess,
  purchase,
  tenantA,
} from '../testing/ingest-fixture.ts';

/**
 * A Redis whose settings could lose a reserved key: with one, the same request could become two
 * events (design 5, step 5). `volatile-lru` is the worst: it takes reservations and leaves the
 * sentinel, which has no lifetime.
 */
describe('ingest-api: a redis that may lose reserved keys (design 5)', function () {
  this.timeout(60_000);
  let server: TestServer;
  let database: TestDatabase;
  let redis: Redis;
  let fixture: IngestFixture;
  let api: IngestProcess;
  let token: string;

  before(async () => {
    server = await startOwned('redis');
    redis = new Redis(server.address);
    redis.on('error', () => undefined); // it is restarted below
    database = await createDatabase();
    const servers = { ...(await getServers()), redisUrl: server.address };
    fixture = await createIngestFixture({ ...servers, postgresUrl: database.url });
    api = await fixture.start();
    token = await api.token(tenantA);
    await storeIs({ ok: true });
  });

  after(async () => {
    await api?.stop();
    await fixture?.stop();
    await database?.drop();
    redis?.disconnect();
    await server?.stop();
  });

  beforeEach(() => storeIs({ ok: true }));

  afterEach(async () => {
    await redis.config('SET', 'maxmemory-policy', 'noeviction');
    await redis.config('SET', 'maxmemory', '0');
    await redis.config('SET', 'appendonly', 'yes');
  });

  function storeIs(expected: { ok: boolean; detail?: RegExp }): Promise<void> {
    return eventually(async () => {
      const answer = await fetch(`${api.adminUrl}/readyz?all`);
      const { checks } = (await answer.json()) as { checks: Record<string, Check> };
      expect(checks['redis']?.ok).to.equal(expected.ok);
      if (expected.detail) expect(checks['redis']?.detail).to.match(expected.detail);
    }, rebuild);
  }
  type Check = { ok: boolean; detail?: string };
  /** By design it takes about 6 s: the time that a request may live, and the log read twice. */
  const rebuild = { deadlineMs: 50_000 };

  /** Waits for the store, and gives the first answer that is not "try again". */
  function whenUsable(body: object, key: string): Promise<Answer> {
    return eventually(async () => {
      const answer = await api.purchase(token, body, key);
      expect(answer.status).not.to.equal(503);
      return answer;
    }, rebuild);
  }

  async function expectKeyedRefused(key: string): Promise<void> {
    const refused = await api.purchase(token, purchase(), key);
    expect(refused.status).to.equal(503);
    expect(refused.headers.get('retry-after')).to.equal('1');
    expect((await api.purchase(token, purchase())).status).to.equal(202);
  }

  const holds = (key: string) =>
    redis.exists(reservationKey([undivided(fixture.settings.redisKeyPrefix)], scopeOf(key)).key);
  const scopeOf = (idempotencyKey: string) => ({
    tenantId: 'a',
    eventType: 'purchase-created' as const,
    idempotencyKey,
  });

  const unfit: Record<string, readonly [setting: string, value: string, detail: RegExp]> = {
    'evicts keys': ['maxmemory-policy', 'allkeys-lru', /maxmemory-policy is allkeys-lru/],
    'forgets keys at a restart': ['appendonly', 'no', /appendonly is no/],
  };

  for (const [what, [setting, value, detail]] of Object.entries(unfit)) {
    it(`ends the start with a clear error when redis ${what}`, async () => {
      await redis.config('SET', setting, value);
      const error = await fixture.start().then(
        () => undefined,
        (failure: Error) => failure,
      );
      expect(error?.message).to.match(detail).and.to.contain('not fit');
    });

    it(`answers 503 to keyed requests when a running redis ${what}, until it does not`, async () => {
      const body = purchase({ invoiceId: what });
      const first = await whenUsable(body, what);
      expect(first.status).to.equal(202);
      await redis.config('SET', setting, value);
      await storeIs({ ok: false, detail });
      await expectKeyedRefused(what);
      await redis.config('SET', setting, setting === 'appendonly' ? 'yes' : 'noeviction');
      const again = await whenUsable(body, what);
      expect([again.status, again.text]).to.eql([202, first.text]);
    });
  }

  it('brings keys back that were evicted: the first answer, and 409 for another body', async () => {
    const body = purchase({ invoiceId: 'evicted' });
    const first = await whenUsable(body, 'evicted');
    await redis.config('SET', 'maxmemory-policy', 'volatile-lru');
    await storeIs({ ok: false, detail: /volatile-lru/ });
    await evict('evicted');
    await redis.config('SET', 'maxmemory-policy', 'noeviction');
    const again = await whenUsable(body, 'evicted');
    expect([again.status, again.text]).to.eql([202, first.text]);
    const other = await api.purchase(token, purchase({ invoiceId: 'other' }), 'evicted');
    expect(other.status).to.equal(409);
  });

  it('finds out that keys were evicted although the policy is right again', async () => {
    const body = purchase({ invoiceId: 'blink' });
    const first = await whenUsable(body, 'blink');
    const sentinel = () => redis.get(completenessKey(undivided(fixture.settings.redisKeyPrefix)));
    const before = await sentinel();
    await redis.config('SET', 'maxmemory-policy', 'volatile-lru');
    await evict('blink');
    await redis.config('SET', 'maxmemory-policy', 'noeviction');
    await eventually(async () => expect(await sentinel()).not.to.be.oneOf([before, null]), rebuild);
    const again = await whenUsable(body, 'blink');
    expect([again.status, again.text]).to.eql([202, first.text]);
  });

  it('brings keys back that were evicted while nobody but a refused start looked', async () => {
    const body = purchase({ invoiceId: 'unseen' });
    const first = await whenUsable(body, 'unseen');
    await api.stop();
    await redis.config('SET', 'maxmemory-policy', 'volatile-lru');
    await evict('unseen');
    expect(await fixture.start().catch(() => 'refused')).to.equal('refused');
    // The settings file says noeviction: what was set while it ran is gone with the restart.
    await server.restart();
    api = await fixture.start();
    const again = await whenUsable(body, 'unseen');
    expect([again.status, again.text]).to.eql([202, first.text]);
  });

  it('answers 503 to keyed requests while redis is full, and recovers (noeviction)', async () => {
    const body = purchase({ invoiceId: 'full' });
    const first = await whenUsable(body, 'full');
    expect(first.status).to.equal(202);
    await redis.config('SET', 'maxmemory', '1');
    await expectKeyedRefused('new while full');
    await redis.config('SET', 'maxmemory', '0');
    const again = await whenUsable(body, 'full');
    expect([again.status, again.text]).to.eql([202, first.text]);
    expect((await whenUsable(purchase(), 'new while full')).status).to.equal(202);
  });

  async function evict(key: string): Promise<void> {
    expect(await holds(key)).to.equal(1);
    await redis.config('SET', 'maxmemory', '1');
    await eventually(async () => expect(await holds(key)).to.equal(0));
    // As if the key were minutes old: reading the log from the last check on would not find it.
    const { redisKeyPrefix } = fixture.settings;
    await redis.config('SET', 'maxmemory', '0');
    await redis.set(lastCompleteKey(undivided(redisKeyPrefix)), Date.now() + 120_000);
  }
});
