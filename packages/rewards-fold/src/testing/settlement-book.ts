import { derivedId } from '@tributary/contracts/derived-id';
import { parseCredits } from '../domain/credits.ts';
import {
  type Entitlement,
  type Issuance,
  releaseAtOf,
  type RewardAction,
} from '../domain/entitlement.ts';
import { countIssuances } from '../domain/fold-recipient.ts';
import type { LedgerPosting } from '../domain/ledger.ts';
import { countActions, evaluateAction } from '../domain/operator-action.ts';
import { planRelease } from '../domain/plan-release.ts';
import {
  changeRecipient,
  type RecipientChange,
  settledBalance,
  type Totals,
} from '../domain/recipient-change.ts';

/** What a fold comes to for purchase number `n`; how it does is not the matter here. */
export type Target = {
  n: number;
  credits: string;
  maturesAt?: string;
  reviews?: Entitlement['reviews'];
  campaignId?: string;
};

const recipient = { tenantId: 't1', recipientId: 'anna' };

export function rewardIdOf(n: number): string {
  return derivedId('reward', 't1', `purchase-${n}`, 'rule', 'referrer', 'anna');
}

/** The reward after a fold that came to `target` in step number `step`. */
export function rewardOf(
  stored: Entitlement | undefined,
  { n, credits, maturesAt, reviews = [], campaignId = 'c1' }: Target,
  step: number,
  owner = recipient,
): Entitlement {
  const { maturesAt: _, ...known } = stored ?? {
    version: 0,
    issued: 0n,
    issuances: 0,
    settlement: [],
  };
  return {
    ...known,
    ...owner,
    rewardId: rewardIdOf(n),
    campaignId,
    state: stored?.state === 'issued' ? 'issued' : 'held',
    entitled: parseCredits(credits),
    cause: {
      campaignRevision: 1,
      ruleId: 'rule',
      recipientRole: 'referrer',
      businessKey: `purchase-${n}`,
      eventId: `event-${n}`,
      decisionId: `decision-${n}`,
      decisionVersion: step,
      occurredAtSeconds: String(1_772_359_200 + n),
      receivedAt: '2026-03-01T10:00:01.000Z',
    },
    tests: [],
    calculation: [],
    reviews,
    explanation: [`fold ${step}`],
    ...(maturesAt !== undefined && { maturesAt }),
  };
}

/**
 * One recipient's rewards, facts and ledger in memory, driven through the functions that the
 * transactions use. Folds are given by what they come to.
 */
export function createSettlementBook() {
  const rewards = new Map<string, Entitlement>();
  const issuances = new Map<string, Issuance>();
  const actions = new Map<string, RewardAction>();
  const postings = new Map<string, LedgerPosting>();
  let totals: Totals = { entitled: 0n, issued: 0n, held: 0n };
  let dueAt: string | undefined;
  let steps = 0;

  /** As `writeRecipientChanges` does. */
  function write(change: RecipientChange): void {
    for (const reward of change.entitlements) rewards.set(reward.rewardId, reward);
    for (const posting of change.postings) {
      if (postings.has(posting.postingId)) throw new Error('posted twice');
      postings.set(posting.postingId, posting);
    }
    totals = change.totals;
    const open = totals.held > 0n || settledBalance(totals) > 0n;
    dueAt = open ? earlier(dueAt, change.dueAt) : undefined;
  }

  function apply(
    edit: (after: Map<string, Entitlement>) => void,
    facts: readonly Issuance[] = [],
  ): RecipientChange {
    const after = new Map(rewards);
    edit(after);
    const change = changeRecipient({ recipient, totals, before: rewards, after, facts });
    write(change);
    return change;
  }

  /** One release transaction; whom it looks at is for the worker to say. */
  function releaseOnce(now: string): Issuance[] {
    const plan = planRelease({
      recipient,
      totals,
      open: openAt(now),
      facts: [],
      actions: [],
      issuedAt: now,
    });
    for (const fact of plan.issuances) {
      if (issuances.has(fact.issuanceId)) throw new Error('issued twice');
      issuances.set(fact.issuanceId, fact);
    }
    write(plan.change);
    dueAt = exactDueAt();
    return [...plan.issuances];
  }

  function openAt(now: string): Entitlement[] {
    return [...rewards.values()].filter((reward) => {
      const releaseAt = releaseAtOf(reward);
      return (
        (releaseAt !== undefined && releaseAt <= now) ||
        (reward.state === 'issued' && reward.issued < reward.entitled)
      );
    });
  }

  /** As `writeDueAt` does. */
  function exactDueAt(): string | undefined {
    if (settledBalance(totals) > 0n) return '';
    return [...rewards.values()].flatMap((reward) => releaseAtOf(reward) ?? []).sort()[0];
  }

  return {
    rewards,
    issuances: () => [...issuances.values()],
    actions: () => [...actions.values()],
    postings: () => [...postings.values()],
    totals: () => totals,
    dueAt: () => dueAt,
    exactDueAt,

    fold(...targets: readonly Target[]): RecipientChange {
      steps += 1;
      return apply((after) => {
        for (const target of targets) {
          const id = rewardIdOf(target.n);
          after.set(id, rewardOf(after.get(id), target, steps));
        }
      });
    },

    /** What an operator says; undefined when it is refused or was said before. */
    act(n: number, type: RewardAction['type'], at: string): RewardAction | undefined {
      const reward = rewards.get(rewardIdOf(n));
      if (!reward?.cause || evaluateAction(reward, type).outcome !== 'apply') return undefined;
      const sequence = (reward.actionSequence ?? 0) + 1;
      const { rewardId, campaignId } = reward;
      const actionId = derivedId('reward-action', rewardId, sequence);
      const about = { ...recipient, actionId, rewardId, campaignId };
      const action: RewardAction = { ...about, type, sequence, by: 'ops', at };
      actions.set(actionId, action);
      apply((after) => countActions(after, [action]));
      return action;
    },

    /** As read from the log by a book that did not write them. */
    receive(facts: { issuances?: readonly Issuance[]; actions?: readonly RewardAction[] }): void {
      const unknown = (facts.issuances ?? []).filter((fact) => !issuances.has(fact.issuanceId));
      const news = [...new Map(unknown.map((fact) => [fact.issuanceId, fact])).values()];
      for (const fact of news) issuances.set(fact.issuanceId, fact);
      apply((after) => {
        countIssuances(after, news);
        countActions(after, facts.actions ?? []);
      }, news);
    },

    /** What the worker does at `now`: nothing before the recipient is due, and all that is due. */
    release(now: string): Issuance[] {
      const issued: Issuance[] = [];
      for (let i = 0; i < 100 && dueAt !== undefined && dueAt <= now; i += 1) {
        issued.push(...releaseOnce(now));
      }
      if (dueAt !== undefined && dueAt <= now) throw new Error('the release comes to no end');
      return issued;
    },
  };
}

export type SettlementBook = ReturnType<typeof createSettlementBook>;

function earlier(a: string | undefined, b: string | undefined): string | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return a < b ? a : b;
}
