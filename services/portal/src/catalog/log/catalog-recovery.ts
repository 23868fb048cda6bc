import { setTimeout as delay } from 'node:timers/promises';
import type { CatalogRecord } from '@tributary/contracts/catalog-record';
import type { CodeRecord } from '@tributary/contracts/code-record';
import type { Topic } from '@tributary/contracts/topics';
import { type CatchUp, createCatchUp } from '@tributary/event-log/catch-up';
import type { KafkaConnection } from '@tributary/event-log/kafka';
import { createProjection, type Incoming } from '@tributary/event-log/projection';
import { topicSources } from '@tributary/event-log/topic-sources';
import type { Gauges } from '@tributary/runtime/component';
import type { Logger } from '@tributary/runtime/logger';
import type { Tx } from '@tributary/runtime/postgres';
import { createRepeater } from '@tributary/runtime/repeater';
import type pg from 'pg';
import { readDatabaseIdentity } from '../db/database-identity.ts';
import { recoverCatalog } from '../db/recover-catalog.ts';
import { recoverCodes } from '../db/recover-codes.ts';
import { behindDetail } from '../domain/behind-detail.ts';

/**
 * Keeps the portal's own tables from being older than what it published. They are where the catalog
 * is made, and all the same they may have been dropped, restored from a backup, or never been there
 * (an import), or a standby may have taken over that lacks the last commits: a portal that went on
 * from such tables would give versions and revision numbers a second time, and every reader would
 * ignore what it says. So it reads its own topics back, from the position that stands in the same
 * database and is as old as the tables are, and accepts no change before it has reached their ends.
 *
 * A partition that is stopped (a record of a newer schema) has not been read: while it is in doubt,
 * the portal answers what it is asked, and refuses every change.
 *
 *   doubted ──the log's end is reached, by this very database──▶ trusted
 *      ▲                                                            │ another server, database or table
 *      └────────────────────────────────────────────────────────────┘ answers, or a position went back
 *
 * Each change looks in its own transaction whether it is in the trusted database (`isCurrent`), so
 * none slips in before somebody has noticed; a look each second makes that a doubt is over soon.
 * What other portals have published is covered as well: the doubt does not depend on what this one
 * knew.
 */
export type CatalogRecovery = {
  start(): Promise<void>;
  stop(): Promise<void>;
  health(): { ok: boolean; detail?: string };
  gauges: Gauges;
  /** Resolves when everything was read back for the first time, or all that can be read now. */
  recovered(): Promise<void>;
  /** Whether the database of a transaction surely has all that was published. */
  isCurrent(tx: Tx): Promise<boolean>;
  /** Stopped partitions without which it cannot tell, as `topic/partition`. */
  heldUpBy(): readonly string[];
};

export function createCatalogRecovery(options: {
  pool: pg.Pool;
  kafka: KafkaConnection;
  group: string;
  nameOf: (topic: Topic) => string;
  logger: Logger;
}): CatalogRecovery {
  const { pool, kafka, group, nameOf, logger } = options;
  const topics = [nameOf('catalog'), nameOf('codes')];
  const projection = createProjection({
    kafka,
    logger,
    pool,
    name,
    group,
    sources: topicSources(['catalog', 'codes'], nameOf),
    apply,
    deadLetterTopic: nameOf('deadLetters'),
  });
  /** The database that has everything; undefined while in doubt. */
  let trusted: { identity: string; setbacks: number } | undefined;
  let trustedMs = -Infinity;
  let heldUpBy: readonly string[] = [];
  const firstTime = Promise.withResolvers<void>();

  async function isTrusted(db: Pick<Tx, 'query'>): Promise<boolean> {
    if (trusted === undefined) return false;
    const { identity, setbacks } = trusted;
    const isSame = (await readDatabaseIdentity(db)) === identity && (await projection.isIntact(db));
    if (!isSame || projection.setbacks() !== setbacks) return false;
    trustedMs = performance.now();
    return true;
  }

  function doubt(): void {
    if (trusted === undefined) return;
    logger.warn('the database may be older than the catalog on the log; reading it back');
    trusted = undefined;
    looks.wake();
  }

  async function look(stopping: () => boolean): Promise<void> {
    try {
      if (trusted !== undefined && !(await isTrusted(pool))) doubt();
      if (trusted === undefined) await readBack(stopping);
    } catch (error) {
      logger.warn('cannot see how far the catalog is read back; trying again', { error });
    }
  }

  async function readBack(stopping: () => boolean): Promise<void> {
    const identity = await readDatabaseIdentity(pool);
    // What a relay had in its hands before may be appended until then, and must be seen.
    const relaysEndMs = trustedMs + lateAppendMs;
    while (!stopping() && performance.now() < relaysEndMs) await delay(50);
    const setbacks = projection.setbacks();
    const caughtUp = createCatchUp({ kafka, pool, name, projection, topics });
    for (let tries = 0; !stopping() && !(await isReadBack(caughtUp)); tries++) {
      if (tries % 100 === 20) logger.info('reading the catalog back from the log', { heldUpBy });
      await delay(50);
    }
    if (stopping() || (await readDatabaseIdentity(pool)) !== identity) return;
    trusted = { identity, setbacks };
    firstTime.resolve();
  }

  async function isReadBack(caughtUp: CatchUp): Promise<boolean> {
    const isReached = await caughtUp();
    heldUpBy = isReached ? caughtUp.unread() : [];
    // What can be read was read; the rest waits for a person, and what is asked meanwhile does not.
    if (heldUpBy.length > 0) firstTime.resolve();
    return isReached && heldUpBy.length === 0;
  }

  const looks = createRepeater({ everyMs: lookEveryMs, work: look });
  return {
    async start() {
      await projection.start();
      looks.start();
    },
    async stop() {
      firstTime.resolve();
      await looks.stop();
      await projection.stop();
    },
    health() {
      const state = projection.health();
      if (!state.ok || trusted !== undefined) return state;
      return { ok: false, detail: behindDetail(heldUpBy) };
    },
    gauges: projection.gauges,
    recovered: () => firstTime.promise,
    async isCurrent(tx) {
      const isSo = await isTrusted(tx);
      if (!isSo) doubt();
      return isSo;
    },
    heldUpBy: () => heldUpBy,
  };
}

const name = 'catalog-recovery';
const lookEveryMs = 1_000;
/** A relay gives up a row 5 s after its commit, or after it has read it (event-log/relay.ts). */
const lateAppendMs = 6_000;

async function apply(tx: Tx, batch: readonly Incoming[]): Promise<void> {
  const ofSource = <T>(name: Topic) =>
    batch.flatMap(({ source: from, value }) =>
      from === name && value !== null ? [value as T] : [],
    );
  await recoverCatalog(tx, ofSource<CatalogRecord>('catalog'));
  await recoverCodes(tx, ofSource<CodeRecord>('codes'));
}
