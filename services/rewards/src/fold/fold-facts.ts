import { decisionKey } from '@tributary/contracts/decision-record';
import type { IssuanceRecord } from '@tributary/contracts/issuance-record';
import { partitionOf } from '@tributary/event-log/partitioner';
import { requestIdsAt, spansOf } from '@tributary/event-log/record-traces';
import type { Logger } from '@tributary/runtime/logger';
import { afterCommit, type Tx } from '@tributary/runtime/postgres';
import { createFoldAnswers } from '../db/fold-answers.ts';
import { insertIssuances, readPosted } from '../db/issuances.ts';
import { writeCapCounters } from '../db/cap-counters.ts';
import { lockRecipients, type RecipientRow, type RecipientToLock } from '../db/recipients.ts';
import { asSerializationFailure } from '@tributary/runtime/serialization-failure';
import { markUndecided, type Undecided } from '../db/undecided.ts';
import { answerDialogue } from './answer-dialogue.ts';
import { distinctRecipients } from './distinct.ts';
import type { CapWrites } from '@tributary/rewards-fold/recount-caps';
import type { Issuance, RecipientKey } from '@tributary/rewards-fold/entitlement';
import {
  type FactChange,
  foldChanges,
  LookedTooEarly,
  recipientsOfChange,
} from '@tributary/rewards-fold/fold-changes';
import { foldRecipient, type RecipientFold } from '@tributary/rewards-fold/fold-recipient';
import type { Touch } from '@tributary/rewards-fold/fold-tables';
import {
  type CampaignKey,
  campaignName,
  nothingToLookBackAt,
} from '@tributary/rewards-fold/look-back';
import type { RecipientChange } from '@tributary/rewards-fold/recipient-change';
import type { Claim } from '@tributary/rewards-fold/step';
import { issuanceFromWire } from '@tributary/rewards-fold/reward-records';
import type { RewardMetrics } from '../metrics.ts';
import type { Revisions } from './revisions.ts';
import { writeChanges } from './write-changes.ts';

/**
 * Folds business facts that changed, for everyone they reward or rewarded and for whoever looks
 * back at them, in the caller's transaction.
 *
 * Locks, in this order everywhere in this service, so that nobody waits in a circle:
 *   1. live_generation, shared (releases, and folds that release behind themselves)
 *   2. decision rows, by id (apply-decisions; the sweeper takes only free ones)
 *   3. step rows, by tenant and business key (change-facts)
 *   4. recipient rows, by tenant and id (releases and the sweeper take free ones, or a single one)
 *   5. rows of facts, entitlements, limits, tiers, postings: written only under their recipient's
 *      lock
 * A lock statement says what the locked rows hold; everything else is read in later statements, so
 * a reader sees all that the lock's last holder committed.
 *
 * The lock of a referrer is the lock of all that the referrer refers: no step of it comes, goes or
 * moves without, since a change locks the referrers of its old and its new form, and it writes the
 * steps before it waits for them. So whoever holds the lock reads what everybody before committed.
 *
 * A fold that throws concerns one recipient: what it was to fold is kept as `unfolded`, nothing of
 * that recipient is released meanwhile, and the sweeper tries again. Everybody else goes on.
 */
export type FoldRequest = {
  changes: readonly FactChange[];
  /** To be folded again though nothing changed. */
  touches: readonly Touch[];
  /** All current decisions about the touches; only to say why something is withdrawn. */
  claims?: readonly Claim[];
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
  metrics: RewardMetrics;
  /** How many partitions decisions have: whose holder pays a recipient is so for speed only. */
  decisionPartitions: () => number;
  /** Replaced only by tests that want a fold to throw. */
  fold?: (fold: RecipientFold) => RecipientChange;
}): FoldFacts {
  const { logger, revisions, rewardsTopic, metrics, fold = foldRecipient } = options;
  const { decisionPartitions } = options;

  async function recipientsOf(tx: Tx, changes: readonly FactChange[]): Promise<RecipientToLock[]> {
    const campaigns = changes.flatMap(({ before, after }) => [before ?? [], after ?? []].flat());
    if (campaigns.length === 0) return [];
    const distinct = new Map(campaigns.map((step) => [campaignName(step), step]));
    const lookBacks = await revisions.lookBacksOf(tx, [...distinct.values()]);
    const lookBackOf = (key: CampaignKey) =>
      lookBacks.get(campaignName(key)) ?? nothingToLookBackAt;
    return changes.flatMap((change) =>
      recipientsOfChange(change, lookBackOf).map((recipient) => ({
        ...recipient,
        partition: partitionOfRecipient(recipient, change, decisionPartitions()),
      })),
    );
  }

  return async function foldFacts(tx, request) {
    const { changes: facts, touches, claims = [], issuances } = request;
    const keys = request.locked ?? [...(await recipientsOf(tx, facts)), ...touches, ...issuances];
    const recipients = request.locked ?? (await lockAll(tx, distinctRecipients(keys)));
    if (recipients.length === 0) return { failed: [] };
    const uncounted = await keepAndChooseUncounted(tx, issuances);
    const planned = await answerDialogue(
      foldChanges({ recipients, changes: facts, touches, claims, facts: uncounted }),
      createFoldAnswers(tx, revisions),
    ).catch((error: unknown) => {
      throw error instanceof LookedTooEarly ? asSerializationFailure(error) : error;
    });

    const changes: RecipientChange[] = [];
    const limits: CapWrites[] = [];
    const failed: Undecided[] = [];
    const fail = ({ recipient, businessKeys }: UndecidedFold, error: unknown) => {
      failed.push({ ...recipient, businessKeys: [...businessKeys] });
      const { tenantId } = recipient;
      const traced = requestIdsAt(spansOf(tx), decisionIdsOf(facts, businessKeys));
      const about = { tenantId, ...traced, error };
      logger.error('alert: a fold failed; the recipient is undecided', about);
    };
    for (const plan of planned) {
      if (plan.outcome === 'failed') {
        fail(plan.fold, plan.error);
        continue;
      }
      try {
        const change = fold(plan.fold);
        limits.push(plan.limits);
        if (change.entitlements.length + change.postings.length > 0) changes.push(change);
      } catch (error) {
        fail(plan.fold, error);
      }
    }
    await writeCapCounters(tx, limits);
    await writeChanges(tx, rewardsTopic, changes);
    if (failed.length > 0) await markUndecided(tx, 'internal', failed);
    afterCommit(tx, () => metrics.folded(changes, failed.length));
    return { failed };
  };
}

/** A referrer's own; that of the referrer for a new user. */
function partitionOfRecipient(
  { recipientId }: RecipientKey,
  { before, after }: FactChange,
  decisionPartitions: number,
): number | undefined {
  const step = [after, before].find((row) => row?.referrerId === recipientId) ?? after ?? before;
  return step && partitionOf('attributions', decisionKey(step), decisionPartitions);
}

type UndecidedFold = Pick<RecipientFold, 'recipient' | 'businessKeys'>;

function decisionIdsOf(
  changes: readonly FactChange[],
  businessKeys: ReadonlySet<string>,
): string[] {
  return changes.flatMap(({ after }) =>
    after && businessKeys.has(after.businessKey) ? [after.decisionId] : [],
  );
}

async function lockAll(tx: Tx, keys: readonly RecipientToLock[]): Promise<RecipientRow[]> {
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
