/** Objects are merged, all else is replaced. */
export function mergeSettings(base: unknown, changes: unknown): unknown {
  if (!isPlain(base) || !isPlain(changes)) return changes === undefined ? base : changes;
  const names = new Set([...Object.keys(base), ...Object.keys(changes)]);
  return Object.fromEntries(
    [...names].map((name) => [name, mergeSettings(base[name], changes[name])]),
  );
}

function isPlain(value: unknown): value is Record<string, unknown> {
  return (
    typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
  );
}
