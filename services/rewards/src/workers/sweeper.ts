import type { Logger } from '@tributary/runtime/logger';
import { inTransaction, type Tx } from '@tributary/runtime/postgres';
import { createRepeater, type Repeater } from '@tributary/runtime/repeater';
import type pg from 'pg';
import { lockAwakenedDecisions, readDecisionsAbout, writeDecisions } from '../db/decisions.ts';
import { readUnpostedOfRecipients } from '../db/issuances.ts';
import { lockRetryRecipients } from '../db/recipients.ts';
import { clearUndecided, readUnfolded } from '../db/undecided.ts';
import { changeFacts } from '../fold/change-facts.ts';
import { distinctFacts } from '../fold/distinct.ts';
import { recipientName } from '@tributary/rewards-fold/fold-tables';
import type { FoldFacts } from '../fold/fold-facts.ts';
import { isWaiting, type Revisions } from '../fold/revisions.ts';

/**
 * Picks up what a batch had to leave: decisions whose campaign revision came after them, and
 * recipients whose fold threw. It asks the tables what is ready, so no order of commits between a
 * decision and its revision can be missed; the price is up to one interval of delay in that race.
 * Any number of sweepers may run: each takes only rows that nobody else has locked.
 */
export type Sweeper = Repeater & { sweep(): Promise<void> };

const decisionsAtOnce = 200;
const recipientsAtOnce = 50;

export function createSweeper(options: {
  pool: pg.Pool;
  logger: Logger;
  revisions: Revisions;
  foldFacts: FoldFacts;
  onFolded: () => void;
  everyMs?: number;
}): Sweeper {
  const { pool, logger, revisions, foldFacts, onFolded, everyMs = 1_000 } = options;

  async function foldAwakened(tx: Tx): Promise<number> {
    const decisions = await lockAwakenedDecisions(tx, decisionsAtOnce);
    if (decisions.length === 0) return 0;
    const claims = (await revisions.claimsOf(tx, decisions)).filter((claim) => !isWaiting(claim));
    await writeDecisions(
      tx,
      claims.map(({ decision }) => ({ decision, status: 'folded' as const })),
    );
    const facts = distinctFacts(claims.map(({ decision }) => decision));
    const changes = await changeFacts(tx, revisions, { facts, claims });
    await foldFacts(tx, { changes, touches: [], issuances: [] });
    return decisions.length;
  }

  async function foldUndecided(tx: Tx): Promise<number> {
    const recipients = await lockRetryRecipients(tx, recipientsAtOnce);
    if (recipients.length === 0) return 0;
    const touches = await readUnfolded(tx, recipients);
    const decisions = await readDecisionsAbout(tx, distinctFacts(touches));
    const claims = await revisions.claimsOf(tx, decisions);
    const issuances = await readUnpostedOfRecipients(tx, recipients);
    const request = { changes: [], touches, claims, issuances, locked: recipients };
    const { failed } = await foldFacts(tx, request);
    const stillFailing = new Set(failed.map(recipientName));
    const decided = recipients.filter((recipient) => !stillFailing.has(recipientName(recipient)));
    if (decided.length > 0) await clearUndecided(tx, decided);
    return recipients.length;
  }

  async function drain(
    step: (tx: Tx) => Promise<number>,
    atOnce: number,
    stopping: () => boolean,
  ): Promise<void> {
    let found: number;
    do {
      found = await inTransaction(pool, step);
      if (found > 0) onFolded();
    } while (found === atOnce && !stopping());
  }

  /** What cannot be folded of the one kind keeps nobody of the other waiting. */
  async function sweep(stopping: () => boolean): Promise<void> {
    const kinds = [
      { step: foldAwakened, atOnce: decisionsAtOnce },
      { step: foldUndecided, atOnce: recipientsAtOnce },
    ];
    for (const { step, atOnce } of kinds) {
      try {
        await drain(step, atOnce, stopping);
      } catch (error) {
        logger.warn('the sweeper could not finish; it tries again', { error });
      }
    }
  }

  const repeater = createRepeater({ everyMs, work: sweep });
  return { ...repeater, sweep: () => sweep(() => false) };
}
