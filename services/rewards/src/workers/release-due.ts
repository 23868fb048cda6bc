import { issuanceCodec } from '@tributary/contracts/issuance-record';
import { recordKey } from '@tributary/contracts/topics';
import { enqueue } from '@tributary/event-log/outbox';
import { headersAt, type SpansById, spansOf } from '@tributary/event-log/record-traces';
import { holdWhereLive } from '@tributary/generations/registry';
import { afterCommit, inOneTurn, type Tx } from '@tributary/runtime/postgres';
import type { TraceSpan } from '@tributary/runtime/tracer';
import { readCorrectable, readMatured } from '../db/entitlements.ts';
import { readUnpostedOfRewards, recordIssuances } from '../db/issuances.ts';
import {
  type DueAmong,
  findDueRecipients,
  lockDueRecipients,
  lockRecipients,
  type RecipientRow,
  writeDueAt,
} from '../db/recipients.ts';
import { readLastActions } from '../db/reward-actions.ts';
import { recipientName } from '@tributary/rewards-fold/fold-tables';
import type { Entitlement, Issuance, RecipientKey } from '@tributary/rewards-fold/entitlement';
import { planRelease, type Release } from '@tributary/rewards-fold/plan-release';
import { settledBalance } from '@tributary/rewards-fold/recipient-change';
import {
  actionFromWire,
  issuanceFromWire,
  issuanceToWire,
} from '@tributary/rewards-fold/reward-records';
import type { TimeOf } from '../db/clock-check.ts';
import type { RewardMetrics } from '../metrics.ts';
import { writeChanges } from '../fold/write-changes.ts';

/**
 * One release transaction: grants what is entitled, payable now and not yet issued, for a batch of
 * recipients. Here alone is the end of a hold compared with a clock: the database's, and only while
 * other clocks agree with it (clock-check.ts).
 *
 * A fold does not grant: issuances would depend on when it ran, a shadow generation folds and must
 * not grant, and holds need a clock that folds must not have. So this is a step of its own, in a
 * transaction of its own or behind a fold in that one's (release-along.ts).
 *
 * An issuance is written once: under the recipient's lock, numbered by the issuances that the
 * facts table has (this generation's own count is first made equal to it), with ids derived from
 * reward and number. Operator actions are looked up there as well. The right to issue is held
 * to the end, so that a generation that was swapped out is fenced; so is one whose database was put
 * back to an older state under this process, which would grant again what was granted since.
 *
 * It throws as a whole; see isolate-release.ts for what happens then.
 */
export type ReleaseOutcome =
  | {
      outcome: 'released';
      recipients: number;
      rewards: number;
      issuances: number;
      /** Some were left: no more fitted. */
      hasMore: boolean;
    }
  | { outcome: 'nothing-due' }
  | { outcome: 'not-live' }
  | { outcome: 'clocks-differ'; detail: string };

/**
 * Releases for these recipients with `only`, else for some that are due. `along`: in the
 * transaction of a fold, which holds the live generation and waits for nobody else's locks.
 */
export type ReleaseDue = (
  tx: Tx,
  whom?: { only?: readonly RecipientKey[]; among?: DueAmong | undefined; along?: boolean },
) => Promise<ReleaseOutcome>;

const recipientsAtOnce = 100;
/** For each of the two kinds: matured ones, and those to correct. */
const rewardsOfEach = 500;
/**
 * For all of them together, so that a transaction stays far from the time limit of a statement
 * however many holds end at the same moment: one that ran into it would be repeated for ever.
 */
const rewardsAtOnce = 2_000;

