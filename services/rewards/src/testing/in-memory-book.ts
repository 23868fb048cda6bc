import type { CampaignRevisionRecord } from '@tributary/contracts/catalog-record';
import type { DecisionRecord } from '@tributary/contracts/decision-record';
import type { RecipientRow } from '../adapters/postgres/recipients.ts';
import { distinctFacts, distinctRecipients, factName, recipientName } from '../distinct.ts';
import type { Claim } from '../domain/entitle-decision.ts';
import type { Entitlement, Issuance, RecipientKey } from '../domain/entitlement.ts';
import { foldRecipient } from '../domain/fold-recipient.ts';
import type { LedgerPosting } from '../domain/ledger.ts';
import { planRelease } from '../domain/plan-release.ts';
import type { RecipientChange, Totals } from '../domain/recipient-change.ts';
import { dealFolds, rewardIdsOf, touchesOf } from '../recipient-folds.ts';

/**
 * The tables of this service in memory, driven through the same pure functions, so that properties
 * can be tried on thousands of histories. Postgres has its own specs.
 */
export function createBook() {
  const revisions = new Map<string, CampaignRevisionRecord>();
  const decisions = new Map<string, DecisionRecord>();
  const rewards = new Map<string, Entitlement>();
  const totals = new Map<string, Totals>();
  const issuances = new Map<string, Issuance>();
  const postings = new Map<string, LedgerPosting>();

  function fold(changed: readonly DecisionRecord[], before: readonly DecisionRecord[]): void {
    const facts = distinctFacts([...changed, ...before]);
    const names = new Set(facts.map(factName));
    const claims = [...decisions.values()].filter((d) => names.has(factName(d))).map(claimOf);
    const rewarded = [...rewards.values()].flatMap(({ cause, tenantId, recipientId }) =>
      cause && names.has(factName({ tenantId, businessKey: cause.businessKey }))
        ? [{ tenantId, recipientId, businessKey: cause.businessKey }]
        : [],
    );
    const touches = [...claims.flatMap(touchesOf), ...rewarded];
    const ids = new Set(rewardIdsOf(claims));
    const stored = [...rewards.values()].filter(
      (r) =>
        ids.has(r.rewardId) ||
        (r.cause && names.has(factName({ ...r, businessKey: r.cause.businessKey }))),
    );
    const recipients = distinctRecipients(touches).map(rowOf);
    dealFolds({ recipients, touches, claims, stored, facts: [] }).map(foldRecipient).forEach(write);
  }

  function claimOf(decision: DecisionRecord): Claim {
    const revision = revisions.get(`${decision.campaignId}/${decision.campaignRevision}`);
    return revision ? { decision, revision } : { decision };
  }

  function rowOf(recipient: RecipientKey): RecipientRow {
    const none = { entitled: 0n, issued: 0n, held: 0n };
    const known = totals.get(recipientName(recipient)) ?? none;
    return { ...recipient, totals: known, undecided: false };
  }

  function write(change: RecipientChange): void {
    for (const reward of change.entitlements) rewards.set(reward.rewardId, reward);
    for (const posting of change.postings) {
      if (postings.has(posting.postingId)) throw new Error('posted twice');
      postings.set(posting.postingId, posting);
    }
    totals.set(recipientName(change.recipient), change.totals);
  }

  return {
    rewards: () => [...rewards.values()],
    postings: () => [...postings.values()],
    issuances: () => [...issuances.values()],
    totals: (recipientId: string) => totals.get(`t1:${recipientId}`),
    reward: (recipientId: string) =>
      [...rewards.values()].filter((reward) => reward.recipientId === recipientId),

    publish(revision: CampaignRevisionRecord): void {
      revisions.set(`${revision.campaignId}/${revision.revision}`, revision);
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
      const recipients = distinctRecipients(news).map(rowOf);
      const ids = new Set(news.map((fact) => fact.rewardId));
      const stored = [...rewards.values()].filter((reward) => ids.has(reward.rewardId));
      const folds = dealFolds({ recipients, touches: [], claims: [], stored, facts: news });
      folds.map(foldRecipient).forEach(write);
    },

    /** Releases until nothing is due. */
    release(): void {
      for (const [name, known] of totals) {
        const [tenantId = '', recipientId = ''] = name.split(':');
        const open = [...rewards.values()].filter(
          (r) =>
            recipientName(r) === name &&
            (r.state === 'held' || (r.state === 'issued' && r.issued < r.entitled)),
        );
        const recipient = { tenantId, recipientId };
        const issuedAt = '2026-03-02T00:00:00.000Z';
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
