import type { Credits } from './credits.ts';
import {
  type Entitlement,
  heldOf,
  type Issuance,
  type RecipientKey,
  stateOf,
} from './entitlement.ts';
import { type LedgerPosting, postEntitlement, postIssuance } from './ledger.ts';

/** Running sums over all rewards of a recipient. */
export type Totals = { entitled: Credits; issued: Credits; held: Credits };

/** Everything a fold or a release wants written for one recipient. */
export type RecipientChange = {
  recipient: RecipientKey;
  /** Rows that differ from what is stored. */
  entitlements: readonly Entitlement[];
  /** Those of them whose published form differs, each under a new version. */
  published: readonly Entitlement[];
  postings: readonly LedgerPosting[];
  totals: Totals;
  /** There is something to release or to correct. */
  due: boolean;
};

/**
 * From rewards before and after to the difference: new versions, ledger postings, totals. The one
 * place that gives versions, so whatever changed a reward, its versions grow by one.
 */
export function changeRecipient(input: {
  recipient: RecipientKey;
  totals: Totals;
  before: ReadonlyMap<string, Entitlement>;
  after: ReadonlyMap<string, Entitlement>;
  /** Issuances that `after` counts and `before` does not. */
  facts: readonly Issuance[];
}): RecipientChange {
  const { recipient, before, after, facts } = input;
  const entitlements: Entitlement[] = [];
  const published: Entitlement[] = [];
  const postings: LedgerPosting[] = [];
  const totals = { ...input.totals };

  for (const [rewardId, draft] of after) {
    const old = before.get(rewardId);
    const state = stateOf(draft);
    const next = { ...draft, state, version: old?.version ?? 0 };
    if (old && sameRow(old, next)) continue;
    if (next.cause && !(old && samePublished(old, next))) {
      next.version += 1;
      published.push(next);
    }
    entitlements.push(next);
    const posting = postEntitlement(old, next);
    if (posting) postings.push(posting);
    totals.entitled += next.entitled - (old?.entitled ?? 0n);
    totals.issued += next.issued - (old?.issued ?? 0n);
    totals.held += heldOf(next) - (old ? heldOf(old) : 0n);
  }
  postings.push(...facts.map(postIssuance));
  return { recipient, entitlements, published, postings, totals, due: isDue(totals) };
}

/** What settled rewards leave open: above zero a correction to pay, below zero what is owed to us. */
export function settledBalance(totals: Totals): Credits {
  return totals.entitled - totals.held - totals.issued;
}

function isDue(totals: Totals): boolean {
  return totals.held > 0n || settledBalance(totals) > 0n;
}

function sameRow(a: Entitlement, b: Entitlement): boolean {
  return samePublished(a, b) && a.issued === b.issued && a.issuances === b.issuances;
}

/**
 * The version of the decision is left out on purpose: a decision that changes in ways that mean
 * nothing for this reward makes no new version of it.
 */
function samePublished(a: Entitlement, b: Entitlement): boolean {
  return (
    a.state === b.state &&
    a.entitled === b.entitled &&
    a.campaignId === b.campaignId &&
    a.cause?.decisionId === b.cause?.decisionId &&
    a.cause?.campaignRevision === b.cause?.campaignRevision &&
    a.cause?.occurredAtSeconds === b.cause?.occurredAtSeconds &&
    a.cause?.receivedAt === b.cause?.receivedAt &&
    sameWords(a.explanation, b.explanation) &&
    sameWords(a.settlement, b.settlement)
  );
}

function sameWords(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((sentence, i) => sentence === b[i]);
}
