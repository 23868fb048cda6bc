/**
 * One record per entity, the one with the highest version, and in the order of their keys: an
 * upsert may meet a row once only, and all writers take rows in one order.
 */
export function newestOf<T>(
  records: readonly T[],
  keyOf: (record: T) => string,
  versionOf: (record: T) => number,
): T[] {
  const newest = new Map<string, T>();
  for (const record of records) {
    const key = keyOf(record);
    const known = newest.get(key);
    if (known === undefined || versionOf(record) > versionOf(known)) newest.set(key, record);
  }
  return [...newest].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, record]) => record);
}

/** As {@link newestOf}, of records that are all the same for one key. */
export function oneOfEach<T>(records: readonly T[], keyOf: (record: T) => string): T[] {
  return newestOf(records, keyOf, () => 0);
}
