import type { DecisionContent } from '@tributary/attribution-fold/decision';
import { shownState } from '@tributary/contracts/reward-state';
import { fromLine } from '@tributary/contracts/state-item';
import { recordKey } from '@tributary/contracts/topics';
import { formatCredits } from '@tributary/rewards-fold/credits';
import { decisionSentences } from '../../domain/decision-sentences.ts';
import type { ItemDetail } from '../../domain/live-state.ts';
import { contentOf } from '../lines.ts';
import { decideRefunds } from './fold-refunds.ts';
import { rewardRecipients } from './fold-recipients.ts';
import { decideUsers } from './fold-users.ts';
import type { Reward } from './settle-rewards.ts';
import type { ShardTask, TaskContext } from './task.ts';

export type ExplainTask = ShardTask & {
  eventIds: readonly string[];
  rewardIds: readonly string[];
};

/** Those of the items that are in the shard, by folding their users and recipients again. */
export function explain(context: TaskContext, task: ExplainTask): ItemDetail[] {
  return [...explainDecisions(context, task), ...explainRewards(context, task)];
}

function explainDecisions(context: TaskContext, { shard, eventIds }: ExplainTask): ItemDetail[] {
  const ids = new Set(eventIds);
  const users = new Set<string>();
  for (const text of ids.size === 0 ? [] : context.store.lines(`decisions/${shard}`)) {
    const line = fromLine(text);
    if (line.kind === 'decision' && ids.has(line.eventId)) {
      users.add(recordKey(line.tenantId, line.newUserId));
    }
  }
  if (users.size === 0) return [];
  const decisions = [
    ...[...decideUsers(context, shard, users)].flatMap((user) => user.decisions),
    ...decideRefunds(context, shard),
  ];
  return decisions
    .filter(({ eventId }) => ids.has(eventId))
    .map((decision) => ({
      kind: 'decision',
      id: decision.eventId,
      content: withoutSchema(decision),
      explanation: decisionSentences(decision),
    }));
}

function explainRewards(context: TaskContext, { shard, rewardIds }: ExplainTask): ItemDetail[] {
  const ids = new Set(rewardIds);
  const recipients = new Set<string>();
  for (const text of ids.size === 0 ? [] : context.store.lines(`rewards/${shard}`)) {
    const line = fromLine(text);
    if (line.kind === 'reward' && ids.has(line.rewardId)) {
      recipients.add(recordKey(line.tenantId, line.recipientId));
    }
  }
  if (recipients.size === 0) return [];
  return [...rewardRecipients(context, shard, recipients)]
    .flat()
    .filter(({ rewardId }) => ids.has(rewardId))
    .map(detailOf);
}

function detailOf(reward: Reward): ItemDetail {
  const { rewardId, tenantId, recipientId, campaignId, target } = reward;
  const fields = target
    ? contentOf(reward, target)
    : { rewardId, tenantId, recipientId, campaignId, entitled: '0' };
  const nothing = 'Nothing gives this reward now; what was issued for it is owed back.';
  return {
    kind: 'reward',
    id: rewardId,
    content: { ...fields, issued: formatCredits(reward.issued), state: shownState(reward) },
    explanation: target ? target.explanation : [nothing],
  };
}

function withoutSchema({ schemaVersion: _, ...content }: DecisionContent) {
  return content;
}
