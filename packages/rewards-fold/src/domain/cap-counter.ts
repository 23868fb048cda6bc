import { periodOf } from './calendar.ts';
import type { LimitKind } from './look-back.ts';
import { amountOf, type Grant, counterName } from './apply-caps.ts';
import { type SortKey, sortKeyOfSecond } from './sort-key.ts';
import type { OwnTexts } from './target.ts';
import type { Terms } from './terms.ts';
import type { SortKeyRange } from './tiers.ts';
import type { RecipientRole, CandidateReward } from './candidate-reward.ts';

/**
 * Limits per recipient, counted as facts arrive. A series is all that one rule gives one recipient
 * in one role; a cap counter is one limit of it in one period.
 *
 * While all that is wanted in a cap counter fits its cap, the cap counter is loose: nothing is cut,
 * and an arrival changes nothing but itself, in any order. In a tight cap counter the order
 * matters. What comes behind everything in it goes on from what is used up; anything else folds the
 * period again.
 */
export type SeriesKey = {
  tenantId: string;
  campaignId: string;
  recipientId: string;
  ruleId: string;
  role: RecipientRole;
};

export type CapCounterKey = SeriesKey & { name: string };

export type CapCounter = CapCounterKey & {
  /** The sum of what is wanted. */
  wanted: bigint;
  /** The lowest cap of those who want it: revisions may differ. */
  cap: bigint;
  /** For a tight cap counter: what is used up after its last step, and where that is. */
  used: bigint;
  last: SortKey;
};

/** With `busyOnly` without those that are {@link isIdle}. */
export type SeriesRange = SeriesKey & Partial<SortKeyRange> & { busyOnly: boolean };

/** What a reward wanted and got when it was last counted. */
export type StoredTerms = SeriesKey & {
  businessKey: string;
  terms: Terms;
  grant: Grant;
  own: OwnTexts;
};

/** A reward that wants something else than before, or nothing any more. */
export type SeriesChange = { before?: StoredTerms; after?: Omit<StoredTerms, 'grant'> };

export function isTight({ wanted, cap }: Pick<CapCounter, 'wanted' | 'cap'>): boolean {
  return wanted > cap;
}

export function seriesOf({ tenantId, campaignId, recipientId, cause }: CandidateReward): SeriesKey {
  return { tenantId, campaignId, recipientId, ruleId: cause.ruleId, role: cause.recipientRole };
}

export function seriesText(key: SeriesKey): string {
  return JSON.stringify([key.tenantId, key.campaignId, key.recipientId, key.ruleId, key.role]);
}

/** Cap counters that a reward is in, and those it would be in under other revisions. */
export function counterKeysOf(
  key: SeriesKey,
  kinds: readonly LimitKind[],
  second: number,
): CapCounterKey[] {
  const { tenantId, campaignId, recipientId, ruleId, role } = key;
  return kinds.map((kind) => ({
    ...{ tenantId, campaignId, recipientId, ruleId, role },
    name: counterName(kind, second),
  }));
}

export type SeriesPlan = {
  series: SeriesKey;
  changes: readonly SeriesChange[];
  /** Touched cap counters as they are with the changes, by name. */
  counters: ReadonlyMap<string, CapCounter>;
  /** Cap counters as stored, by name. */
  stored: ReadonlyMap<string, CapCounter>;
  how: 'apart' | 'append' | 'again';
  /** What to fold again. */
  ranges: readonly Omit<SeriesRange, keyof SeriesKey>[];
};

/** How the changes of one series can be counted. `kinds`: all that its rule ever had. */
export function planSeries(
  series: SeriesKey,
  changes: readonly SeriesChange[],
  kinds: readonly LimitKind[],
  stored: ReadonlyMap<string, CapCounter>,
): SeriesPlan {
  const counters = withChanges(series, changes, stored);
  const plan = { series, changes, counters, stored };
  const tightAt = (second: number) =>
    kinds.filter((kind) => {
      const name = counterName(kind, second);
      return [counters.get(name), stored.get(name)].some((counter) => counter && isTight(counter));
    });
  const seconds = changes.flatMap(({ before, after }) =>
    [before, after].flatMap((one) => (one ? [one.terms.second] : [])),
  );
  const tight = seconds.map((second) => ({ second, kinds: tightAt(second) }));
  if (tight.every((one) => one.kinds.length === 0)) return { ...plan, how: 'apart', ranges: [] };
  if (changes.every((change) => isAppended(change, tightAt, stored))) {
    return { ...plan, how: 'append', ranges: [] };
  }
  const ranges = new Map(
    tight.flatMap((one) => {
      const range = rangeOf(kinds, one.kinds, one.second);
      return range ? [[`${range.from ?? ''}|${range.before ?? ''}`, range] as const] : [];
    }),
  );
  const whole = ranges.get('|');
  const needed = whole ? [whole] : withoutOverlap([...ranges.values()]);
  const busyOnly = kinds.length === 1 && changes.every(isPlainArrival);
  return { ...plan, how: 'again', ranges: needed.map((range) => ({ ...range, busyOnly })) };
}

