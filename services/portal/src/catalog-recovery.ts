import { setTimeout as delay } from 'node:timers/promises';
import { type CatalogRecord, catalogCodec } from '@tributary/contracts/catalog-record';
import { type CodeRecord, codeCodec } from '@tributary/contracts/code-record';
import type { Topic } from '@tributary/contracts/topics';
import { createCatchUp } from '@tributary/event-log/catch-up';
import type { KafkaConnection } from '@tributary/event-log/kafka';
import { createProjection, type Incoming, source } from '@tributary/event-log/projection';
import type { OnStop } from '@tributary/runtime/lifecycle';
import type { Logger } from '@tributary/runtime/logger';
import type { Tx } from '@tributary/runtime/postgres';
import type pg from 'pg';
import { recoverCatalogRecord } from './adapters/postgres/recover-catalog.ts';
import { recoverCodes } from './adapters/postgres/recover-codes.ts';

/**
 * Keeps the portal's own tables from being older than what it published. They are where the catalog is
 * made, and all the same they may have been dropped, restored from a backup, or never been there (an
 * import): a portal that went on from such tables would give versions and revision numbers a second time, and
 * every reader would ignore what it says. So it reads its own topics back, from the position that stands in
 * the same database and is as old as the tables are, and accepts no change before it has reached their ends.
 */
export async function startCatalogRecovery(options: {
  pool: pg.Pool;
  kafka: KafkaConnection;
  group: string;
  nameOf: (topic: Topic) => string;
  logger: Logger;
  onStop: OnStop;
}): Promise<{ health: () => { ok: boolean; detail?: string }; recovered: () => Promise<void> }> {
  const { pool, kafka, group, nameOf, logger, onStop } = options;
  const projection = createProjection({
    kafka,
    logger,
    pool,
    name,
    group,
    sources: [
      source('catalog', nameOf('catalog'), catalogCodec),
      source('codes', nameOf('codes'), codeCodec),
    ],
    apply,
    deadLetterTopic: nameOf('deadLetters'),
  });
  await projection.start();
  let isStopping = false;
  onStop('catalog recovery', () => {
    isStopping = true;
    return projection.stop();
  });
  const topics = [nameOf('catalog'), nameOf('codes')];
  const caughtUp = createCatchUp({ kafka, pool, name, projection, topics });

  return {
    health: () => projection.health(),
    async recovered() {
      const hasCaughtUp = () =>
        caughtUp().catch((error: unknown) => {
          logger.warn('cannot see how far the catalog is read back; trying again', { error });
          return false;
        });
      for (let tries = 0; !isStopping && !(await hasCaughtUp()); tries++) {
        if (tries % 100 === 20) logger.info('reading the catalog back from the log');
        await delay(50);
      }
    },
  };
}

const name = 'catalog-recovery';

async function apply(tx: Tx, batch: readonly Incoming[]): Promise<void> {
  const codes: CodeRecord[] = [];
  for (const { source: from, value } of batch) {
    if (value === null) continue;
    if (from === 'catalog') await recoverCatalogRecord(tx, value as CatalogRecord);
    else codes.push(value as CodeRecord);
  }
  await recoverCodes(tx, codes);
}
