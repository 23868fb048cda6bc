import { countLimit } from '@tributary/contracts/admin/answer-fields';
import { derivedId } from '@tributary/contracts/derived-id';
import { issuanceCodec, type RewardActionRecord } from '@tributary/contracts/issuance-record';
import { recordKey } from '@tributary/contracts/topics';
import { enqueue } from '@tributary/event-log/outbox';
import { holdLiveGeneration } from '@tributary/generations/registry';
import { afterCommit, inTransaction, type Tx } from '@tributary/runtime/postgres';
import type pg from 'pg';
import { readEntitlements } from '../db/entitlements.ts';
import { readUnpostedOfRewards } from '../db/issuances.ts';
import { lockRecipients, type RecipientRow } from '../db/recipients.ts';
import {
  type BulkFilter,
  countInState,
  findInState,
  isMoreThan,
  readLastActions,
  recordActions,
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
  /** How many match, at most {@link countLimit}, with their credits: what a bulk action acts on. */
  count(filter: BulkFilter): Promise<({ outcome: 'counted' } & Countable) | NotNow>;
  /**
   * Acts on what matches; at most {@link rewardsAtOnce} in one call, `more` when some are left.
   * With `seen` on nothing, when more matches than was counted of what was received before.
   */
  many(
    filter: BulkFilter,
    request: ActionRequest,
    seen: Seen | undefined,
  ): Promise<
    | { outcome: 'acted'; count: number; more: boolean }
    | { outcome: 'conflict'; detail: string }
    | NotNow
  >;
};
export type Countable = { count: number; credits: string; more: boolean; asOf: string };
export type Seen = { count: number; credits: string; asOf: string };

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
    afterCommit(tx, () => metrics.folded(changes, 0));
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

    count: (filter) =>
      whenLive(async (tx) => {
        const asOf = (await timeOf(tx)).now.toISOString();
        const all = await countInState(tx, filter, countLimit);
        const more = all.count === countLimit && (await isBeyond(tx, filter));
        return { outcome: 'counted', ...all, more, asOf };
      }),

    many: (filter, request, seen) =>
      whenLive(async (tx) => {
        const counted = seen ? { ...filter, before: earlier(filter.before, seen.asOf) } : filter;
        if (seen !== undefined) {
          const now = await countInState(tx, counted, countLimit + 1);
          if (await isMoreThan(tx, now, seen)) return { outcome: 'conflict', detail: moreThanSeen };
        }
        const found = await findInState(tx, counted, rewardsAtOnce + 1);
        const chosen = found.slice(0, rewardsAtOnce);
        const isMeant = (reward: Entitlement) => isIn(filter.state, reward);
        const results = await act(tx, chosen, request, isMeant);
        const count = [...results.values()].filter(({ outcome }) => outcome === 'acted').length;
        return { outcome: 'acted', count, more: found.length > rewardsAtOnce };
      }),
  };
}

const moreThanSeen =
  'More matches by now than was counted, or than can be acted on at once: count again, or ask for less.';

async function isBeyond(tx: Tx, filter: BulkFilter): Promise<boolean> {
  return (await countInState(tx, filter, countLimit + 1)).count > countLimit;
}

function earlier(before: string | undefined, asOf: string): string {
  return before !== undefined && before < asOf ? before : asOf;
}

/** Under the recipient's lock once more: what was found may have changed since. */
function isIn(state: BulkFilter['state'], reward: Entitlement): boolean {
  if (stateOf(reward) === state) return true;
  return state === 'review' && reward.action === undefined && isBlocked(reward);
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
