import type { IssuanceRecord } from '@tributary/contracts/issuance-record';
import type { Logger } from '@tributary/runtime/logger';
import type { Tx } from '@tributary/runtime/postgres';
import { type BusinessFact, readDecisionsAbout } from './adapters/postgres/decisions.ts';
import { readEntitlements } from './adapters/postgres/entitlements.ts';
import { insertIssuances, readPosted } from './adapters/postgres/issuances.ts';
import { lockRecipients, type RecipientRow } from './adapters/postgres/recipients.ts';
import { markUndecided, type Undecided } from './adapters/postgres/undecided.ts';
import { distinctRecipients } from './distinct.ts';
import type { Issuance, RecipientKey } from './domain/entitlement.ts';
import { foldRecipient, type RecipientFold } from './domain/fold-recipient.ts';
import type { RecipientChange } from './domain/recipient-change.ts';
import { issuanceFromWire } from './domain/wire.ts';
import type { Figures } from './figures.ts';
import { dealFolds, rewardIdsOf, type Touch } from './recipient-folds.ts';
import type { Revisions } from './revisions.ts';
import { writeChanges } from './write-changes.ts';

/**
 * Folds business facts anew for everyone they reward or rewarded, in the caller's transaction.
 *
 * Locks, in this order everywhere in this service, so that nobody waits in a circle:
 *   1. live_generation, shared (releases only)
 *   2. decision rows, by id (apply-decisions; the sweeper takes only free ones)
 *   3. recipient rows, by tenant and id (releases and the sweeper take free ones, or a single one)
 *   4. rows of facts, entitlements, postings: written only under their recipient's lock
 * A lock statement says what the locked rows hold; everything else is read in later statements, so
 * a reader sees all that the lock's last holder committed.
 *
 * Whoever changes a decision changes it before locking the recipients of its old and new form, and
 * folds them after. So of two transactions that touch the same recipient, the later one reads the
 * decisions of both, whichever partitions or processes they came from.
 *
 * A fold that throws concerns one recipient: what it was to fold is kept as `unfolded`, nothing of
 * that recipient is released meanwhile, and the sweeper tries again. Everybody else goes on.
 */
export type FoldRequest = {
  facts: readonly BusinessFact[];
  /** Who is rewarded for these facts now, and who was. */
  touches: readonly Touch[];
  /** Issuances to count, where that has not been done yet. */
  issuances: readonly IssuanceRecord[];
  /** Recipients that the caller has locked already; nobody else is locked or folded then. */
  locked?: readonly RecipientRow[];
};

export type FoldFacts = (tx: Tx, request: FoldRequest) => Promise<{ failed: RecipientKey[] }>;

export function createFoldFacts(options: {
  logger: Logger;
  revisions: Revisions;
  rewardsTopic: string;
  figures: Figures;
  /** Replaced only by tests that want a fold to throw. */
  fold?: (fold: RecipientFold) => RecipientChange;
}): FoldFacts {
  const { logger, revisions, rewardsTopic, figures, fold = foldRecipient } = options;

  return async function foldFacts(tx, request) {
    const { facts, touches } = request;
    const recipients =
      request.locked ?? (await lockAll(tx, distinctRecipients([...touches, ...request.issuances])));
    if (recipients.length === 0) return { failed: [] };
    const uncounted = await keepAndChooseUncounted(tx, request.issuances);
    const claims = await revisions.claimsOf(tx, await readDecisionsAbout(tx, facts));
    const rewardIds = [...uncounted.map((fact) => fact.rewardId), ...rewardIdsOf(claims)];
    const stored = await readEntitlements(tx, facts, rewardIds);
    const folds = dealFolds({ recipients, touches, claims, stored, facts: uncounted });

    const changes: RecipientChange[] = [];
    const failed: Undecided[] = [];
    for (const input of folds) {
      try {
        const change = fold(input);
        if (change.entitlements.length + change.postings.length > 0) changes.push(change);
      } catch (error) {
        failed.push({ ...input.recipient, businessKeys: [...input.businessKeys] });
        const { tenantId } = input.recipient;
        logger.error('alert: a fold failed; the recipient is undecided', { tenantId, error });
      }
    }
    await writeChanges(tx, rewardsTopic, changes);
    if (failed.length > 0) await markUndecided(tx, 'internal', failed);
    figures.folded(changes, failed.length);
    return { failed };
  };
}

async function lockAll(tx: Tx, keys: readonly RecipientKey[]): Promise<RecipientRow[]> {
  return keys.length === 0 ? [] : lockRecipients(tx, keys);
}

/** Keeps the facts and leaves those that this generation has not counted yet. */
async function keepAndChooseUncounted(
  tx: Tx,
  records: readonly IssuanceRecord[],
): Promise<Issuance[]> {
  if (records.length === 0) return [];
  await insertIssuances(tx, records);
  const ids = records.map((record) => record.issuanceId);
  const posted = await readPosted(tx, ids);
  const fresh = new Map(
    records.filter((r) => !posted.has(r.issuanceId)).map((r) => [r.issuanceId, r]),
  );
  return [...fresh.values()].map(issuanceFromWire);
}
