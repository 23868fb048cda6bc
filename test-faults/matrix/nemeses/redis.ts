import { rm } from 'node:fs/promises';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Redis } from 'ioredis';
import { aMoment, keysAreTaken, underWay } from './load.ts';
import type { Battlefield, Nemesis } from './nemesis.ts';

/** Speaks to the Redis of the system as one who may do everything. */
async function withRedis<T>(
  { stack }: Pick<Battlefield, 'stack'>,
  work: (redis: Redis) => Promise<T>,
): Promise<T> {
  const redis = new Redis(stack.servers.redis.url);
  redis.on('error', () => undefined);
  try {
    return await work(redis);
  } finally {
    redis.disconnect();
  }
}

export const flushRedis: Nemesis = {
  name: 'flush-redis',
  says: 'all idempotency keys are removed from Redis',
  async run(field) {
    await withRedis(field, async (redis) => {
      await aMoment(field);
      const before = await redis.dbsize();
      const hit = await underWay(field);
      await redis.flushall();
      field.undoing();
      if (before > 0 && hit !== undefined) field.fired(`${before} keys of Redis removed, ${hit}`);
    });
    await keysAreTaken(field);
  },
};

/** Keys that are there then are not in the copy. */
const newerMs = 4_000;
const copyOf = promisify(execFile);

export const olderRedis: Nemesis = {
  name: 'older-redis',
  says: `Redis dies, and who answers in its place lacks the keys of the last ${newerMs / 1_000} s`,
  async run(field) {
    const { redis: server } = field.stack.servers;
    const kept = join(server.dir, 'data', 'appendonlydir');
    const older = join(server.dir, 'older');
    await aMoment(field);
    // What was being written is cut off in the copy, and left out when it is read.
    await copyOf('cp', ['-a', kept, older]);
    await delay(newerMs);
    const before = await withRedis(field, (redis) => redis.keys('*'));
    const hit = await underWay(field);
    field.doing();
    await server.kill();
    await rm(kept, { recursive: true });
    await copyOf('mv', [older, kept]);
    field.undoing();
    await server.restart();
    const after = new Set(await withRedis(field, (redis) => redis.keys('*')));
    const lost = before.filter((key) => !after.has(key)).length;
    if (lost > 0 && after.size > 0 && hit !== undefined) {
      field.fired(`Redis came back without ${lost} of its ${before.length} keys, ${hit}`);
    }
    await keysAreTaken(field);
  },
};

export const evictingRedis: Nemesis = {
  name: 'evicting-redis',
  says: 'Redis is set to evict keys, and has no memory for any',
  async run(field) {
    await withRedis(field, async (redis) => {
      await aMoment(field);
      const hit = await underWay(field);
      field.doing();
      await redis.config('SET', 'maxmemory-policy', 'volatile-lru');
      await redis.config('SET', 'maxmemory', '1');
      await delay(field.windowMs);
      const evicted = Number(/evicted_keys:(\d+)/.exec(await redis.info('stats'))?.[1] ?? 0);
      field.undoing();
      await redis.config('SET', 'maxmemory', '0');
      await redis.config('SET', 'maxmemory-policy', 'noeviction');
      if (evicted > 0 && hit !== undefined) field.fired(`${evicted} keys were evicted, ${hit}`);
    });
    await keysAreTaken(field);
  },
};
