import { createHash } from 'node:crypto';
import { type EventRecord, eventSchemaVersion } from '@tributary/contracts/event-record';
import { systemClock } from '@tributary/runtime/clock';
import { createLogger } from '@tributary/runtime/logger';
import { eventually } from '@tributary/testkit/eventually';
import { startOwned } from '@tributary/testkit/owned-servers';
import { uniquePrefix } from '@tributary/testkit/topics';
import { expect } from 'chai';
import type { Redis } from 'ioredis';
import { connectRedis, refuseUnfitRedis } from './connect-redis.ts';
import { createIdempotencyStore } from './idempotency-store.ts';
import {
  completenessKey,
  earlierKeys,
  lastCompleteKey,
  rebuildLockKey,
  reservationKey,
  undivided,
} from './keys.ts';
import { createFence } from './fence-earlier.ts';
import { oneServer } from './redis-servers.ts';
import { type Reservation, shortFingerprint } from './reservation.ts';
import type { ReadKeyedEvents } from './restore-reservations.ts';
import { createStoreKeeper, type StoreKeeper } from './store-keeper.ts';

const logger = createLogger({ service: 'test', level: 'silent' });
const scope = { tenantId: 't', eventType: 'purchase-created' as const, idempotencyKey: 'k' };

describe('idempotency store and its keeper (design 5, step 5)', () => {
  let server: Awaited<ReturnType<typeof startOwned>>;
  let redis: Redis;
  const keepers: StoreKeeper[] = [];

  before(async () => {
    server = await startOwned('redis');
    redis = connectRedis({ url: server.address }, logger);
    await redis.connect();
  });

  afterEach(() => Promise.all(keepers.splice(0).map((keeper) => keeper.stop())));

  after(async () => {
    redis?.disconnect();
    await server?.stop();
  });

  /** A keeper and store over a log that holds `events`. */
  function open(
    events: EventRecord[],
    keyPrefix = uniquePrefix(),
    onRead?: () => Promise<void>,
    graceMs = 50,
  ) {
    const reads: number[] = [];
    const readKeyedEvents: ReadKeyedEvents = async ({ sinceMs, onEvent }) => {
      reads.push(sinceMs);
      for (const event of events) await onEvent(event);
      await onRead?.();
    };
    const space = [undivided(keyPrefix)];
    const keeper = createStoreKeeper({
      servers: oneServer(redis),
      space,
      fence: createFence(keyPrefix, logger),
      readKeyedEvents,
      graceMs,
      clock: systemClock,
      logger,
    });
    keepers.push(keeper);
    keeper.start();
    const store = createIdempotencyStore({
      space,
      placeOf: (part) => keeper.placeOf(part),
      onIncomplete: (part) => keeper.reportIncomplete(part),
      clock: systemClock,
      logger,
    });
    const complete = () => eventually(() => expect(keeper.health()).to.eql({ ok: true }));
    return { keeper, store, reads, keyPrefix, complete };
  }

  it('is complete at once when the log is empty', async () => {
    const { store, complete, reads } = open([]);
    await complete();
    expect(reads).to.have.length(1);
    expect(await store.reserve(scope, reservation('e1'))).to.eql({ outcome: 'reserved' });
    expect(await store.reserve(scope, reservation('e2'))).to.eql({
      outcome: 'held',
      by: reservation('e1'),
    });
  });

  it('marks done by compare-and-set, and puts a key back that a flush took', async () => {
    const { store, complete } = open([]);
    await complete();
    await store.reserve(scope, reservation('e1'));
    await store.complete(scope, reservation('another'));
    expect(await store.reserve(scope, reservation('e2'))).to.eql({
      outcome: 'held',
      by: reservation('e1'),
    });
    const lost = { ...scope, idempotencyKey: 'lost' };
    await Promise.all([
      store.complete(scope, reservation('e1')),
      store.complete(lost, reservation('e3')),
    ]);
    expect(await store.reserve(scope, reservation('e2'))).to.eql({
      outcome: 'held',
      by: reservation('e1', 'done'),
    });
    expect(await store.reserve(lost, reservation('e2'))).to.eql({
      outcome: 'held',
      by: reservation('e3', 'done'),
    });
  });

  it('keeps a key for 72 hours from its receipt, whether done or put back', async () => {
    const { store, complete, keyPrefix } = open([]);
    await complete();
    const windowMs = 72 * 3_600_000;
    const hourOld = {
      ...reservation('e1'),
      receivedAt: new Date(Date.now() - 3_600_000).toISOString(),
    };
    const gone = { ...scope, idempotencyKey: 'gone' };
    const old = { ...scope, idempotencyKey: 'old' };
    await store.reserve(scope, reservation('e1'));
    await store.complete(scope, reservation('e1'));
    await store.complete(gone, hourOld);
    const tooOld = { ...hourOld, receivedAt: new Date(Date.now() - windowMs).toISOString() };
    await store.complete(old, tooOld);
    const lifetime = (of: typeof scope) =>
      redis.pttl(reservationKey([undivided(keyPrefix)], of).key);
    expect(await lifetime(scope)).to.be.within(windowMs - 60_000, windowMs);
    expect(await lifetime(gone)).to.be.within(windowMs - 3_660_000, windowMs - 3_600_000);
    expect(await redis.exists(reservationKey([undivided(keyPrefix)], old).key)).to.equal(0);
  });

  it('refuses to reserve without the sentinel, and restores from the log', async () => {
    const { store, complete, keyPrefix, reads } = open([event('e1')]);
    await complete();
    await redis.del(completenessKey(undivided(keyPrefix)));
    const refused = await store.reserve({ ...scope, idempotencyKey: 'new' }, reservation('x'));
    expect(refused).to.include({ outcome: 'unavailable' });
    await complete();
    expect(reads.length).to.be.at.least(4);
    // A late completion finds nothing pending.
    await store.complete(scope, reservation('e1'));
    expect(await store.reserve(scope, reservation('e2'))).to.eql({
      outcome: 'held',
      by: reservation('e1', 'done'),
    });
  });

  it('lets one of two replicas rebuild', async () => {
    const keyPrefix = uniquePrefix();
    const slow = () => new Promise<void>((resolve) => setTimeout(resolve, 300));
    const one = open([event('e1')], keyPrefix, slow);
    const two = open([event('e1')], keyPrefix, slow);
    await Promise.all([one.complete(), two.complete()]);
    // A rebuild that found events reads twice.
    expect(one.reads.length + two.reads.length).to.equal(2);
  });

  it('begins again when a flush comes in the middle', async () => {
    const keyPrefix = uniquePrefix();
    let flushes = 0;
    const { complete, reads, store } = open([event('e1')], keyPrefix, async () => {
      if (flushes++ === 0) await redis.flushall();
    });
    await complete();
    expect(reads.length).to.be.at.least(3);
    expect((await store.reserve(scope, reservation('e2'))).outcome).to.equal('held');
  });

  it('reads only what came since it was last complete when the server was restarted', async () => {
    const keyPrefix = uniquePrefix();
    const lastCompleteMs = Date.now() - 600_000;
    await redis.rpush(earlierKeys(keyPrefix).complete, 'as it was left');
    await redis.set(completenessKey(undivided(keyPrefix)), 'another-run-id:token');
    await redis.set(lastCompleteKey(undivided(keyPrefix)), lastCompleteMs);
    const { complete, reads } = open([event('e1')], keyPrefix);
    await complete();
    expect(reads[0]).to.equal(lastCompleteMs - 60_000);
  });

  it('waits for what was under way at a flush before it is complete again', async () => {
    const events: EventRecord[] = [];
    const readAt: number[] = [];
    let flushedAt = Infinity;
    const onRead = () => {
      readAt.push(performance.now());
      // The append of the request that reserved the key ends only now, after the first reading.
      if (performance.now() >= flushedAt && events.length === 0) events.push(event('e1'));
      return Promise.resolve();
    };
    const { store, complete, keyPrefix, reads } = open(events, uniquePrefix(), onRead, graceMs);
    await complete();
    await store.reserve(scope, reservation('e1'));
    const readsBefore = reads.length;
    flushedAt = performance.now();
    await redis.del(
      completenessKey(undivided(keyPrefix)),
      reservationKey([undivided(keyPrefix)], scope).key,
    );
    await eventually(() => expect(reads.length).to.be.at.least(readsBefore + 2));
    await complete();
    expect(readAt[readsBefore + 1]! - flushedAt).to.be.above(graceMs - timerMs);
    expect(await store.reserve(scope, reservation('e2'))).to.eql({
      outcome: 'held',
      by: reservation('e1', 'done'),
    });
  });

  it('reads all 72 hours again after an eviction, however short it was', async () => {
    const keyPrefix = uniquePrefix();
    try {
      await evictOne();
      const { run_id: runId } = await info('server');
      const token = 'token';
      // As a keeper left it just before: the server is the same, and no check failed.
      await redis.set(completenessKey(undivided(keyPrefix)), `${runId}/0:${token}`);
      await redis.set(lastCompleteKey(undivided(keyPrefix)), Date.now());
      const { complete, reads } = open([event('e1')], keyPrefix);
      await complete();
      expect(reads[0]).to.be.below(Date.now() - 72 * 3_600_000);
    } finally {
      await redis.config('RESETSTAT');
    }
  });

  it('trusts neither sentinel nor time of a store that could have evicted', async () => {
    const { keeper, complete, reads } = open([event('e1')]);
    await complete();
    await redis.config('SET', 'maxmemory-policy', 'allkeys-lru');
    await eventually(() => expect(keeper.health().detail).to.match(/allkeys-lru/));
    await redis.config('SET', 'maxmemory-policy', 'noeviction');
    const readsBefore = reads.length;
    await complete();
    expect(reads[readsBefore]).to.be.below(Date.now() - 72 * 3_600_000);
  });

  it('shares its sentinel with replicas that know the bare run id only', async () => {
    const { complete, keyPrefix } = open([]);
    await complete();
    const { run_id: runId } = await info('server');
    const sentinel = await redis.get(completenessKey(undivided(keyPrefix)));
    expect(sentinel?.startsWith(runId!)).to.equal(true);
  });

  it('asks no more often than it must while another replica rebuilds', async () => {
    const keyPrefix = uniquePrefix();
    await redis.set(rebuildLockKey(undivided(keyPrefix)), 'another', 'PX', 2_500);
    const { store, complete } = open([], keyPrefix);
    const before = Number((await info('commandstats'))['cmdstat_info']?.match(/calls=(\d+)/)?.[1]);
    for (let i = 0; i < 200; i++) await store.reserve(scope, reservation('e1'));
    const after = Number((await info('commandstats'))['cmdstat_info']?.match(/calls=(\d+)/)?.[1]);
    expect(after - before).to.be.below(20);
    await complete();
  });

  it('keeps the earlier of two events of one key when it is restored', async () => {
    const later = new Date(Date.parse(receivedAt) + 5).toISOString();
    const { complete, store } = open([
      { ...event('first'), receivedAt: later },
      event('second'),
      { ...event('third'), receivedAt: later },
    ]);
    await complete();
    expect(await store.reserve(scope, reservation('x'))).to.eql({
      outcome: 'held',
      by: reservation('second', 'done'),
    });
  });

  it('takes at most 250 bytes of redis for a key, however long it is', async () => {
    const { store, complete } = open([]);
    await complete();
    const usedBytes = async () => Number((await info('memory'))['used_memory']);
    const count = 20_000;
    const before = await usedBytes();
    for (let from = 0; from < count; from += 200) {
      await Promise.all(
        Array.from({ length: 200 }, async (_, i) => {
          const of = { ...scope, idempotencyKey: `${from + i}`.padEnd(255, 'k') };
          const ours = reservation(`e${from + i}`);
          await store.reserve(of, ours);
          await store.complete(of, ours);
        }),
      );
    }
    expect((await usedBytes()) - before).to.be.below(count * 250);
  });

  describe('beside processes of the earlier release', () => {
    it('takes the store from them, waits for what they have reserved, and reads all of it', async () => {
      const keyPrefix = uniquePrefix();
      const earlier = earlierKeys(keyPrefix);
      const { run_id: runId } = await info('server');
      await redis.set(earlier.complete, `${runId}/0:token`);
      await redis.set(earlier.rebuildLock, 'theirs');
      // As one left that was given back to the earlier release in between.
      await redis.set(completenessKey(undivided(keyPrefix)), `${runId}/0:older`);
      await redis.set(lastCompleteKey(undivided(keyPrefix)), Date.now());
      const events: EventRecord[] = [];
      const readAt: number[] = [];
      const openedAt = performance.now();
      const onRead = () => {
        readAt.push(performance.now());
        // It was reserved by them, and its append ends only now.
        if (events.length === 0) events.push(event('e1'));
        return Promise.resolve();
      };
      const { store, complete, reads } = open(events, keyPrefix, onRead, graceMs);
      await complete();
      expect(readAt[1]! - openedAt).to.be.above(graceMs - timerMs);
      expect(reads[0]).to.be.below(Date.now() - 72 * 3_600_000);
      expect(await store.reserve(scope, reservation('e2'))).to.eql({
        outcome: 'held',
        by: reservation('e1', 'done'),
      });
      // They look for a text there, and cannot end a rebuild without their lock.
      expect(await redis.type(earlier.complete)).to.equal('list');
      expect(await redis.exists(earlier.rebuildLock)).to.equal(0);
    });

    it('notices within a check that one of them has found its keys again', async () => {
      const keyPrefix = uniquePrefix();
      const wasComplete: boolean[] = [];
      const onRead = () => {
        if (reads.length > readsBefore) wasComplete.push(keeper.health().ok);
        return Promise.resolve();
      };
      let readsBefore = Infinity;
      const { keeper, reads, complete } = open([event('e1')], keyPrefix, onRead);
      await complete();
      readsBefore = reads.length;
      // A flush, or an older backup: theirs is there, and so is ours.
      const earlier = earlierKeys(keyPrefix);
      await redis.multi().del(earlier.complete).set(earlier.complete, 'theirs').exec();
      await eventually(() => expect(reads.length).to.be.above(readsBefore));
      await complete();
      expect(wasComplete.at(-1)).to.equal(false);
      expect(await redis.type(earlier.complete)).to.equal('list');
    });

    it('does not end a rebuild of its own while one of them has ended theirs', async () => {
      const keyPrefix = uniquePrefix();
      let rebuilds = 0;
      const { complete, reads } = open([event('e1')], keyPrefix, async () => {
        if (rebuilds++ > 0) return;
        const { complete: theirs } = earlierKeys(keyPrefix);
        await redis.multi().del(theirs).set(theirs, 'theirs').exec();
      });
      await complete();
      // Each rebuild that found events reads twice.
      expect(reads.length).to.equal(4);
    });

    it('takes their lock whenever it looks', async () => {
      const { complete, keyPrefix } = open([]);
      await complete();
      const { rebuildLock } = earlierKeys(keyPrefix);
      await redis.set(rebuildLock, 'theirs');
      await eventually(async () => expect(await redis.exists(rebuildLock)).to.equal(0));
    });

    it('reads nothing again at the next start', async () => {
      const one = open([event('e1')]);
      await one.complete();
      const two = open([event('e1')], one.keyPrefix);
      await two.complete();
      expect(two.reads).to.eql([]);
    });
  });

  async function info(section: string): Promise<Record<string, string>> {
    const lines = (await redis.info(section)).split('\r\n').map((line) => line.split(':', 2));
    return Object.fromEntries(lines) as Record<string, string>;
  }

  async function evictOne(): Promise<void> {
    await redis.set('to-be-evicted', 'x', 'PX', 60_000);
    await redis.config('SET', 'maxmemory-policy', 'volatile-lru');
    await redis.config('SET', 'maxmemory', '1');
    await eventually(async () => expect(await redis.exists('to-be-evicted')).to.equal(0));
    await redis.config('SET', 'maxmemory', '0');
    await redis.config('SET', 'maxmemory-policy', 'noeviction');
  }

  it('refuses a server that may evict keys or forgets them at a restart', async () => {
    await redis.config('SET', 'maxmemory-policy', 'allkeys-lru');
    const other = connectRedis({ url: server.address }, logger);
    try {
      await refuseUnfitRedis(oneServer(other), [undivided(uniquePrefix())], logger);
      expect.fail('an unfit server was taken');
    } catch (error) {
      expect((error as Error).message).to.contain('must be noeviction');
    } finally {
      other.disconnect();
      await redis.config('SET', 'maxmemory-policy', 'noeviction');
    }
  });

  it('starts without a server and finds it when it comes', async () => {
    await server.kill();
    const late = connectRedis({ url: server.address }, logger);
    try {
      await refuseUnfitRedis(oneServer(late), [undivided(uniquePrefix())], logger);
      await server.restart();
      await eventually(() => expect(late.status).to.equal('ready'));
    } finally {
      late.disconnect();
    }
    await eventually(() => expect(redis.status).to.equal('ready'));
  });

  it('neither hangs nor queues while the server is paused', async () => {
    const { store, complete } = open([]);
    await complete();
    await server.pause();
    const started = performance.now();
    const outcome = await store.reserve(scope, reservation('e1'));
    const tookMs = performance.now() - started;
    await server.resume();
    expect(outcome).to.include({ outcome: 'unavailable' });
    expect(tookMs).to.be.below(3_000);
  });
});

const graceMs = 1_500;
/** A timer may end that much early. */
const timerMs = 10;

const receivedAt = new Date().toISOString();

function reservation(name: string, state: Reservation['state'] = 'pending'): Reservation {
  const fingerprint = shortFingerprint(digest);
  return { fingerprint, eventId: idOf(name), receivedAt, warnings: [], state };
}

const digest = 'f'.repeat(43);

/** The same id for the same name. */
function idOf(name: string): string {
  return createHash('sha256')
    .update(name)
    .digest('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, '$1-$2-$3-$4-$5');
}

function event(name: string): EventRecord {
  return {
    schemaVersion: eventSchemaVersion,
    eventId: idOf(name),
    tenantId: 't',
    source: 'v2',
    receivedAt,
    occurredAt: receivedAt,
    occurredAtSeconds: '0',
    ucc: 'c',
    newUser: { id: 'u' },
    eventType: 'purchase-created',
    purchase: { invoiceId: 'i', currency: 'EUR', amount: 1 },
    idempotency: { key: 'k', fingerprint: digest },
  };
}
