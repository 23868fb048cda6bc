import type { RecipientKey } from './entitlement.ts';
import { countCapsOfSeries, type SeriesResult } from './count-caps.ts';
import { ask, type Dialogue, recipientName, type Touch } from './fold-tables.ts';
import { type Grant, grantInOrder } from './apply-caps.ts';
import {
  type CampaignKey,
  campaignName,
  type LimitKind,
  type LookBack,
  nothingToLookBackAt,
} from './look-back.ts';
import {
  mayGiveRoom,
  type CapCounter,
  counterKeysOf,
  planSeries,
  sameTerms,
  type SeriesChange,
  type SeriesKey,
  type SeriesPlan,
  seriesOf,
  seriesText,
  type StoredTerms,
} from './cap-counter.ts';
import { ownTextsOf } from './target.ts';
import type { Terms } from './terms.ts';
import type { CandidateReward } from './candidate-reward.ts';

/** What a recipient's limits are to be stored as, together with its rewards. */
export type CapWrites = {
  terms: readonly StoredTerms[];
  gone: readonly string[];
  counters: readonly CapCounter[];
};

export type Counted = {
  grantOf(terms: Terms): Grant;
  /** Rewards that were not asked about and get more or less now. */
  moved: readonly (StoredTerms & RecipientKey)[];
  writesOf(recipient: RecipientKey): CapWrites;
};

/** Grants what is wanted, as far as limits per recipient leave room, and finds whom that moves. */
export function* countCaps(input: {
  touches: readonly Touch[];
  /** Those of them whose facts may have rewards. */
  older: readonly Touch[];
  candidates: readonly CandidateReward[];
  lookBacks: ReadonlyMap<string, LookBack>;
  isLimited: boolean;
}): Dialogue<Counted> {
  const { touches, older, candidates, isLimited } = input;
  if (!isLimited || touches.length === 0) return withoutLimits;
  const stored = older.length > 0 ? yield* ask('storedTerms', older) : [];
  const changes = changesOf(stored, candidates);
  const lookBacks = yield* withThoseOf(stored, input.lookBacks);
  const kindsOf = (key: SeriesKey) =>
    (lookBacks.get(campaignName(key)) ?? nothingToLookBackAt).limits(key.ruleId, key.role);
  const plans = yield* planAll(changes, kindsOf);
  const others = yield* readRanges(plans);
  const results = plans.map((plan) => ({
    plan,
    result: countCapsOfSeries(plan, others.get(seriesText(plan.series)) ?? []),
  }));
  return countedOf(stored, results, candidates);
}

/**
 * A reward may be stored in a campaign that its fact left long ago: the fold that was to take it
 * away threw.
 */
function* withThoseOf(
  stored: readonly CampaignKey[],
  known: ReadonlyMap<string, LookBack>,
): Dialogue<ReadonlyMap<string, LookBack>> {
  const left = new Map(
    stored
      .filter((key) => !known.has(campaignName(key)))
      .map(({ tenantId, campaignId }) => [
        campaignName({ tenantId, campaignId }),
        { tenantId, campaignId },
      ]),
  );
  if (left.size === 0) return known;
  return new Map([...known, ...(yield* ask('lookBacks', [...left.values()]))]);
}

const withoutLimits: Counted = {
  grantOf: grantAlone,
  moved: [],
  writesOf: () => ({ terms: [], gone: [], counters: [] }),
};

/** As if there were no limits; refunds are counted. */
function grantAlone(terms: Terms): Grant {
  const grant = grantInOrder([terms], new Map()).get(terms.rewardId);
  if (!grant) throw new Error(`nothing granted for ${terms.rewardId}`);
  return grant;
}

/** Pairs what was wanted with what is; a reward that moves to another series leaves the old one. */
function changesOf(
  stored: readonly StoredTerms[],
  candidates: readonly CandidateReward[],
): SeriesChange[] {
  const before = new Map(stored.map((one) => [one.terms.rewardId, one]));
  const changes: SeriesChange[] = [];
  for (const candidate of candidates) {
    if (candidate.limits.length === 0 || candidate.wanted === 0n) continue;
    const after = storedOf(candidate);
    const old = before.get(candidate.rewardId);
    before.delete(candidate.rewardId);
    if (!old) changes.push({ after });
    else if (seriesText(old) !== seriesText(after)) changes.push({ before: old }, { after });
    else changes.push({ before: old, after });
  }
  return [...changes, ...[...before.values()].map((gone) => ({ before: gone }))];
}

