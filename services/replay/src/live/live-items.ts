import type { DecisionRecord } from '@tributary/contracts/decision-record';
import type { RewardContent } from '@tributary/contracts/state-item';
import type { InternalAnswer, InternalClient } from '@tributary/http/internal-client';
import { decisionSentences } from '../domain/decision-sentences.ts';
import type { ItemDetail } from '../domain/live-state.ts';

/** What services take in one question. */
const atOnce = 200;

/** Items of a generation in full, by `kind id`; those that are not there are left out. */
export async function readLiveItems(
  { attribution, rewards }: { attribution: InternalClient; rewards: InternalClient },
  asked: {
    generation: number | undefined;
    eventIds: readonly string[];
    rewardIds: readonly string[];
    signal: AbortSignal;
  },
): Promise<Map<string, ItemDetail>> {
  const { generation, eventIds, rewardIds, signal } = asked;
  const items: ItemDetail[] = [];
  for (const ids of pagesOf(eventIds)) {
    signal.throwIfAborted();
    const answer = await attribution.post(['items'], { eventIds: ids }, { query: { generation } });
    items.push(...listOf<DecisionRecord>(answer, 'decisions').map(decisionItem));
    items.push(...listOf<OtherDecision>(answer, 'others').map(otherItem));
  }
  for (const ids of pagesOf(rewardIds)) {
    signal.throwIfAborted();
    const answer = await rewards.post(['items'], { rewardIds: ids }, { query: { generation } });
    items.push(...listOf<Reward>(answer, 'rewards').map(rewardItem));
  }
  return new Map(items.map((item) => [`${item.kind} ${item.id}`, item]));
}

type Reward = RewardContent & { explanation: readonly string[] };

function decisionItem(decision: DecisionRecord): ItemDetail {
  const { version: _v, schemaVersion: _s, ...content } = decision;
  return {
    ...{ kind: 'decision', id: decision.eventId, content },
    explanation: decisionSentences(decision),
  };
}

/** A decision of which there is only its row, which is not what its inputs lead to now. */
type OtherDecision = {
  stored: Pick<DecisionRecord, 'tenantId' | 'eventId' | 'outcome'> & {
    campaignId: string | null;
    digest: string;
  };
  folded: DecisionRecord;
};

function otherItem({ stored, folded }: OtherDecision): ItemDetail {
  const { tenantId, eventId, outcome, campaignId, digest } = stored;
  return {
    ...{ kind: 'decision', id: eventId },
    content: {
      ...{ tenantId, newUserId: folded.newUserId, eventId, outcome },
      ...(campaignId !== null && { campaignId }),
      digest,
    },
    explanation: [
      `Decided: ${outcome}. Its row does not say what the same inputs lead to now.`,
      ...decisionSentences(folded).map((sentence) => `Now: ${sentence}`),
    ],
  };
}

function rewardItem({ explanation, ...content }: Reward): ItemDetail {
  return { kind: 'reward', id: content.rewardId, content, explanation };
}

function listOf<T>(answer: InternalAnswer, member: string): T[] {
  if (answer.outcome === 'unavailable') throw new Error(answer.detail);
  if (answer.outcome === 'refused') throw new Error(answer.problem.detail);
  return (answer.body as Record<string, T[]>)[member] ?? [];
}

function pagesOf(ids: readonly string[]): string[][] {
  return Array.from({ length: Math.ceil(ids.length / atOnce) }, (_, i) =>
    ids.slice(i * atOnce, (i + 1) * atOnce),
  );
}
