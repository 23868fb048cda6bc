const dayMs = 86_400_000;

/** Gaps longer ago say nothing of what is usual. */
export const lookBackMs = 30 * dayMs;
/** From so many events on there is something usual. */
export const fewestEvents = 10;
/** Nobody is called for less. */
const shortestSilenceMs = 3_600_000;

/**
 * The longest gap between two events of the last 30 days, in milliseconds; null with fewer than
 * ten, when nothing can be called usual. `eventTimesMs` in any order, as received by us.
 */
export function usualGapMs(eventTimesMs: readonly number[], nowMs: number): number | null {
  const recent = eventTimesMs
    .filter((timeMs) => timeMs > nowMs - lookBackMs && timeMs <= nowMs)
    .sort((a, b) => a - b);
  if (recent.length < fewestEvents) return null;
  let longest = 0;
  for (let n = 1; n < recent.length; n++) longest = Math.max(longest, recent[n]! - recent[n - 1]!);
  return longest;
}

/** Whether nothing has come for more than twice the usual gap, and for more than an hour. */
export function isSilent(seen: {
  lastEventMs: number | null;
  usualGapMs: number | null;
  nowMs: number;
}): boolean {
  if (seen.lastEventMs === null || seen.usualGapMs === null) return false;
  const silenceMs = seen.nowMs - seen.lastEventMs;
  return silenceMs > 2 * seen.usualGapMs && silenceMs > shortestSilenceMs;
}
