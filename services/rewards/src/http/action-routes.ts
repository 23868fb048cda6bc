import type { ServiceAnswerOf } from '@tributary/contracts/admin/admin-route';
import { rewardActionRoutes } from '@tributary/contracts/admin/reward-actions';
import type { RewardActionRecord } from '@tributary/contracts/issuance-record';
import { declaredRoute } from '@tributary/http/declared-route';
import { uuidForm } from '@tributary/http/internal-bodies';
import { notNow, ok } from '@tributary/http/internal-replies';
import type { InternalProblem, InternalRoute } from '@tributary/http/internal-router';
import type {
  ActionResult,
  ActOnRewards,
  NotNow,
  ActionRequest,
} from '../commands/act-on-rewards.ts';

const { asks: releaseReward } = rewardActionRoutes.releaseReward;
const { asks: withholdReward } = rewardActionRoutes.withholdReward;
const { asks: releaseReviewed } = rewardActionRoutes.releaseReviewedRewards;

/** What the portal asks for an operator (see act-on-rewards.ts). */
export function actionRoutes(actOnRewards: ActOnRewards): InternalRoute[] {
  async function one(actionType: ActionRequest['type'], { params, body }: Asked) {
    const { tenantId } = params;
    const rewardId = params.rewardId.toLowerCase();
    if (!isId(tenantId) || !uuidForm.test(rewardId)) return noSuchReward;
    return reply(await actOnRewards.one(tenantId, rewardId, { type: actionType, ...body }));
  }

  return [
    declaredRoute(releaseReward)((asked) => one('released', asked)),
    declaredRoute(withholdReward)((asked) => one('withheld', asked)),
    declaredRoute(releaseReviewed)(async ({ params: { tenantId }, body }) => {
      if (!isId(tenantId)) return { problem: 'VALIDATION_ERROR' };
      const { filter, ...request } = body;
      const { state: _, ...chosen } = filter;
      const result = await actOnRewards.releaseReviewed({ tenantId, ...chosen }, request);
      if (result.outcome === 'not-now') return notNow(result.detail);
      return ok({ released: result.count, more: result.more });
    }),
  ];
}

type Asked = {
  params: { tenantId: string; rewardId: string };
  body: { by: string; note?: string };
};
type Action = ServiceAnswerOf<typeof releaseReward>;

function reply(result: ActionResult | NotNow): { status: number; body: Action } | InternalProblem {
  switch (result.outcome) {
    case 'acted':
      return ok(described(result.fact));
    case 'unknown':
      return noSuchReward;
    case 'conflict':
      return { problem: 'CONFLICT', detail: result.detail };
    case 'not-now':
      return notNow(result.detail);
    default:
      return result satisfies never;
  }
}

/** The same for every repeat: what was recorded first, not what came of it. */
function described(fact: RewardActionRecord): Action {
  const { rewardId, recipientId, campaignId, type, by, note, at } = fact;
  return { rewardId, action: type, recipientId, campaignId, by, ...(note && { note }), at };
}

const noSuchReward: InternalProblem = {
  problem: 'NOT_FOUND',
  detail: 'This tenant has no reward with this id.',
};

/** Postgres holds no NUL in text. */
function isId(text: string): boolean {
  return /^[^\0]{1,255}$/u.test(text);
}
