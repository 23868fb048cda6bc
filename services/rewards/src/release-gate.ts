import type { KafkaConnection } from '@tributary/event-log/kafka';
import { readPositions } from '@tributary/event-log/position';
import { readWatermarks } from '@tributary/event-log/watermarks';
import type pg from 'pg';
import { readCaughtUpOnce, recordCaughtUpOnce } from './adapters/postgres/issuances.ts';

/**
 * Holds releases back until this generation knows what was granted. Its tables may have been
 * dropped, or restored from an older backup; the log has the issuances they do not know of (design
 * 4, promise 10). So at every start the issuances that the log then had are read first. Decisions
 * are waited for only once in the life of a generation: while they are first read, a later version
 * may withdraw what an earlier one gave, and paying in between would be wrong.
 *
 * The ends are looked up once, not on every question: under steady load the log always has an end
 * that was not read yet.
 */
export function createReleaseGate(options: {
  kafka: KafkaConnection;
  pool: pg.Pool;
  projection: string;
  topics: { issuances: string; attributions: string };
}): () => Promise<boolean> {
  const { kafka, pool, projection, topics } = options;
  let ends: Awaited<ReturnType<typeof readWatermarks>> | undefined;
  let caughtUpOnce = false;

  return async function mayRelease() {
    if (!ends) {
      caughtUpOnce = await readCaughtUpOnce(pool);
      const names = caughtUpOnce ? [topics.issuances] : [topics.issuances, topics.attributions];
      ends = await readWatermarks(kafka, names);
    }
    const positions = await readPositions(pool, projection);
    for (const [partition, { low, high }] of ends) {
      if (high > low && (positions.get(partition) ?? 0n) < high) return false;
    }
    if (!caughtUpOnce) await recordCaughtUpOnce(pool);
    return true;
  };
}
