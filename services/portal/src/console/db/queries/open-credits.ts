import { compareCanonical } from '@tributary/contracts/canonical-order';
import type { RewardActionRecord } from '@tributary/contracts/issuance-record';
import type { RewardRecord } from '@tributary/contracts/reward-record';
import { type ShownReward, showReward } from '@tributary/contracts/reward-state';
import {
  correctionsOf,
  type OpenPart,
  openPartOf,
  type RewardPart,
  toOpenParts,
} from '../../domain/open-credits.ts';
import { isPositive } from '../../domain/exact-decimal.ts';
import { timeOf } from '@tributary/generations/read-model-keys';
import { unpack, unpackMaybe } from '../stored/pack.ts';
import { settledBalances } from './balances.ts';
import { actionsOfRewards } from './list-issuances.ts';
import type { Queryable } from './queryable.ts';
import { settledUnpaid } from './reward-state.ts';

/**
 * What of each reward is open, by its id. Only rewards with a settled part need more than
 * themselves.
 */
export async function openPartsOf(
  db: Queryable,
  tenantId: string,
  rewards: readonly ShownReward[],
): Promise<Map<string, OpenPart[]>> {
  const parts = await rewardParts(db, tenantId, rewards);
  const settled = rewards.filter(({ rewardId }) => parts.get(rewardId)?.as === 'settled');
  const recipientIds = [...new Set(settled.map(({ recipientId }) => recipientId))];
  const corrections = await findCorrections(db, tenantId, recipientIds);
  return new Map(
    rewards.map(({ rewardId }) => [
      rewardId,
      toOpenParts(parts.get(rewardId), corrections.get(rewardId)),
    ]),
  );
}

async function rewardParts(
  db: Queryable,
  tenantId: string,
  rewards: readonly ShownReward[],
): Promise<Map<string, RewardPart>> {
  // For the others the state says it all.
  const ids = rewards.flatMap(({ rewardId, state }) => (state === 'issued' ? [rewardId] : []));
  const actions = ids.length === 0 ? [] : await actionsOfRewards(db, tenantId, ids);
  const last = new Map<string, RewardActionRecord['type']>();
  for (const { rewardId, type } of actions) last.set(rewardId, type);
  return new Map(
    rewards.flatMap((reward) => {
      const part = openPartOf(reward, last.get(reward.rewardId));
      return part === undefined ? [] : [[reward.rewardId, part] as const];
    }),
  );
}

/**
 * What the next release pays these recipients for rewards that are settled. There is hardly ever
 * anything: a release follows within a moment.
 */
async function findCorrections(
  db: Queryable,
  tenantId: string,
  recipientIds: readonly string[],
): Promise<Map<string, string>> {
  const balances = await settledBalances(db, tenantId, recipientIds);
  const favoured = recipientIds.filter((id) => isPositive(balances.get(id) ?? '0'));
  if (favoured.length === 0) return new Map();
  const { rows } = await db.query<UnpaidRow>(
    `select reward.record, decision.record as decision,
       case when decision.record is null then event.fact end as fact, event.received_at as "receivedAt"
     from reward left join event using (event_id) left join decision using (event_id)
     where reward.tenant_id = $1 and reward.recipient_id = any($2) and ${settledUnpaid}`,
    [tenantId, favoured],
  );
  const inOrder = rows
    .map(toUnpaid)
    .sort(byCause)
    .map(({ reward }) => reward);
  const parts = await rewardParts(db, tenantId, inOrder);
  return new Map(
    favoured.flatMap((recipientId) => {
      const settled = inOrder.flatMap((reward) => {
        const part = parts.get(reward.rewardId);
        return reward.recipientId === recipientId && part?.as === 'settled'
          ? [{ rewardId: reward.rewardId, credits: part.credits }]
          : [];
      });
      return [...correctionsOf(settled, balances.get(recipientId) ?? '0')];
    }),
  );
}

type UnpaidRow = {
  record: Buffer;
  decision: Buffer | null;
  fact: Buffer | null;
  receivedAt: string | null;
};
type Unpaid = { reward: ShownReward; seconds: string; receivedAt: string };

function toUnpaid({ record, decision, fact, receivedAt }: UnpaidRow): Unpaid {
  const cause = unpackMaybe<{ occurredAtSeconds: string }>(decision ?? fact);
  return {
    reward: showReward(unpack<RewardRecord>(record)),
    seconds: cause?.occurredAtSeconds ?? '0',
    receivedAt: receivedAt === null ? '' : timeOf(receivedAt),
  };
}

/** As releases pay: by the event that caused the reward, in canonical order. */
function byCause(a: Unpaid, b: Unpaid): number {
  return (
    compareCanonical(causeOf(a), causeOf(b)) || (a.reward.rewardId < b.reward.rewardId ? -1 : 1)
  );
}

function causeOf({ reward: { eventId }, seconds, receivedAt }: Unpaid) {
  return { occurredAtSeconds: seconds, receivedAt, eventId };
}
