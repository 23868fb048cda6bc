import { derivedId } from '@tributary/contracts/derived-id';
import { issuanceCodec, type RewardActionRecord } from '@tributary/contracts/issuance-record';
import { recordKey } from '@tributary/contracts/topics';
import { enqueue } from '@tributary/event-log/outbox';
import { holdLiveGeneration } from '@tributary/generations/registry';
import { inTransaction, type Tx } from '@tributary/runtime/postgres';
import type pg from 'pg';
import { readEntitlements } from '../db/entitlements.ts';
import { readUnpostedOfRewards } from '../db/issuances.ts';
import { lockRecipients, type RecipientRow } from '../db/recipients.ts';
import {
  findInReview,
  readLastActions,
  recordActions,
  type ReviewFilter,
} from '../db/reward-actions.ts';
import { distinctRecipients } from '../fold/distinct.ts';
import { recipientName } from '@tributary/rewards-fold/fold-tables';
import {
  type Entitlement,
  isBlocked,
  type RewardAction,
  stateOf,
} from '@tributary/rewards-fold/entitlement';
import { countIssuances } from '@tributary/rewards-fold/fold-recipient';
import { countActions, evaluateAction } from '@tributary/rewards-fold/operator-action';
import { changeRecipient } from '@tributary/rewards-fold/recipient-change';
import {
  actionFromWire,
  actionToWire,
  issuanceFromWire,
} from '@tributary/rewards-fold/reward-records';
import type { TimeOf } from '../db/clock-check.ts';
import type { RewardMetrics } from '../metrics.ts';
import { writeChanges } from '../fold/write-changes.ts';

/**
 * An operator action on rewards, written once as a fact: under the recipients' locks and the right
 * to issue, like an issuance (see release-due.ts), and for the same reasons. It is numbered within
 * its reward by the facts that there are, so it may not be said before the log has been read.
 */
export type ActionRequest = { type: RewardAction['type']; by: string; note?: string };

export type ActionResult =
  | { outcome: 'acted'; fact: RewardActionRecord }
  | { outcome: 'unknown' }
  | { outcome: 'conflict'; detail: string };

export type NotNow = { outcome: 'not-now'; detail: string };

export type ActOnRewards = {
  one(tenantId: string, rewardId: string, request: ActionRequest): Promise<ActionResult | NotNow>;
  /**
   * Releases what is in review; at most {@link rewardsAtOnce} in one call, `more` when some are
   * left.
   */
  releaseReviewed(
    filter: ReviewFilter,
    request: Omit<ActionRequest, 'type'>,
  ): Promise<{ outcome: 'released'; count: number; more: boolean } | NotNow>;
};

export const rewardsAtOnce = 500;

