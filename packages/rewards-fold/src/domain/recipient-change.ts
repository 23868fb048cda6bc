import type { Credits } from './credits.ts';
import {
  type Entitlement,
  heldOf,
  type Issuance,
  type RecipientKey,
  releaseAtOf,
  stateOf,
} from './entitlement.ts';
import { type LedgerPosting, postEntitlement, postIssuance } from './ledger.ts';

/** Running sums over all rewards of a recipient; `held` is what is not payable, see `heldOf`. */
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
  /**
   * When the changed rewards give a release something to do: UTC with milliseconds, `''` at once,
   * undefined never. Other rewards of the recipient may be due before that.
   */
  dueAt?: string;
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
  return { recipient, entitlements, published, postings, totals, ...due(entitlements, totals) };
}

/**
 * What settled rewards leave open: above zero a correction to pay, below zero what is owed to us.
 */
export function settledBalance(totals: Totals): Credits {
  return totals.entitled - totals.held - totals.issued;
}

/** No clock: when a hold ends is a property of the reward. */
function due(changed: readonly Entitlement[], totals: Totals): { dueAt?: string } {
  if (settledBalance(totals) > 0n) return { dueAt: '' };
  const [dueAt] = changed.flatMap((reward) => releaseAtOf(reward) ?? []).sort();
  return dueAt === undefined ? {} : { dueAt };
}

function sameRow(a: Entitlement, b: Entitlement): boolean {
  return (
    samePublished(a, b) &&
    a.issuances === b.issuances &&
    a.action === b.action &&
    a.actionSequence === b.actionSequence
  );
}

/**
 * The version of the decision is left out on purpose: a decision that changes in ways that mean
 * nothing for this reward makes no new version of it.
 */
function samePublished(a: Entitlement, b: Entitlement): boolean {
  return (
    a.state === b.state &&
    a.entitled === b.entitled &&
    a.issued === b.issued &&
    a.campaignId === b.campaignId &&
    a.maturesAt === b.maturesAt &&
    a.cause?.decisionId === b.cause?.decisionId &&
    a.cause?.campaignRevision === b.cause?.campaignRevision &&
    a.cause?.occurredAtSeconds === b.cause?.occurredAtSeconds &&
    a.cause?.receivedAt === b.cause?.receivedAt &&
    sameTexts(a.reviews, b.reviews) &&
    sameTexts(a.explanation, b.explanation) &&
    sameTexts(a.settlement, b.settlement) &&
    sameSteps(a.tests, b.tests) &&
    sameSteps(a.calculation, b.calculation)
  );
}

function sameTexts(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((sentence, i) => sentence === b[i]);
}

/** Flat records; the order of their members is not theirs to mean anything. */
function sameSteps(a: readonly object[], b: readonly object[]): boolean {
  return a.length === b.length && a.every((step, i) => sameMembers(step, b[i] ?? {}));
}

function sameMembers(a: object, b: object): boolean {
  const other = new Map<string, unknown>(Object.entries(b));
  const own = Object.entries(a).filter(([, value]) => value !== undefined);
  return (
    own.length === [...other.values()].filter((value) => value !== undefined).length &&
    own.every(([name, value]) => other.get(name) === value)
  );
}
