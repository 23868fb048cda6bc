/** The first few of any number of things in some order, reported in any order. */
export type FirstOf<T> = { add(item: T): void; list(): T[] };

/** @param options.compare A total order, so that the outcome does not depend on that of telling. */
export function createFirstOf<T>(options: {
  most: number;
  compare: (a: T, b: T) => number;
}): FirstOf<T> {
  const { most, compare } = options;
  let kept: T[] = [];
  let last: T | undefined;

  function trim(): void {
    kept = kept.sort(compare).slice(0, most);
    last = kept.length === most ? kept.at(-1) : undefined;
  }

  return {
    add(item) {
      if (last !== undefined && compare(item, last) > 0) return;
      kept.push(item);
      // Sorted now and then only: the cost of one is small, however many are told.
      if (kept.length > 10 * most) trim();
    },
    list() {
      trim();
      return kept;
    },
  };
}
