import { segmentRollKey } from '@tributary/contracts/people-record';
import type { Appender } from '@tributary/event-log/appender';
import { keysOfPartitions } from '@tributary/event-log/partitioner';
import type { Logger } from '@tributary/runtime/logger';
import { createRepeater, type Repeater } from '@tributary/runtime/repeater';
import type { Deployment } from '../commands/deployment.ts';
import { repeatTombstones } from '../commands/erase-person.ts';

/**
 * What erasing needs in the long run, done by every portal process: the second tombstones when they
 * are due (rows, each taken by one process), and a segment-roll marker to each partition of the
 * people topic.
 *
 * Kafka compacts only segments that are closed, and closes one only when a record comes after
 * `segment.ms`. In a partition where nothing happens a tombstone would wait for ever beside what it
 * erases, hence one record a day, from the portal: it is the one who promises the erasure. A marker
 * is a tombstone under a key of nobody. Each start sends one, and so may several processes: that
 * costs some bytes, which the next compaction takes.
 */
export function createPeopleMaintenance(options: {
  deployment: Deployment;
  appender: Pick<Appender, 'append'>;
  partitionsOf: (topic: string) => Promise<number>;
  logger: Logger;
  everyMs?: number;
  markerEveryMs?: number;
}): Repeater {
  const { deployment, appender, partitionsOf, logger } = options;
  const { everyMs = 60_000, markerEveryMs = 86_400_000 } = options;
  const topic = deployment.topics.people;
  let nextMarkerMs = 0;

  async function sendMarkers(): Promise<void> {
    const keys = keysOfPartitions(topic, await partitionsOf(topic), segmentRollKey);
    await appender.append(keys.map((key) => ({ topic, key, value: null })));
  }

  return createRepeater({
    everyMs,
    work: async (stopping) => {
      while (!stopping() && (await repeatTombstones(deployment)));
      if (stopping() || performance.now() < nextMarkerMs) return;
      await sendMarkers();
      nextMarkerMs = performance.now() + markerEveryMs;
    },
    onFailure: (error) => {
      logger.warn('the people topic could not be looked after; trying again', { error });
    },
  });
}
