import { rewardActionRoutes as declared } from '@tributary/contracts/admin/reward-actions';
import type { InternalClient } from '@tributary/http/internal-client';
import { forward } from './forward.ts';
import { type ServedRoute, tenantIdOf } from './route.ts';

/**
 * Operator actions on rewards: release what waits for a hold or a review, withhold what must not
 * be issued. rewards decides on each.
 */
export function rewardActionRoutes(rewards: InternalClient): ServedRoute[] {
  const check = (asked: { params: { tenantId: string } }) => void tenantIdOf(asked);
  return [
    forward(declared.releaseReward, rewards, { check }),
    forward(declared.withholdReward, rewards, { check }),
    forward(declared.releaseReviewedRewards, rewards, { check }),
  ];
}