export function createActOnRewards(options: {
  pool: pg.Pool;
  timeOf: TimeOf;
  generation: number;
  topics: { rewards: string; issuances: string };
  metrics: RewardMetrics;
  /** As for a release. */
  isIntact?: (tx: Tx) => Promise<boolean>;
  /** The log was read to its end, and this process releases at all. */
  mayAct: () => boolean;
  onActed: () => void;
}): ActOnRewards {
  const { pool, timeOf, generation, topics, metrics, isIntact, mayAct, onActed } = options;

  async function whenLive<T>(work: (tx: Tx) => Promise<T>): Promise<T | NotNow> {
    if (!mayAct())
      return notNow('Rewards is still reading the log, or does not release; try again later.');
    const result = await inTransaction(pool, async (tx) => {
      if (!(await holdLiveGeneration(tx, generation))) {
        return notNow('Another generation of rewards is live; this one takes no operator actions.');
      }
      if (isIntact && !(await isIntact(tx))) {
        return notNow('The database of rewards went back in time; try again later.');
      }
      return work(tx);
    });
    onActed();
    return result;
  }

  async function act(
    tx: Tx,
    rewardIds: readonly string[],
    request: ActionRequest,
    isMeant: (reward: Entitlement) => boolean,
  ): Promise<Map<string, ActionResult>> {
    const named = (await readEntitlements(tx, [], rewardIds)).filter(isMeant);
    if (named.length === 0) return new Map();
    const recipients = await lockRecipients(tx, distinctRecipients(named));
    const now = await readNow(
      tx,
      named.map((reward) => reward.rewardId),
    );
    const at = (await timeOf(tx)).now.toISOString();
    const results = new Map<string, ActionResult>();
    const facts: RewardActionRecord[] = [];
    for (const reward of now.after.values()) {
      if (!isMeant(reward)) continue;
      const last = now.lastActions.get(reward.rewardId);
      const result = evaluate(reward, last, { ...request, at });
      results.set(reward.rewardId, result);
      if (result.outcome === 'acted' && result.fact !== last) facts.push(result.fact);
    }
    await record(tx, facts);
    countActions(now.after, facts.map(actionFromWire));
    const changes = recipients.map((recipient) => changeOf(recipient, now));
    await writeChanges(tx, topics.rewards, changes);
    metrics.folded(changes, 0);
    return results;
  }

  function evaluate(
    reward: Entitlement,
    last: RewardActionRecord | undefined,
    request: ActionRequest & { at: string },
  ): ActionResult {
    const verdict = evaluateAction(reward, request.type);
    switch (verdict.outcome) {
      case 'conflict':
        return verdict;
      case 'already-recorded':
        // The schema of facts alone was lost: the fact is on the log, and not here.
        if (!last)
          return { outcome: 'conflict', detail: `This reward was ${request.type} already.` };
        return { outcome: 'acted', fact: last };
      case 'apply':
        return { outcome: 'acted', fact: factOf(reward, last, request) };
      default:
        return verdict satisfies never;
    }
  }

  function factOf(
    { rewardId, tenantId, campaignId, recipientId, actionSequence = 0 }: Entitlement,
    last: RewardActionRecord | undefined,
    request: ActionRequest & { at: string },
  ): RewardActionRecord {
    const sequence = Math.max(actionSequence, last?.sequence ?? 0) + 1;
    const actionId = derivedId('reward-action', rewardId, sequence);
    const about = { actionId, rewardId, tenantId, campaignId, recipientId };
    return actionToWire({ ...about, ...request, sequence });
  }

  async function record(tx: Tx, facts: readonly RewardActionRecord[]): Promise<void> {
    await recordActions(tx, facts);
    await enqueue(
      tx,
      facts.map((fact) => ({
        topic: topics.issuances,
        key: recordKey(fact.tenantId, fact.recipientId),
        value: issuanceCodec.encode(fact),
      })),
      'issuance_outbox',
    );
  }

  return {
    one: (tenantId, rewardId, request) =>
      whenLive(async (tx) => {
        const isMeant = (reward: Entitlement) => reward.tenantId === tenantId && !!reward.cause;
        const results = await act(tx, [rewardId], request, isMeant);
        return results.get(rewardId) ?? { outcome: 'unknown' };
      }),

    releaseReviewed: (filter, request) =>
      whenLive(async (tx) => {
        const found = await findInReview(tx, filter, rewardsAtOnce + 1);
        const isMeant = (reward: Entitlement) =>
          stateOf(reward) === 'review' || (reward.action === undefined && isBlocked(reward));
        const chosen = found.slice(0, rewardsAtOnce);
        const results = await act(tx, chosen, { ...request, type: 'released' }, isMeant);
        const count = [...results.values()].filter(({ outcome }) => outcome === 'acted').length;
        return { outcome: 'released', count, more: found.length > rewardsAtOnce };
      }),
  };
}

type Now = {
  before: ReadonlyMap<string, Entitlement>;
  /** With every fact about them that this generation had not counted. */
  after: Map<string, Entitlement>;
  issuances: readonly ReturnType<typeof issuanceFromWire>[];
  lastActions: ReadonlyMap<string, RewardActionRecord>;
};

/** The rewards under their recipients' locks, and the facts that all generations share. */
async function readNow(tx: Tx, rewardIds: readonly string[]): Promise<Now> {
  const stored = await readEntitlements(tx, [], rewardIds);
  const issuances = (await readUnpostedOfRewards(tx, rewardIds)).map(issuanceFromWire);
  const last = await readLastActions(tx, rewardIds);
  const before = new Map(stored.map((reward) => [reward.rewardId, reward]));
  const after = new Map(before);
  countIssuances(after, issuances);
  countActions(after, last.map(actionFromWire));
  return {
    before,
    after,
    issuances,
    lastActions: new Map(last.map((fact) => [fact.rewardId, fact])),
  };
}

function changeOf({ tenantId, recipientId, totals }: RecipientRow, now: Now) {
  const recipient = { tenantId, recipientId };
  const name = recipientName(recipient);
  const own = <T extends Entitlement>(rewards: ReadonlyMap<string, T>) =>
    new Map([...rewards].filter(([, reward]) => recipientName(reward) === name));
  return changeRecipient({
    recipient,
    totals,
    before: own(now.before),
    after: own(now.after),
    facts: now.issuances.filter((fact) => recipientName(fact) === name),
  });
}

function notNow(detail: string): NotNow {
  return { outcome: 'not-now', detail };
}
