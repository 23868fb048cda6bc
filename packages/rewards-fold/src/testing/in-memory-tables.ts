import type { CampaignRevisionRecord } from '@tributary/contracts/catalog-record';
import type { DecisionRecord } from '@tributary/contracts/decision-record';
import type { CapWrites } from '../domain/recount-caps.ts';
import type { Entitlement } from '../domain/entitlement.ts';
import { type Answers, type BusinessFact, factName, recipientName } from '../domain/fold-tables.ts';
import { campaignName, lookBackOf } from '../domain/look-back.ts';
import {
  isIdle,
  type CapCounter,
  type CapCounterKey,
  seriesText,
  type StoredTerms,
} from '../domain/cap-counter.ts';
import { type Claim, laneName, referralName, type StepRow } from '../domain/step.ts';
import { type Boundaries, boundariesOf } from '../domain/tiers.ts';

/** What the fold reads and leaves, in memory; Postgres has adapters of the same answers. */
export function createTables() {
  const revisions = new Map<string, CampaignRevisionRecord>();
  const decisions = new Map<string, DecisionRecord>();
  const steps = new Map<string, StepRow>();
  const tiers = new Map<string, Boundaries>();
  const terms = new Map<string, StoredTerms>();
  const counters = new Map<string, CapCounter>();
  const rewards = new Map<string, Entitlement>();
  /** How many rows answers have had. */
  const read = { rows: 0, factsOfRewards: 0 };

  function claimOf(decision: DecisionRecord): Claim {
    const { tenantId, campaignId, campaignRevision } = decision;
    const revision = revisions.get(JSON.stringify([tenantId, campaignId, campaignRevision]));
    return revision ? { decision, revision } : { decision };
  }

  function claimsWhere(holds: (step: StepRow) => boolean): Claim[] {
    return counted(
      [...steps.values()].filter(holds).map((step) => claimOf(decisions.get(step.decisionId)!)),
    );
  }

  function counted<Row>(rows: Row[]): Row[] {
    read.rows += rows.length;
    return rows;
  }

  const counterText = (key: CapCounterKey) => `${seriesText(key)} ${key.name}`;

  const answers: Answers<false> = {
    lookBacks: (campaigns) =>
      new Map(
        campaigns.map((key) => [
          campaignName(key),
          lookBackOf([...revisions.values()].filter((r) => campaignName(r) === campaignName(key))),
        ]),
      ),
    boundaries: (lanes) =>
      lanes.map((lane) => {
        const before = tiers.get(laneName(lane)) ?? new Map();
        const inLane = [...steps.values()].filter((step) => laneName(step) === laneName(lane));
        const after = boundariesOf(inLane, lane.thresholds);
        tiers.set(laneName(lane), after);
        return { before, after };
      }),
    stepsBetween: (ranges) =>
      claimsWhere((step) =>
        ranges.some(
          ({ from, before, ...lane }) =>
            laneName(lane) === laneName(step) &&
            step.sortKey >= from &&
            (before === undefined || step.sortKey < before),
        ),
      ),
    stepsOfReferrals: (keys) => {
      const names = new Set(keys.map(referralName));
      return claimsWhere((step) => names.has(referralName(step)));
    },
    stepsOfFacts: (facts) => {
      const names = new Set(facts.map(factName));
      return claimsWhere((step) => names.has(factName(step)));
    },
    storedTerms: (touches) => {
      const names = new Set(touches.map((touch) => factName(touch) + recipientName(touch)));
      const rows = [...terms.values()];
      return counted(rows.filter((row) => names.has(factName(row) + recipientName(row))));
    },
    termsBetween: (ranges) =>
      counted(
        [...terms.values()].filter((row) =>
          ranges.some(
            ({ from, before, busyOnly, ...series }) =>
              seriesText(series) === seriesText(row) &&
              !(busyOnly && isIdle(row.grant)) &&
              (from === undefined || row.terms.sortKey >= from) &&
              (before === undefined || row.terms.sortKey < before),
          ),
        ),
      ),
    counters: (keys) => keys.flatMap((key) => counters.get(counterText(key)) ?? []),
    entitlements: ({ facts, rewardIds }) => {
      const names = new Set(facts.map(factName));
      const ids = new Set(rewardIds);
      read.factsOfRewards += facts.length;
      return [...rewards.values()].filter(
        ({ rewardId, tenantId, cause }) =>
          ids.has(rewardId) ||
          (cause && names.has(factName({ tenantId, businessKey: cause.businessKey }))),
      );
    },
  };

  return {
    answers,
    revisions,
    decisions,
    rewards,
    claimOf,
    read,
    /** What is wanted in each cap counter; an empty one is none. */
    wantedOfCounters: () =>
      [...counters].flatMap(([name, { wanted }]) => (wanted === 0n ? [] : [`${name} ${wanted}`])),
    stepOf: (fact: BusinessFact) => steps.get(factName(fact)),

    writeStep(fact: BusinessFact, step: StepRow | undefined): void {
      if (step) steps.set(factName(fact), step);
      else steps.delete(factName(fact));
    },

    writeCapCounters(writes: CapWrites): void {
      for (const rewardId of writes.gone) terms.delete(rewardId);
      for (const row of writes.terms) terms.set(row.terms.rewardId, row);
      for (const counter of writes.counters) counters.set(counterText(counter), counter);
    },
  };
}
