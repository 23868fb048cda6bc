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
    `select reward.record, coalesce(event.decision, event.fact) ->> 'occurredAtSeconds' as seconds,
       event.received_at as "receivedAt"
     from reward left join event using (event_id)
     where reward.tenant_id = $1 and reward.recipient_id = any($2) and ${settledUnpaid}`,
    [tenantId, favoured],
  );
  const inOrder = rows.sort(byCause).map(({ record }) => showReward(record));
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

type UnpaidRow = { record: RewardRecord; seconds: string | null; receivedAt: string | null };

/** As releases pay: by the event that caused the reward, in canonical order. */
function byCause(a: UnpaidRow, b: UnpaidRow): number {
  return (
    compareCanonical(causeOf(a), causeOf(b)) || (a.record.rewardId < b.record.rewardId ? -1 : 1)
  );
}

function causeOf({ record, seconds, receivedAt }: UnpaidRow) {
  const { eventId } = record;
  return { occurredAtSeconds: seconds ?? '0', receivedAt: receivedAt ?? '', eventId };
}
