import { eventCodec } from '@tributary/contracts/event-record';
import type { KafkaConnection } from '@tributary/event-log/kafka';
import { scanTopic } from '@tributary/event-log/scan-topic';
import type { Clock } from '@tributary/runtime/clock';
import type { Composition } from '@tributary/runtime/component';
import type { Logger } from '@tributary/runtime/logger';
import type { RedisSettings } from '@tributary/runtime/variables';
import { connectRedis, refuseUnfitRedis } from './connect-redis.ts';
import { createIdempotencyStore, type IdempotencyStore } from './idempotency-store.ts';
import { reserveLimitMs } from './reservation.ts';
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
  const redis = connectRedis(settings.redis, logger);
  add('connection to redis', { stop: () => redis.disconnect() });
  await refuseUnfitRedis(redis, keyPrefix, logger);

  const keeper = createStoreKeeper({
    redis,
    keyPrefix,
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
    redis,
    keyPrefix,
    runId: () => keeper.runId(),
    onIncomplete: () => keeper.reportIncomplete(),
    clock,
    logger,
  });
}