function storedOf(candidate: CandidateReward): Omit<StoredTerms, 'grant'> {
  const { rewardId, sortKey, second, wanted, scale, limits, refunds } = candidate;
  return {
    ...seriesOf(candidate),
    businessKey: candidate.cause.businessKey,
    terms: { rewardId, sortKey, second, wanted, scale, limits, refunds },
    own: ownTextsOf(candidate),
  };
}

function* planAll(
  changes: readonly SeriesChange[],
  kindsOf: (key: SeriesKey) => readonly LimitKind[],
): Dialogue<SeriesPlan[]> {
  const counting = changes.filter(
    ({ before, after }) => !(before && after && sameTerms(before.terms, after.terms)),
  );
  if (counting.length === 0) return [];
  const keys = counting.flatMap(({ before, after }) =>
    [before, after].flatMap((one) =>
      one ? counterKeysOf(one, kindsOf(one), one.terms.second) : [],
    ),
  );
  const distinct = [...new Map(keys.map((key) => [seriesText(key) + key.name, key])).values()];
  const counters = Map.groupBy(yield* ask('counters', distinct), seriesText);
  return [...Map.groupBy(counting, (change) => seriesText(keyOf(change)))].map(([name, all]) => {
    const series = keyOf(all[0]!);
    const own = new Map((counters.get(name) ?? []).map((counter) => [counter.name, counter]));
    return planSeries(series, all, kindsOf(series), own);
  });
}

function keyOf({ before, after }: SeriesChange): SeriesKey {
  const one = after ?? before;
  if (!one) throw new Error('a change of nothing');
  const { tenantId, campaignId, recipientId, ruleId, role } = one;
  return { tenantId, campaignId, recipientId, ruleId, role };
}

function* readRanges(plans: readonly SeriesPlan[]): Dialogue<Map<string, StoredTerms[]>> {
  const found = yield* readEach(plans);
  const misjudged = plans
    .filter(({ ranges }) => ranges.some((range) => range.busyOnly))
    .filter((plan) => mayGiveRoom(plan, found.get(seriesText(plan.series)) ?? []))
    .map((plan) => ({
      ...plan,
      ranges: plan.ranges.map((range) => ({ ...range, busyOnly: false })),
    }));
  return new Map([...found, ...(yield* readEach(misjudged))]);
}

function* readEach(
  plans: readonly Pick<SeriesPlan, 'series' | 'ranges'>[],
): Dialogue<Map<string, StoredTerms[]>> {
  const ranges = plans.flatMap(({ series, ranges }) =>
    ranges.map((range) => ({ ...series, ...range })),
  );
  if (ranges.length === 0) return new Map();
  return Map.groupBy(yield* ask('termsBetween', ranges), seriesText);
}

function countedOf(
  stored: readonly StoredTerms[],
  results: readonly { plan: SeriesPlan; result: SeriesResult }[],
  candidates: readonly CandidateReward[],
): Counted {
  const grants = new Map(stored.map(({ terms, grant }) => [terms.rewardId, grant]));
  const wanted = new Map(
    candidates
      .filter((candidate) => candidate.limits.length > 0 && candidate.wanted > 0n)
      .map((w) => [w.rewardId, w]),
  );
  for (const { result } of results) {
    for (const [rewardId, grant] of result.grants) grants.set(rewardId, grant);
  }
  const grantOf = (terms: Terms) => {
    const isCounted = terms.limits.length > 0 && terms.wanted > 0n;
    return (isCounted && grants.get(terms.rewardId)) || grantAlone(terms);
  };
  const moved = results
    .flatMap(({ result }) => result.moved)
    .filter(({ terms }) => !wanted.has(terms.rewardId));
  const regranted = moved.map((one) => ({ ...one, grant: grantOf(one.terms) }));
  const written = [
    ...[...wanted.values()].map((candidate) => ({
      ...storedOf(candidate),
      grant: grantOf(candidate),
    })),
    ...regranted,
  ];
  const gone = stored.filter(({ terms }) => !wanted.has(terms.rewardId));
  const counters = results.flatMap(({ result }) => result.counters);
  const termsBy = Map.groupBy(written, recipientName);
  const goneBy = Map.groupBy(gone, recipientName);
  const countersBy = Map.groupBy(counters, recipientName);
  return {
    grantOf,
    moved,
    writesOf: (recipient) => {
      const name = recipientName(recipient);
      return {
        terms: termsBy.get(name) ?? [],
        gone: (goneBy.get(name) ?? []).map(({ terms }) => terms.rewardId),
        counters: countersBy.get(name) ?? [],
      };
    },
  };
}
