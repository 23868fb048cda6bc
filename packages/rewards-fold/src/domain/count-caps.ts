import { amountOf, type Grant, grantInOrder, counterName, type Used } from './apply-caps.ts';
import {
  isTight,
  laterOf,
  type CapCounter,
  type SeriesPlan,
  type StoredTerms,
} from './cap-counter.ts';
import type { SortKey } from './sort-key.ts';
import type { Terms } from './terms.ts';

export type SeriesResult = {
  /** Grants of the changed rewards, and of others whose grant differs now. */
  grants: ReadonlyMap<string, Grant>;
  /** Others whose grant is another now. */
  moved: readonly StoredTerms[];
  counters: readonly CapCounter[];
};

/** Counts as planned. `others`: what is stored in the ranges of the plan. */
export function countCapsOfSeries(plan: SeriesPlan, others: readonly StoredTerms[]): SeriesResult {
  const changed = plan.changes.flatMap(({ after }) => (after ? [after.terms] : []));
  switch (plan.how) {
    case 'apart': {
      const grants = new Map<string, Grant>();
      for (const terms of changed) {
        for (const [id, grant] of grantInOrder([terms], new Map())) grants.set(id, grant);
      }
      return { grants, moved: [], counters: [...plan.counters.values()] };
    }
    case 'append': {
      const used: Used = new Map();
      for (const [name, counter] of plan.stored) if (isTight(counter)) used.set(name, counter.used);
      const grants = grantInOrder(changed, used);
      const lasts = lastSortKeys(changed);
      const counters = [...plan.counters.values()].map((counter) => ({
        ...counter,
        used: used.get(counter.name) ?? counter.used,
        last: laterOf(counter.last, lasts.get(counter.name) ?? ''),
      }));
      return { grants, moved: [], counters };
    }
    case 'again':
      return countAgain(plan, changed, others);
    default:
      return plan.how satisfies never;
  }
}

function countAgain(
  plan: SeriesPlan,
  changed: readonly Terms[],
  others: readonly StoredTerms[],
): SeriesResult {
  const replaced = new Set(
    plan.changes.flatMap(({ before, after }) =>
      [before, after].flatMap((one) => (one ? [one.terms.rewardId] : [])),
    ),
  );
  const staying = others.filter(({ terms }) => !replaced.has(terms.rewardId));
  const all = [...staying.map(({ terms }) => terms), ...changed];
  const used: Used = new Map();
  const grants = grantInOrder(all, used);
  const moved = staying.filter(({ terms, grant }) => !sameGrant(grant, grants.get(terms.rewardId)));
  return { grants, moved, counters: countersAfter(plan, all, used) };
}

/**
 * Touched cap counters, and those that are tight within what was folded. What a cap counter holds
 * is taken from the changes for those that reach beyond the fold. A tight one does not, so it
 * forgets the caps of rewards that have left it: a stored cap counter is tight only by those that
 * are in it, or it would be passed over here once the others are not and keep a wrong `used`.
 */
function countersAfter(plan: SeriesPlan, all: readonly Terms[], used: Used): CapCounter[] {
  const isAllRead = plan.ranges.every((range) => !range.busyOnly);
  const sums = new Map<string, { wanted: bigint; cap: bigint }>();
  for (const terms of all) {
    for (const limit of terms.limits) {
      const name = counterName(limit, terms.second);
      const { wanted, cap } = sums.get(name) ?? { wanted: 0n, cap: limit.cap };
      const least = limit.cap < cap ? limit.cap : cap;
      sums.set(name, { wanted: wanted + amountOf(limit, terms.wanted), cap: least });
    }
  }
  const lasts = lastSortKeys(all);
  const counters = new Map(plan.counters);
  for (const [name, sum] of sums) {
    const touched = counters.get(name);
    if (!touched && !isTight(sum)) continue;
    // Those that were not read are not behind what the cap counter knew.
    const last = laterOf(lasts.get(name) ?? '', touched?.last ?? '');
    const state = { used: used.get(name) ?? 0n, last };
    const held = touched && !(isAllRead && isTight(touched)) ? touched : sum;
    counters.set(name, { ...plan.series, name, ...held, ...state });
  }
  return [...counters.values()];
}

/**
 * Where the last step of each cap counter is, refunds included: only what comes behind it appends.
 */
function lastSortKeys(all: readonly Terms[]): Map<string, SortKey> {
  const lasts = new Map<string, SortKey>();
  for (const terms of all) {
    const last = terms.refunds.reduce(
      (sortKey, refund) => laterOf(sortKey, refund.place),
      terms.sortKey,
    );
    for (const limit of terms.limits) {
      const name = counterName(limit, terms.second);
      lasts.set(name, laterOf(lasts.get(name) ?? '', last));
    }
  }
  return lasts;
}

function sameGrant(a: Grant, b: Grant | undefined): boolean {
  if (!b) return false;
  return a.granted === b.granted && a.entitled === b.entitled && sameRooms(a.rooms, b.rooms);
}

function sameRooms(a: Grant['rooms'], b: Grant['rooms']): boolean {
  return a.length === b.length && a.every((room, i) => room === b[i]);
}
