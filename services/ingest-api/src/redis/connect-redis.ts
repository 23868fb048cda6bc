import type { Logger } from '@tributary/runtime/logger';
import type { RedisAddress } from '@tributary/runtime/variables';
import { Redis } from 'ioredis';
import { completenessKey, type KeySpace, lastCompleteKey } from './keys.ts';
import type { RedisServers } from './redis-servers.ts';

/**
 * A connection that never hangs and never hides: a command on a broken connection fails at once,
 * one without an answer fails after a second, and nothing is queued or sent again behind the
 * caller's back. Reconnecting goes on for ever.
 */
export function connectRedis(
  settings: RedisAddress,
  logger: Logger,
  { name, meanwhile }: { name: string; meanwhile: string } = theOnlyOne,
): Redis {
  const redis = new Redis(settings.url, {
    lazyConnect: true,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    commandTimeout: redisCommandTimeoutMs,
    connectTimeout: 3_000,
    // A peer that vanished without a FIN is noticed by silence: the keeper asks every second.
    socketTimeout: 5_000,
    keepAlive: 5_000,
    retryStrategy: (attempts) => Math.min(50 * attempts, 1_000),
    ...(settings.tlsCa === undefined ? {} : { tls: { ca: settings.tlsCa } }),
  });
  let lost = false;
  redis.on('error', (error: Error) => {
    const refusal = refusalBy(redis, error);
    if (!lost && refusal) logger.error(`${refusal}; trying again, ${meanwhile}`, { server: name });
    else if (!lost) logger.warn(`${name} does not answer; ${meanwhile}`, { error });
    lost = true;
  });
  redis.on('ready', () => {
    if (lost) logger.info(`${name} answers again`);
    lost = false;
  });
  return redis;
}

const theOnlyOne = { name: 'redis', meanwhile: 'keyed requests are refused' };

/** Who is refused, in the server's words: a missing right, or a wrong password. */
function refusalBy(redis: Redis, error: unknown): string | undefined {
  if (!(error instanceof Error) || !/^(NOPERM|WRONGPASS|NOAUTH)/.test(error.message)) {
    return undefined;
  }
  return `redis refuses ${redis.options.username ?? 'the user default'}: ${error.message}`;
}

export const redisCommandTimeoutMs = 1_000;

/** What INFO says about the server that a store of reservations depends on. */
export type RedisFacts = {
  /**
   * Another one after every start of the server, and after an eviction: whoever changes the policy
   * and changes it back at once leaves no other trace.
   */
  runId: string;
  /** The history that its data continue; another one whenever it takes over from another server. */
  replicationId: string;
  /** Then any key may be missing, not only those of the last moments before a restart. */
  hasEvicted: boolean;
  /** Settings that could lose a reservation, each as a sentence; empty when the server is fit. */
  mistakes: string[];
};

export async function readRedisFacts(redis: Redis): Promise<RedisFacts> {
  const text = await redis.info().catch((error: unknown) => {
    const refusal = refusalBy(redis, error);
    throw refusal === undefined ? error : new Error(refusal, { cause: error });
  });
  const info = new Map(
    text.split(/\r?\n/).map((line) => line.split(':', 2) as [string, string | undefined]),
  );
  const mistakes: string[] = [];
  if (info.get('maxmemory_policy') !== 'noeviction') {
    mistakes.push(
      `maxmemory-policy is ${info.get('maxmemory_policy')}, must be noeviction: an evicted key would let a repeated request create a second event`,
    );
  }
  if (info.get('aof_enabled') !== '1') {
    mistakes.push('appendonly is no, must be yes: a restart would forget reserved keys');
  }
  const runId = info.get('run_id') ?? '';
  if (runId === '') mistakes.push('INFO shows no run_id, which tells a restart: allow INFO server');
  const evictions = info.get('evicted_keys') ?? '0';
  return {
    runId: `${runId}/${evictions}`,
    replicationId: info.get('master_replid') ?? '',
    hasEvicted: evictions !== '0',
    mistakes,
  };
}

/** The next check finds it not complete, and no time when it was: all its keys are rebuilt. */
export async function forgetCompleteness(redis: Redis, part: string): Promise<void> {
  await redis.del(completenessKey(part), lastCompleteKey(part));
}

/**
 * At start: a server that answers and is not fit ends the start with a clear error. One that does
 * not answer only delays keyed requests; the keeper evaluates it when it comes.
 */
export async function refuseUnfitRedis(
  servers: RedisServers,
  space: KeySpace,
  logger: Logger,
): Promise<void> {
  const serving = await servers.find();
  await Promise.all(
    serving.map(async ({ redis, parts }) => {
      const facts = await whenReady(redis)
        .then(() => readRedisFacts(redis))
        .catch((error: unknown) => {
          logger.warn('redis does not answer at start; keyed requests are refused until it does', {
            error,
          });
          return undefined;
        });
      if (facts === undefined || facts.mistakes.length === 0) return;
      // By the time somebody has mended it, keys may be gone and every trace of that too.
      const forgotten = parts.map((part) => forgetCompleteness(redis, space[part]!));
      await Promise.all(forgotten).catch(() => undefined);
      throw new Error(`redis is not fit for idempotency keys: ${facts.mistakes.join('; ')}`);
    }),
  );
}

/** Connects unless somebody has begun to; rejects when the first attempt fails. */
function whenReady(redis: Redis): Promise<void> {
  if (redis.status === 'ready') return Promise.resolve();
  if (redis.status === 'wait') return redis.connect();
  return new Promise((resolve, reject) => {
    redis.once('ready', resolve);
    redis.once('close', () => reject(new Error('Connection is closed.')));
  });
}
