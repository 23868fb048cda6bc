import type { ServiceAnswerOf } from '@tributary/contracts/admin/admin-route';
import { rewardActionRoutes } from '@tributary/contracts/admin/reward-actions';
import type { RewardActionRecord } from '@tributary/contracts/issuance-record';
import type { BulkFilter } from '../db/reward-actions.ts';
import { declaredRoute } from '@tributary/http/declared-route';
import { uuidForm } from '@tributary/http/internal-bodies';
import { notNow, ok } from '@tributary/http/internal-replies';
import type { InternalProblem, InternalRoute } from '@tributary/http/internal-router';
import type {
  ActionResult,
  ActOnRewards,
  NotNow,
  ActionRequest,
  Seen,
} from '../commands/act-on-rewards.ts';

const { asks: releaseReward } = rewardActionRoutes.releaseReward;
const { asks: withholdReward } = rewardActionRoutes.withholdReward;
const { asks: releaseReviewed } = rewardActionRoutes.releaseReviewedRewards;
const { asks: withholdMany } = rewardActionRoutes.withholdRewards;
const { asks: countToRelease } = rewardActionRoutes.countToRelease;
const { asks: countToWithhold } = rewardActionRoutes.countToWithhold;

/** What the portal asks for an operator (see act-on-rewards.ts). */
export function actionRoutes(actOnRewards: ActOnRewards): InternalRoute[] {
  async function one(actionType: ActionRequest['type'], { params, body }: Asked) {
    const { tenantId } = params;
    const rewardId = params.rewardId.toLowerCase();
    if (!isId(tenantId) || !uuidForm.test(rewardId)) return noSuchReward;
    return reply(await actOnRewards.one(tenantId, rewardId, { type: actionType, ...body }));
  }

  async function count(tenantId: string, filter: Filter) {
    if (!isId(tenantId)) return wrongTenant;
    const result = await actOnRewards.count({ tenantId, ...filter });
    if (result.outcome === 'not-now') return notNow(result.detail);
    const { outcome: _, ...counted } = result;
    return ok(counted);
  }

  async function many(
    type: ActionRequest['type'],
    tenantId: string,
    { filter, seen, ...request }: { filter: Filter; seen?: Seen; by: string; note?: string },
  ): Promise<{ count: number; more: boolean } | InternalProblem> {
    if (!isId(tenantId)) return wrongTenant;
    const result = await actOnRewards.many({ tenantId, ...filter }, { type, ...request }, seen);
    if (result.outcome === 'not-now') return notNow(result.detail);
    if (result.outcome === 'conflict') return { problem: 'CONFLICT', detail: result.detail };
    return result;
  }

  return [
    declaredRoute(releaseReward)((asked) => one('released', asked)),
    declaredRoute(withholdReward)((asked) => one('withheld', asked)),
    declaredRoute(countToRelease)(({ params, body }) => count(params.tenantId, body.filter)),
    declaredRoute(countToWithhold)(({ params, body }) => count(params.tenantId, body.filter)),
    declaredRoute(releaseReviewed)(async ({ params, body }) => {
      const result = await many('released', params.tenantId, body);
      return 'count' in result ? ok({ released: result.count, more: result.more }) : result;
    }),
    declaredRoute(withholdMany)(async ({ params, body }) => {
      const result = await many('withheld', params.tenantId, body);
      return 'count' in result ? ok({ withheld: result.count, more: result.more }) : result;
    }),
  ];
}

type Asked = {
  params: { tenantId: string; rewardId: string };
  body: { by: string; note?: string };
};
type Filter = Omit<BulkFilter, 'tenantId'>;
const wrongTenant: InternalProblem = { problem: 'VALIDATION_ERROR' };
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
