import { eventCodec } from '@tributary/contracts/event-record';
import type { KafkaConnection } from '@tributary/event-log/kafka';
import { scanTopic } from '@tributary/event-log/scan-topic';
import type { Clock } from '@tributary/runtime/clock';
import type { Composition } from '@tributary/runtime/component';
import type { Logger } from '@tributary/runtime/logger';
import type { RedisSettings } from '@tributary/runtime/variables';
import { refuseUnfitRedis } from './connect-redis.ts';
import { createFence } from './fence-earlier.ts';
import { createIdempotencyStore, type IdempotencyStore } from './idempotency-store.ts';
import { divided, undivided } from './keys.ts';
import { reserveLimitMs } from './reservation.ts';
import { serversOf } from './servers-of.ts';
import { createStoreKeeper } from './store-keeper.ts';

/** Connects the store, and starts the keeper that rebuilds it from the events topic. */
export async function startIdempotency(
  settings: {
    redis: RedisSettings;
    redisKeyPrefix: string;
    eventsTopic: string;
    appendDeadlineMs: number;
  },
  deps: Composition & { kafka: KafkaConnection; clock: Clock; logger: Logger },
): Promise<IdempotencyStore> {
  const { redisKeyPrefix: keyPrefix, eventsTopic, appendDeadlineMs } = settings;
  const { kafka, clock, logger, add, start } = deps;
  const isCluster = settings.redis.clusterNodes !== undefined;
  const space = isCluster ? divided(keyPrefix) : [undivided(keyPrefix)];
  const servers = serversOf(settings.redis, logger);
  add('connection to redis', { stop: () => servers.stop() });
  await refuseUnfitRedis(servers, space, logger);

  const keeper = createStoreKeeper({
    servers,
    space,
    // The earlier release could not be in a cluster.
    fence: isCluster ? undefined : createFence(keyPrefix, logger),
    readKeyedEvents: ({ sinceMs, signal, onEvent }) =>
      scanTopic({
        kafka,
        logger,
        topic: eventsTopic,
        codec: eventCodec,
        fromTimestampMs: sinceMs,
        signal,
        onRecord: async ({ value }) => {
          if (value !== null) await onEvent(value);
        },
      }),
    graceMs: reserveLimitMs + appendDeadlineMs + 1_000,
    clock,
    logger,
  });
  await start('redis', keeper);

  return createIdempotencyStore({
    space,
    placeOf: (part) => keeper.placeOf(part),
    onIncomplete: (part) => keeper.reportIncomplete(part),
    clock,
    logger,
  });
}