/**
 * A new reward without refunds. Under a single limit it can only take room from others, so whoever
 * found none, finds none: {@link isIdle} rewards stay as they are and need not be read. A referrer
 * far above a cap costs what fits the cap.
 */
function isPlainArrival({ before, after }: SeriesChange): boolean {
  return before === undefined && after !== undefined && after.terms.refunds.length === 0;
}

/**
 * Yet it may leave room where there was none, when others lose more by rounding than it takes: of
 * two refunds each is rounded, and of two revisions each has its scale.
 */
export function mayGiveRoom(plan: SeriesPlan, busy: readonly StoredTerms[]): boolean {
  const all = [
    ...plan.changes.flatMap(({ after }) => after?.terms ?? []),
    ...busy.map(({ terms }) => terms),
  ];
  return all.some(
    ({ refunds, scale }) => refunds.filter(isRounded).length > 1 || scale !== all[0]?.scale,
  );
}

function isRounded({ left: [part, whole] }: Terms['refunds'][number]): boolean {
  return part !== 0n && part !== whole;
}

/** It got nothing, for there was no room at all; it takes no room either. */
export function isIdle({ granted, rooms }: Grant): boolean {
  return granted === 0n && rooms.every((room) => room === undefined || room === 0n);
}

/**
 * A new reward behind all that its tight cap counters have; they were tight before, so they know.
 */
function isAppended(
  { before, after }: SeriesChange,
  tightAt: (second: number) => readonly LimitKind[],
  stored: ReadonlyMap<string, CapCounter>,
): boolean {
  if (before || !after) return false;
  return tightAt(after.terms.second).every((kind) => {
    const counter = stored.get(counterName(kind, after.terms.second));
    return counter !== undefined && isTight(counter) && counter.last < after.terms.sortKey;
  });
}

/**
 * What tight cap counters tie together. Periods lie within each other, so it is the longest tight
 * one; a wider cap counter that is loose ties nothing. Only weeks and months overlap: with both,
 * everything is folded.
 */
function rangeOf(
  kinds: readonly LimitKind[],
  tight: readonly LimitKind[],
  second: number,
): Partial<SortKeyRange> | undefined {
  if (tight.length === 0) return undefined;
  const has = (list: readonly LimitKind[], period: LimitKind['period']) =>
    list.some((kind) => kind.period === period);
  if (has(tight, 'lifetime')) return {};
  const widest = has(tight, 'month') ? 'month' : has(tight, 'week') ? 'week' : 'day';
  if (widest !== 'day' && has(kinds, 'week') && has(kinds, 'month')) return {};
  const { start = 0, end = 0 } = periodOf(widest, second);
  return { from: sortKeyOfSecond(start), before: sortKeyOfSecond(end) };
}

/** A day within a month that is folded anyway. */
function withoutOverlap(ranges: readonly Partial<SortKeyRange>[]): Partial<SortKeyRange>[] {
  return ranges.filter((a) => !ranges.some((b) => a !== b && isWithin(a, b)));
}

function isWithin(a: Partial<SortKeyRange>, b: Partial<SortKeyRange>): boolean {
  const wider = (b.from ?? '') <= (a.from ?? '') && (a.before ?? '') <= (b.before ?? '');
  return wider && !(a.from === b.from && a.before === b.before);
}

function withChanges(
  series: SeriesKey,
  changes: readonly SeriesChange[],
  stored: ReadonlyMap<string, CapCounter>,
): Map<string, CapCounter> {
  const counters = new Map<string, CapCounter>();
  const add = (terms: Terms, sign: 1n | -1n) => {
    for (const limit of terms.limits) {
      const name = counterName(limit, terms.second);
      const counter = counters.get(name) ??
        stored.get(name) ?? { ...series, name, wanted: 0n, cap: limit.cap, used: 0n, last: '' };
      const cap = sign === 1n && limit.cap < counter.cap ? limit.cap : counter.cap;
      counters.set(name, {
        ...counter,
        cap,
        wanted: counter.wanted + sign * amountOf(limit, terms.wanted),
      });
    }
  };
  for (const { before, after } of changes) {
    if (before) add(before.terms, -1n);
    if (after) add(after.terms, 1n);
  }
  return counters;
}

export function laterOf(a: SortKey, b: SortKey): SortKey {
  return a > b ? a : b;
}

/** Nothing about it that counts has changed. */
export function sameTerms(a: Terms, b: Terms): boolean {
  return a.rewardId === b.rewardId && termsText(a) === termsText(b);
}

function termsText({ sortKey, second, wanted, scale, limits, refunds }: Terms): string {
  return JSON.stringify([
    ...[sortKey, second, String(wanted), scale],
    limits.map(({ period, measure, cap }) => [period, measure, String(cap)]),
    refunds.map(({ left: [part, whole], ...refund }) => [
      ...[refund.place, refund.eventId, refund.detail],
      `${part}/${whole}`,
    ]),
  ]);
}
