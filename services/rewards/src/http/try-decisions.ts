import { dryRunRoutes } from '@tributary/contracts/admin/campaigns';
import {
  decisionKey,
  type DecisionRecord,
  decisionCodec,
} from '@tributary/contracts/decision-record';
import { type RewardRecord, rewardCodec } from '@tributary/contracts/reward-record';
import { readEnqueuedRecords } from '@tributary/event-log/outbox';
import { asIfRead, type Incoming } from '@tributary/event-log/projection';
import { declaredRoute } from '@tributary/http/declared-route';
import { ok } from '@tributary/http/internal-replies';
import type { InternalRoute } from '@tributary/http/internal-router';
import { inDryRun } from '@tributary/runtime/dry-run';
import { inTransaction, type Tx } from '@tributary/runtime/postgres';
import type pg from 'pg';
import { countFailedFolds } from '../db/count-failed-folds.ts';
import { countWaiting } from '../db/count-waiting.ts';
import { readEntitlements } from '../db/entitlements.ts';
import { decisionsSource } from '../log/apply-batch.ts';
import { rewardToWire } from '@tributary/rewards-fold/reward-records';

/**
 * What decisions would earn: the real fold, in a transaction that is rolled back. What it would
 * have put on the log is read from its own outbox rows, so the answer has every reward that would
 * come or change, those of other facts in the same lane too.
 */
export type RewardTrial = {
  /** As they would be published. */
  rewards: RewardRecord[];
  /** What is entitled now of those that are not new. */
  before: RewardRecord[];
  /** Recipients whose fold would throw: nothing can be said about them. */
  failed: number;
  /** Decisions whose campaign revision has not been read yet: what they earn is not in here. */
  waiting: number;
};

/** A dry run takes the locks of the real work; it must never be what that work waits for long. */
const limits = { lockTimeoutMs: 500, statementTimeoutMs: 3_000 };

export function createTryDecisions(options: {
  pool: pg.Pool;
  /** The real thing, with metrics of its own: a dry run counts nowhere. */
  apply: (tx: Tx, batch: readonly Incoming[]) => Promise<void>;
  rewardsTopic: string;
}): (decisions: readonly DecisionRecord[]) => Promise<RewardTrial> {
  const { pool, apply, rewardsTopic } = options;

  return async (decisions) => {
    if (decisions.length === 0) return { rewards: [], before: [], failed: 0, waiting: 0 };
    const decisionIds = decisions.map(({ decisionId }) => decisionId);
    const { rewards, ...open } = await inDryRun(pool, limits, async (tx) => {
      const failedBefore = await countFailedFolds(tx);
      await apply(tx, decisions.map(incoming));
      return {
        rewards: await readEnqueuedRecords(tx, rewardsTopic, rewardCodec),
        failed: Math.max(0, (await countFailedFolds(tx)) - failedBefore),
        waiting: await countWaiting(tx, decisionIds),
      };
    });
    const ids = rewards.map(({ rewardId }) => rewardId);
    const stored = await inTransaction(pool, (tx) => readEntitlements(tx, [], ids));
    const before = stored.filter(({ version }) => version > 0).map(rewardToWire);
    return { rewards, before, ...open };
  };
}

/** The decisions are records as attribution would publish them. */
export function tryRoute(
  tryDecisions: (decisions: readonly DecisionRecord[]) => Promise<RewardTrial>,
): InternalRoute {
  // Each takes a connection of the pool that the real work lives on.
  return declaredRoute(dryRunRoutes.tryRewards, { atOnce: 2 })(async ({ body: { decisions } }) => {
    const read = decisions.map(readDecision);
    const records = read.filter((record) => record !== undefined);
    if (records.length === read.length) return ok(await tryDecisions(records));
    return { problem: 'VALIDATION_ERROR', detail: 'decisions must be decision records.' };
  });
}

function incoming(decision: DecisionRecord): Incoming {
  return asIfRead({
    source: decisionsSource,
    key: decisionKey(decision),
    timestampMs: Date.parse(decision.receivedAt),
    value: decision,
  });
}

function readDecision(value: unknown): DecisionRecord | undefined {
  const decoded = decisionCodec.decode(Buffer.from(JSON.stringify(value)));
  return decoded.outcome === 'record' ? decoded.value : undefined;
}
