import { eventCodec } from '@tributary/contracts/event-record';
import type { KafkaConnection } from '@tributary/event-log/kafka';
import { scanTopic } from '@tributary/event-log/scan-topic';
import type { Clock } from '@tributary/runtime/clock';
import type { OnStop } from '@tributary/runtime/lifecycle';
import type { Logger } from '@tributary/runtime/logger';
import type { RedisSettings } from '@tributary/runtime/variables';
import { reserveLimitMs } from '../../accept-event.ts';
import { connectRedis, refuseUnfitRedis } from './connect-redis.ts';
import { createIdempotencyStore, type IdempotencyStore } from './idempotency-store.ts';
import { createStoreKeeper, type StoreKeeper } from './store-keeper.ts';

/** Connects the store and the keeper that rebuilds it from the events topic. */
export async function startIdempotency(
  settings: {
    redis: RedisSettings;
    redisKeyPrefix: string;
    eventsTopic: string;
    appendDeadlineMs: number;
  },
  deps: { kafka: KafkaConnection; clock: Clock; logger: Logger; onStop: OnStop },
): Promise<{ store: IdempotencyStore; keeper: StoreKeeper }> {
  const { redisKeyPrefix: keyPrefix, eventsTopic, appendDeadlineMs } = settings;
  const { kafka, clock, logger, onStop } = deps;
  const redis = connectRedis(settings.redis, logger);
  onStop('redis', () => redis.disconnect());
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
  keeper.start();
  onStop('idempotency store', () => keeper.stop());

  const store = createIdempotencyStore({
    redis,
    keyPrefix,
    runId: () => keeper.runId(),
    onIncomplete: () => keeper.reportIncomplete(),
    clock,
    logger,
  });
  return { store, keeper };
}
