import type { CampaignRevisionRecord } from '@tributary/contracts/catalog-record';
import type { DecisionRecord } from '@tributary/contracts/decision-record';
import { derivedId } from '@tributary/contracts/derived-id';
import type { RewardRecord } from '@tributary/contracts/reward-record';
import type { RecipientRow } from '../db/recipients.ts';
import { answerDialogueNow } from '../fold/answer-dialogue.ts';
import { distinctFacts, distinctRecipients } from '../fold/distinct.ts';
import { factName, recipientName } from '@tributary/rewards-fold/fold-tables';
import type { Issuance, RecipientKey, RewardAction } from '@tributary/rewards-fold/entitlement';
import {
  foldChanges,
  type FoldInput,
  holderChange,
  recipientsOfChange,
} from '@tributary/rewards-fold/fold-changes';
import { foldRecipient } from '@tributary/rewards-fold/fold-recipient';
import type { Touch } from '@tributary/rewards-fold/fold-tables';
import type { LedgerPosting } from '@tributary/rewards-fold/ledger';
import { campaignName, lookBackOf } from '@tributary/rewards-fold/look-back';
import { countActions, evaluateAction } from '@tributary/rewards-fold/operator-action';
import { planRelease } from '@tributary/rewards-fold/plan-release';
import {
  changeRecipient,
  type RecipientChange,
  type Totals,
} from '@tributary/rewards-fold/recipient-change';
import { stepRowOf } from '@tributary/rewards-fold/step';
import { createTables } from '@tributary/rewards-fold/testing/in-memory-tables';
import { rewardToWire } from '@tributary/rewards-fold/reward-records';

/**
 * This service in memory, driven through the same pure functions, so that properties can be tried
 * on thousands of histories. Postgres has its own specs.
 */
