import type { CampaignRevisionRecord } from '@tributary/contracts/catalog-record';
import type { SortKey } from './sort-key.ts';
import type { Step } from './step.ts';

/**
 * Where in the canonical order a referrer's count of users reaches each threshold of a tier. A user
 * counts from the first purchase on of which refunds have left something; that is evaluated by all
 * refunds there are, so a boundary may move when one comes.
 */
export type Boundaries = ReadonlyMap<number, SortKey>;

/** Is there another effect from so many users on? A first tier holds from the beginning. */
export function thresholdsOf(revision: CampaignRevisionRecord): number[] {
  return revision.rules.flatMap(({ effect }) =>
    effect.kind === 'tiered' ? effect.tiers.map((tier) => tier.fromCount) : [],
  );
}

export function boundariesOf(
  lane: readonly Pick<Step, 'newUserId' | 'isRetained' | 'sortKey'>[],
  thresholds: readonly number[],
): Boundaries {
  const firsts = new Map<string, SortKey>();
  for (const { newUserId, isRetained, sortKey } of lane) {
    if (!isRetained) continue;
    const known = firsts.get(newUserId);
    if (known === undefined || sortKey < known) firsts.set(newUserId, sortKey);
  }
  const sortKeys = [...firsts.values()].sort();
  return new Map(
    thresholds.flatMap((threshold) => {
      const sortKey = sortKeys[threshold - 1];
      return sortKey === undefined ? [] : [[threshold, sortKey] as const];
    }),
  );
}

export type SortKeyRange = { from: SortKey; before?: SortKey };

/** Where steps may be in another tier now: between the old and the new place of a boundary. */
export function movedRanges(before: Boundaries, after: Boundaries): SortKeyRange[] {
  const ranges: SortKeyRange[] = [];
  for (const threshold of new Set([...before.keys(), ...after.keys()])) {
    const [a, b] = [before.get(threshold), after.get(threshold)];
    if (a === b) continue;
    if (a === undefined || b === undefined) ranges.push({ from: (a ?? b)! });
    else ranges.push(a < b ? { from: a, before: b } : { from: b, before: a });
  }
  return ranges;
}
