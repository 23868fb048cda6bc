import { countLimit } from '@tributary/contracts/admin/answer-fields';
import { plus } from '../../domain/exact-decimal.ts';

/** What was counted, before it is summed by one member after the other. */
export type CountedPart<By extends string> = {
  values: Partial<Record<By, string | null | undefined>>;
  count: number;
  credits?: string | undefined;
};
export type Counted = { count: number; more: boolean; credits?: string | undefined };
export type Counts<By extends string> = {
  total: Counted;
  groups: ({ by: By; value: string } & Counted)[];
};

/**
 * Sums by each member and in total. With `more` the parts are of the first {@link countLimit} only:
 * there are at least so many of each, and nobody knows their credits.
 */
export function sumGroups<By extends string>(
  parts: readonly CountedPart<By>[],
  by: readonly By[],
  more: boolean,
): Counts<By> {
  const sum = (chosen: readonly CountedPart<By>[]): Counted => {
    const count = chosen.reduce((total, part) => total + part.count, 0);
    if (more) return { count: Math.min(count, countLimit), more };
    const credits = chosen.flatMap((part) => part.credits ?? []);
    return { count, more, ...(credits.length > 0 && { credits: credits.reduce(plus) }) };
  };
  const groups = by.flatMap((name) => {
    const values = new Map<string, CountedPart<By>[]>();
    for (const part of parts) {
      const value = part.values[name];
      if (value === null || value === undefined || part.count === 0) continue;
      values.set(value, [...(values.get(value) ?? []), part]);
    }
    return [...values]
      .map(([value, chosen]) => ({ by: name, value, ...sum(chosen) }))
      .sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1));
  });
  return { total: sum(parts), groups };
}
