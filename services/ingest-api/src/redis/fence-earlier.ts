import type { Logger } from '@tributary/runtime/logger';
import type { Redis } from 'ioredis';
import {
  completenessKey,
  earlierKeys,
  lastCompleteKey,
  rebuildLockKey,
  undivided,
} from './keys.ts';
import { redisScripts } from './scripts.ts';

/**
 * Keeps processes of the earlier release from reserving. Gives null when they are kept from it
 * already, else the type of what they had instead, which is a string when they could reserve.
 *
 * They would not see what this release reserves, nor this one what they do. They are looked at
 * again at each check: a flush, or an older backup, lets them reserve again. What they have
 * reserved is on the log once a rebuild has waited for it; so the store is not complete without
 * one.
 */
export type FenceEarlier = (redis: Redis) => Promise<string | null>;

export function createFence(keyPrefix: string, logger: Logger): FenceEarlier {
  const part = undivided(keyPrefix);
  const earlier = earlierKeys(keyPrefix);
  const keys = [
    ...[earlier.complete, earlier.rebuildLock],
    ...[completenessKey(part), lastCompleteKey(part), rebuildLockKey(part)],
  ];
  return async (redis) => {
    const found = (await redis.eval(redisScripts.fenceEarlier, keys.length, ...keys)) as
      string | null;
    if (found === 'string') {
      logger.warn('an earlier release of ingest-api takes no keyed requests any more: replace it');
    }
    return found;
  };
}
