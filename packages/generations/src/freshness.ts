import type { KafkaConnection } from '@tributary/event-log/kafka';
import { unreadRecords } from '@tributary/event-log/consumer-state';
import { readPositions } from '@tributary/event-log/position';
import { createWatermarkReader, type Watermarks } from '@tributary/event-log/watermarks';
import type { Logger } from '@tributary/runtime/logger';
import { createRepeater } from '@tributary/runtime/repeater';
import type pg from 'pg';

/**
 * How far the read model is behind the log. `asOf` is a promise to whoever reads an answer:
 * everything that was on the log at that time is in it.
 *
 * A look marks the ends of all partitions; once the positions (of all processes of the group) have
 * reached the mark, its time is the new `asOf`, and the next look makes the next mark.
 */
export type Freshness = {
  /** Undefined until the read model has reached what was there when this process started. */
  asOf(): Date | undefined;
  /** Records on the log and not yet in the read model, at the last look. */
  behind(): number;
  start(): void;
  stop(): Promise<void>;
};

export function createFreshness(options: {
  kafka: KafkaConnection;
  pool: pg.Pool;
  logger: Logger;
  projection: string;
  topics: readonly string[];
  everyMs?: number;
}): Freshness {
  const { kafka, pool, logger, projection, topics, everyMs = 2_000 } = options;
  let asOf: Date | undefined;
  let behind = 0;
  const watermarks = createWatermarkReader(kafka);
  let mark: { at: Date; ends: Watermarks } | undefined;

  async function look(): Promise<void> {
    const at = new Date();
    // The ends first: what is read after them can only be nearer.
    const ends = await watermarks.read(topics);
    const positions = await readPositions(pool, projection);
    behind = unreadRecords(ends, positions);
    const newest = { at, ends };
    mark ??= newest;
    if (behind === 0) [asOf, mark] = [at, undefined];
    else if (unreadRecords(mark.ends, positions) === 0) [asOf, mark] = [mark.at, newest];
  }

  const repeater = createRepeater({
    everyMs,
    work: async () => {
      try {
        await look();
      } catch (error) {
        // Readiness has checks of its own for what failed; `asOf` just stays where it is.
        logger.debug('cannot see how far the read model is', { error });
      }
    },
  });
  return {
    asOf: () => asOf,
    behind: () => behind,
    start: () => repeater.start(),
    async stop() {
      await repeater.stop();
      await watermarks.close();
    },
  };
}