export function createReleaseDue(options: {
  timeOf: TimeOf;
  generation: number;
  topics: { rewards: string; issuances: string };
  metrics: RewardMetrics;
  /** Whether the database of this transaction is as new as this process has seen it. */
  isIntact?: (tx: Tx, options: { remembered: boolean }) => Promise<boolean>;
  /** Replaced only by tests that want a release to throw. */
  plan?: typeof planRelease;
}): ReleaseDue {
  const { timeOf, generation, topics, metrics, isIntact, plan = planRelease } = options;

  return async function releaseDue(tx, { only, among, along = false } = {}) {
    if (!along && !(await holdWhereLive(tx, generation))) return { outcome: 'not-live' };
    const [intact, time] = await inOneTurn([
      isIntact?.(tx, { remembered: !along }) ?? true,
      timeOf(tx),
    ]);
    if (!intact) return { outcome: 'not-live' };
    if (time.differ !== undefined) return { outcome: 'clocks-differ', detail: time.differ };
    const now = time.now.toISOString();
    const locked = only
      ? await lockRecipients(tx, only)
      : await lockSomeDue(tx, time.now, { ...among, mayWait: !along });
    if (locked.length === 0) return { outcome: 'nothing-due' };
    const recipients = locked.filter((row) => !row.undecided);
    const { open, releases, hasMore } = await planAll(tx, recipients, now);
    const issuances = releases.flatMap((release) => release.issuances);
    const changes = releases
      .map((release) => release.change)
      .filter((change) => change.entitlements.length + change.postings.length > 0);
    await inOneTurn([
      recordAndAnnounce(tx, issuances, startSpans(tx, issuances, open)),
      writeChanges(tx, topics.rewards, changes),
      writeDueAt(tx, recipients, now),
    ]);
    afterCommit(tx, () => metrics.released(changes, issuances));
    return {
      outcome: 'released',
      recipients: locked.length,
      rewards: changes.reduce((sum, change) => sum + change.entitlements.length, 0),
      issuances: issuances.length,
      hasMore: hasMore || (!only && locked.length >= recipientsAtOnce),
    };
  };

  async function planAll(
    tx: Tx,
    recipients: readonly RecipientRow[],
    now: string,
  ): Promise<{ open: readonly Entitlement[]; releases: Release[]; hasMore: boolean }> {
    const { open, hasMore } = await readOpen(tx, recipients, now);
    const rewardIds = open.map((reward) => reward.rewardId);
    const openOf = Map.groupBy(open, recipientName);
    const [unposted, words] = await inOneTurn([
      readUnpostedOfRewards(tx, rewardIds),
      readLastActions(tx, rewardIds),
    ]);
    const factsOf = Map.groupBy(unposted.map(issuanceFromWire), recipientName);
    const actionsOf = Map.groupBy(words.map(actionFromWire), recipientName);
    const releases = recipients.map(({ tenantId, recipientId, totals }) => {
      const recipient = { tenantId, recipientId };
      const name = recipientName(recipient);
      return plan({
        recipient,
        totals,
        open: openOf.get(name) ?? [],
        facts: factsOf.get(name) ?? [],
        actions: actionsOf.get(name) ?? [],
        issuedAt: now,
      });
    });
    return { open, releases, hasMore };
  }

  async function recordAndAnnounce(
    tx: Tx,
    issuances: readonly Issuance[],
    spans: SpansById | undefined,
  ): Promise<void> {
    const records = issuances.map(issuanceToWire);
    const entries = records.map((record) => ({
      topic: topics.issuances,
      key: recordKey(record.tenantId, record.recipientId),
      value: issuanceCodec.encode(record),
      headers: headersAt(spans, record.issuanceId),
    }));
    await inOneTurn([recordIssuances(tx, records), enqueue(tx, entries, 'issuance_outbox')]);
  }
}

/**
 * By their issuances: of what follows from a decision that is traced, and is applied in this
 * transaction. What is held, and granted later, is in no trace.
 */
function startSpans(
  tx: Tx,
  issuances: readonly Issuance[],
  open: readonly Entitlement[],
): SpansById | undefined {
  const decisions = spansOf(tx);
  if (!decisions) return undefined;
  const decisionOf = new Map(open.map(({ rewardId, cause }) => [rewardId, cause?.decisionId]));
  const spans = new Map<string, TraceSpan>();
  for (const { issuanceId, rewardId, webhookEventId } of issuances) {
    const ids = { 'tributary.reward_id': rewardId, 'tributary.webhook_event_id': webhookEventId };
    const span = decisions.get(decisionOf.get(rewardId) ?? '')?.child('issue', 'producer', ids);
    if (span) spans.set(issuanceId, span);
  }
  afterCommit(tx, () => spans.forEach((span) => span.end()));
  return spans;
}

/** Corrections are rare, and so is the look for what they can be paid on. */
async function readOpen(
  tx: Tx,
  recipients: readonly RecipientRow[],
  now: string,
): Promise<{ open: Entitlement[]; hasMore: boolean }> {
  const toCorrect = recipients.filter(({ totals }) => settledBalance(totals) > 0n);
  const share = Math.floor(rewardsAtOnce / Math.max(recipients.length, 1));
  const ofEach = Math.min(rewardsOfEach, Math.max(share, 1));
  const matured = await readMatured(tx, recipients, now, ofEach);
  const correctable = await readCorrectable(tx, toCorrect, ofEach);
  const isFull = (found: readonly Entitlement[]) =>
    [...Map.groupBy(found, recipientName).values()].some((own) => own.length >= ofEach);
  return { open: [...matured, ...correctable], hasMore: isFull(matured) || isFull(correctable) };
}

/**
 * Workers share the due recipients by skipping those that are locked. A busy recipient may be
 * locked by one fold after another, so when only locked ones are left, one of them is waited for.
 */
async function lockSomeDue(
  tx: Tx,
  now: Date,
  { mayWait, ...among }: DueAmong & { mayWait: boolean },
): Promise<RecipientRow[]> {
  const free = await lockDueRecipients(tx, now, { ...among, limit: recipientsAtOnce });
  if (free.length > 0 || !mayWait) return free;
  const busy = await findDueRecipients(tx, now, { ...among, limit: 1 });
  return busy.length === 0 ? [] : lockRecipients(tx, busy);
}
