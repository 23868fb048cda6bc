import { rewardActionRoutes as declared } from '@tributary/contracts/admin/reward-actions';
import { askService } from '@tributary/http/ask-service';
import type { InternalClient } from '@tributary/http/internal-client';
import { inParts, stateIsMissing } from './bulk-action.ts';
import { forward } from './forward.ts';
import { answerOf } from './internal-answer.ts';
import { serve, type ServedRoute, tenantIdOf } from './route.ts';

/**
 * Operator actions on rewards: release what waits for a hold or a review, withhold what must not
 * be issued. rewards decides on each.
 */
export function rewardActionRoutes(rewards: InternalClient): ServedRoute[] {
  const check = (asked: { params: { tenantId: string } }) => void tenantIdOf(asked);
  return [
    forward(declared.releaseReward, rewards, { check }),
    forward(declared.withholdReward, rewards, { check }),
    serve(declared.countToRelease)(async (asked) => {
      const { state, ...chosen } = asked.query;
      tenantIdOf(asked);
      if (state === undefined) throw stateIsMissing();
      const body = { filter: { ...filterOf(chosen), state } };
      const question = { ...asked, query: {}, body };
      return {
        status: 200,
        body: answerOf(await askService(rewards, declared.countToRelease.asks, question)).body,
      };
    }),
    serve(declared.countToWithhold)(async (asked) => {
      const { state, ...chosen } = asked.query;
      tenantIdOf(asked);
      if (state === undefined) throw stateIsMissing();
      const body = { filter: { ...filterOf(chosen), state } };
      const question = { ...asked, query: {}, body };
      return {
        status: 200,
        body: answerOf(await askService(rewards, declared.countToWithhold.asks, question)).body,
      };
    }),
    serve(declared.releaseReviewedRewards)(async (asked) => {
      tenantIdOf(asked);
      const { done, more } = await inParts(asked, async () => {
        const { asks } = declared.releaseReviewedRewards;
        const { body } = answerOf(await askService(rewards, asks, asked));
        return { done: body.released, more: body.more };
      });
      return { status: 200, body: { released: done, more } };
    }),
    serve(declared.withholdRewards)(async (asked) => {
      tenantIdOf(asked);
      const { done, more } = await inParts(asked, async () => {
        const { body } = answerOf(await askService(rewards, declared.withholdRewards.asks, asked));
        return { done: body.withheld, more: body.more };
      });
      return { status: 200, body: { withheld: done, more } };
    }),
  ];
}

type Chosen = Record<'campaign' | 'recipient' | 'rule' | 'before', string | undefined>;

function filterOf({ campaign, recipient, rule, before }: Chosen) {
  return { campaignId: campaign, recipientId: recipient, ruleId: rule, before };
}