export function createBook() {
  const tables = createTables();
  const { revisions, decisions, rewards } = tables;
  const totals = new Map<string, Totals>();
  const issuances = new Map<string, Issuance>();
  const postings = new Map<string, LedgerPosting>();
  const actions: RewardAction[] = [];
  const published: RewardRecord[] = [];
  const failing = new Set<string>();
  const unfolded: Touch[] = [];
  const claimed = new Set<string>();

  function fold(changed: readonly DecisionRecord[], before: readonly DecisionRecord[]): void {
    const facts = distinctFacts([...changed, ...before]);
    const changes = facts.map((fact) => {
      const rivals = [...decisions.values()].filter((d) => factName(d) === factName(fact));
      const change = holderChange(fact, tables.stepOf(fact), rivals.map(tables.claimOf));
      tables.writeStep(fact, change.after && stepRowOf(change.after));
      const isNew = !claimed.has(factName(fact));
      claimed.add(factName(fact));
      return { ...change, isNew };
    });
    const lookBack = (key: { tenantId: string; campaignId: string }) =>
      lookBackOf([...revisions.values()].filter((r) => campaignName(r) === campaignName(key)));
    const recipients = changes.flatMap((change) => recipientsOfChange(change, lookBack));
    run({ changes, touches: [], claims: [], facts: [] }, recipients);
  }

  function run(input: Omit<FoldInput, 'recipients'>, keys: readonly RecipientKey[]): void {
    const recipients = distinctRecipients(keys).map(rowOf);
    const planned = answerDialogueNow(foldChanges({ ...input, recipients }), tables.answers);
    for (const plan of planned) {
      if (plan.outcome === 'failed') throw plan.error;
      const { recipient, businessKeys } = plan.fold;
      if (failing.has(recipient.recipientId)) {
        unfolded.push(...[...businessKeys].map((businessKey) => ({ ...recipient, businessKey })));
        continue;
      }
      write(foldRecipient(plan.fold));
      tables.writeCapCounters(plan.limits);
    }
  }

  function rowOf(recipient: RecipientKey): RecipientRow {
    const none = { entitled: 0n, issued: 0n, held: 0n };
    const known = totals.get(recipientName(recipient)) ?? none;
    return { ...recipient, totals: known, undecided: false };
  }

  function write(change: RecipientChange): void {
    for (const reward of change.entitlements) rewards.set(reward.rewardId, reward);
    published.push(...change.published.map(rewardToWire));
    for (const posting of change.postings) {
      if (postings.has(posting.postingId)) throw new Error('posted twice');
      postings.set(posting.postingId, posting);
    }
    totals.set(recipientName(change.recipient), change.totals);
  }

  return {
    tables,
    claims: () => [...decisions.values()].map(tables.claimOf),
    rewards: () => [...rewards.values()],
    postings: () => [...postings.values()],
    issuances: () => [...issuances.values()],
    actions: () => [...actions],
    /** Every version of every reward, as it went to the log. */
    published: () => [...published],
    totals: (recipientId: string) => totals.get(`t1:${recipientId}`),
    reward: (recipientId: string) =>
      [...rewards.values()].filter((reward) => reward.recipientId === recipientId),

    publish(revision: CampaignRevisionRecord): void {
      const { tenantId, campaignId } = revision;
      revisions.set(JSON.stringify([tenantId, campaignId, revision.revision]), revision);
      const awakened = [...decisions.values()].filter(
        (d) => d.campaignId === revision.campaignId && d.campaignRevision === revision.revision,
      );
      fold(awakened, []);
    },

    decide(...batch: readonly DecisionRecord[]): void {
      const before: DecisionRecord[] = [];
      const changed: DecisionRecord[] = [];
      for (const decision of batch) {
        const known = decisions.get(decision.decisionId);
        if (known && known.version >= decision.version) continue;
        if (known) before.push(known);
        decisions.set(decision.decisionId, decision);
        changed.push(decision);
      }
      fold(changed, before);
    },

    /** As read from the log by a book that did not write them. */
    receive(...facts: readonly Issuance[]): void {
      const news = facts.filter((fact) => !issuances.has(fact.issuanceId));
      for (const fact of news) issuances.set(fact.issuanceId, fact);
      run({ changes: [], touches: [], claims: [], facts: news }, news);
    },

    /** Folds again what has not changed, as after a fold that threw. */
    foldAgain(touches: readonly Touch[]): void {
      run({ changes: [], touches, claims: [], facts: [] }, touches);
    },

    /** From now on folds of this recipient throw, and what they were to fold is kept. */
    fail(recipientId: string): void {
      failing.add(recipientId);
    },

    /** Folds throw no more, and what was kept is folded: each recipient under its own lock only. */
    recover(): void {
      failing.clear();
      for (const touches of Map.groupBy(unfolded.splice(0), recipientName).values()) {
        const facts = new Set(touches.map(factName));
        const rivals = [...decisions.values()].filter((d) => facts.has(factName(d)));
        run({ changes: [], touches, claims: rivals.map(tables.claimOf), facts: [] }, touches);
      }
    },

    /** What an operator does to a reward; nothing where it is refused. */
    act(rewardId: string, type: RewardAction['type']): void {
      const reward = rewards.get(rewardId);
      if (!reward?.cause || evaluateAction(reward, type).outcome !== 'apply') return;
      const { tenantId, recipientId, campaignId, actionSequence = 0 } = reward;
      const recipient = { tenantId, recipientId };
      const sequence = actionSequence + 1;
      const actionId = derivedId('reward-action', rewardId, sequence);
      const about = { ...recipient, actionId, rewardId, campaignId, sequence };
      const action = { ...about, type, by: 'olga', at: '2026-03-02T00:00:00.000Z' };
      actions.push(action);
      const before = new Map([[rewardId, reward]]);
      const after = new Map(before);
      countActions(after, [action]);
      const known = rowOf(recipient).totals;
      write(changeRecipient({ recipient, totals: known, before, after, facts: [] }));
    },

    /** Releases everybody once, by this time of the clock. */
    release(issuedAt = '2026-03-02T00:00:00.000Z'): void {
      for (const [name, known] of totals) {
        const [tenantId = '', recipientId = ''] = name.split(':');
        const open = [...rewards.values()].filter(
          (r) =>
            recipientName(r) === name &&
            (r.state === 'held' || (r.state === 'issued' && r.issued < r.entitled)),
        );
        const recipient = { tenantId, recipientId };
        const release = planRelease({ recipient, totals: known, open, facts: [], issuedAt });
        for (const fact of release.issuances) {
          if (issuances.has(fact.issuanceId)) throw new Error('issued twice');
          issuances.set(fact.issuanceId, fact);
        }
        write(release.change);
      }
    },
  };
}

export type Book = ReturnType<typeof createBook>;
