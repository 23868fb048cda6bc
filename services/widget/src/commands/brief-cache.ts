/** Answers that are looked up again after a moment; see {@link createBriefCache}. */
export type BriefCache<V> = (key: string, load: () => V) => V;

/**
 * Keeps what was found for `keepMs`, nothing found included, so that many who ask for one thing
 * cost one look-up. A promise is kept as one, and forgotten when it fails. With `maxEntries` the
 * one that was put in first makes room.
 */
export function createBriefCache<V>(options: {
  keepMs: number;
  maxEntries: number;
  nowMs: () => number;
}): BriefCache<V> {
  const { keepMs, maxEntries, nowMs } = options;
  const entries = new Map<string, { value: V; untilMs: number }>();

  return (key, load) => {
    const known = entries.get(key);
    if (known !== undefined && nowMs() < known.untilMs) return known.value;
    // Maps keep their order: taken out, so that what is put in again counts as new.
    entries.delete(key);
    if (entries.size >= maxEntries) entries.delete(entries.keys().next().value!);
    const entry = { value: load(), untilMs: nowMs() + keepMs };
    entries.set(key, entry);
    if (entry.value instanceof Promise) {
      entry.value.catch(() => {
        if (entries.get(key) === entry) entries.delete(key);
      });
    }
    return entry.value;
  };
}
