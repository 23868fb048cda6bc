/**
 * Finds items of a list by a key that they have. `byUser(events, id)` says the same as
 * `events.filter((event) => keysOf(event).includes(id))`, in the order of the list, and looks at
 * every item once instead of at every question. A list that was asked is never changed.
 */
export function lookUp<T>(keysOf: (item: T) => readonly string[]) {
  const known = new WeakMap<readonly T[], ReadonlyMap<string, readonly T[]>>();
  return (items: readonly T[], key: string): readonly T[] => {
    const byKey = known.get(items) ?? group(items, keysOf);
    known.set(items, byKey);
    return byKey.get(key) ?? [];
  };
}

function group<T>(items: readonly T[], keysOf: (item: T) => readonly string[]): Map<string, T[]> {
  const byKey = new Map<string, T[]>();
  for (const item of items) {
    for (const key of new Set(keysOf(item))) {
      const others = byKey.get(key);
      if (others === undefined) byKey.set(key, [item]);
      else others.push(item);
    }
  }
  return byKey;
}
