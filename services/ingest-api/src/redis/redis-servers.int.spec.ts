import { systemClock } from '@tributary/runtime/clock';
import { createLogger } from '@tributary/runtime/logger';
import type { RedisSettings } from '@tributary/runtime/variables';
import { eventually } from '@tributary/testkit/eventually';
import {
  type RedisCluster,
  type RedisWithSentinels,
  startRedisCluster,
  startRedisWithSentinels,
} from '@tributary/testkit/redis-groups';
import { expect } from 'chai';
import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { refuseUnfitRedis } from './connect-redis.ts';
import { createIdempotencyStore } from './idempotency-store.ts';
import { clusterSlots, divided } from './keys.ts';
import { shortFingerprint } from './reservation.ts';
import type { RedisServers } from './redis-servers.ts';
import { serversOf } from './servers-of.ts';
import { createStoreKeeper } from './store-keeper.ts';

const logger = createLogger({ service: 'test', level: 'silent' });

describe('which server has which idempotency keys', function () {
  this.timeout(120_000);

  describe('in a cluster, with TLS and a password', () => {
    let cluster: RedisCluster;
    let clients: Redis[];
    let settings: RedisSettings;
    let servers: RedisServers | undefined;

    before(async () => {
      cluster = await startRedisCluster({ replicas: false, secured: true });
      const tlsCa = cluster.authority!;
      clients = cluster.masters.map(({ address }) => new Redis(address, { tls: { ca: tlsCa } }));
      settings = {
        url: cluster.masters[0]!.address,
        tlsCa,
        clusterNodes: cluster.masters.map(({ hostAndPort }) => hostAndPort),
      };
    });

    afterEach(() => servers?.stop());

    after(async () => {
      for (const client of clients ?? []) client.disconnect();
      await cluster?.stop();
    });

    it('has as many parts on each of three masters, and knows their slots', async () => {
      const asked = (servers = serversOf(settings, logger));
      // A witness that is slow to connect is not waited for.
      await eventually(async () => {
        const serving = await asked.find();
        expect(serving.map(({ parts }) => parts.length)).to.eql([4, 4, 4]);
      });
      for (const { tag, slot } of clusterSlots) {
        expect(await clients[0]!.call('CLUSTER', 'KEYSLOT', `x{${tag}}y`)).to.equal(slot);
      }
    });

    it('refuses to start with one that is not fit', async () => {
      const asked = (servers = serversOf(settings, logger));
      await eventually(async () => {
        const statuses = (await asked.find()).map(({ redis }) => redis.status);
        expect(statuses).to.eql(['ready', 'ready', 'ready']);
      });
      await clients[2]!.config('SET', 'maxmemory-policy', 'allkeys-lru');
      const refused = await refuseUnfitRedis(servers, divided('unfit:'), logger).then(
        () => 'started',
        (error: Error) => error.message,
      );
      await clients[2]!.config('SET', 'maxmemory-policy', 'noeviction');
      expect(refused).to.match(/not fit.*must be noeviction/);
    });

    it('does not take what one of three witnesses says', async () => {
      const [only] = settings.clusterNodes!;
      const clusterNodes = [only!, '127.0.0.1:1', '127.0.0.1:2'];
      servers = serversOf({ ...settings, clusterNodes }, logger);
      expect(await servers.find()).to.eql([]);
    });

    it('takes at most 250 bytes for a key, however long it is', async () => {
      servers = serversOf(settings, logger);
      const space = divided('tributary:');
      const keeper = createStoreKeeper({
        servers,
        space,
        fence: undefined,
        readKeyedEvents: () => Promise.resolve(),
        graceMs: 50,
        clock: systemClock,
        logger,
      });
      keeper.start();
      const store = createIdempotencyStore({
        space,
        placeOf: (part) => keeper.placeOf(part),
        onIncomplete: (part) => keeper.reportIncomplete(part),
        clock: systemClock,
        logger,
      });
      await eventually(() => expect(keeper.health()).to.eql({ ok: true }));
      const usedBytes = async () => {
        const texts = await Promise.all(clients.map((client) => client.info('memory')));
        return texts.reduce((sum, text) => sum + Number(/used_memory:(\d+)/.exec(text)![1]), 0);
      };
      const count = 20_000;
      const before = await usedBytes();
      for (let from = 0; from < count; from += 400) {
        const answers = await Promise.all(
          Array.from({ length: 400 }, async (_, i) => {
            const idempotencyKey = `${from + i}`.padEnd(255, 'k');
            const scope = { tenantId: 't', eventType: 'purchase-created' as const, idempotencyKey };
            const ours = {
              fingerprint: shortFingerprint('f'.repeat(43)),
              eventId: randomUUID(),
              receivedAt: new Date().toISOString(),
              warnings: [],
              state: 'pending' as const,
            };
            const { outcome } = await store.reserve(scope, ours);
            await store.complete(scope, ours);
            return outcome;
          }),
        );
        expect(new Set(answers)).to.eql(new Set(['reserved']));
      }
      const usedAfter = await usedBytes();
      await keeper.stop();
      expect(usedAfter - before).to.be.below(count * 250);
    });
  });

  describe('behind sentinels, with TLS and passwords', () => {
    let group: RedisWithSentinels;
    let servers: RedisServers | undefined;

    before(async () => {
      group = await startRedisWithSentinels({ secured: true });
    });

    after(async () => {
      servers?.stop();
      await group?.stop();
    });

    it('is the master that most of them name, by the password of the URL', async () => {
      const url = new URL(group.servers[0].address);
      url.port = '';
      url.hostname = group.masterName;
      const asked = (servers = serversOf(
        {
          url: url.href,
          tlsCa: group.authority!,
          sentinels: {
            urls: group.sentinels.map(({ address }) => address),
            master: group.masterName,
          },
        },
        logger,
      ));
      const { redis } = await eventually(async () => {
        const [serving] = await asked.find();
        expect(serving?.redis.status).to.equal('ready');
        return serving!;
      });
      expect(await redis.role()).to.include('master');
      expect(`${redis.options.host}:${redis.options.port}`).to.equal(group.servers[0].hostAndPort);
    });
  });
});
