/** Where a dispatcher under test can be met; the words of its `observe`. */
export const moments = ['claimed', 'sending', 'answered', 'told', 'flushing'] as const;
export type Moment = (typeof moments)[number];

/**
 * What a dispatcher does when it comes to a moment for the n-th time since it was told: end at once,
 * or wait for the word to go on (and then, with SIGTERM, stop). With `onwards` each later time waits
 * too.
 */
export type Order = {
  moment: Moment;
  times: number;
  act: 'SIGKILL' | 'SIGTERM' | 'wait' | 'wait-onwards';
};

export type Report = { adminPort: number } | { reached: Moment };

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
