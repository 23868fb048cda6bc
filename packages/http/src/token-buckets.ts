/** Takes one from a bucket; undefined when that was possible, else in how many seconds it is. */
export type TakeToken = (key: string, rate: { perSecond: number }) => number | undefined;

/**
 * A token bucket for each key, which holds `burstSeconds`' worth: an honest burst passes, a flood
 * is cut to the rate. A bucket that nobody used for as long as it takes to fill is the same as
 * none; when there are many, those are forgotten, and should that not do, all are.
 */
export function createTokenBuckets(options: {
  burstSeconds?: number;
  nowMs?: () => number;
  mostBuckets?: number;
}): TakeToken {
  const { burstSeconds = 10, nowMs = () => performance.now(), mostBuckets = 50_000 } = options;
  const buckets = new Map<string, { tokens: number; atMs: number }>();

  function forgetFull(now: number): void {
    for (const [key, { atMs }] of buckets) {
      // In the order of their last use.
      if (now - atMs <= burstSeconds * 1_000) break;
      buckets.delete(key);
    }
    if (buckets.size >= mostBuckets) buckets.clear();
  }

  return (key, { perSecond }) => {
    const now = nowMs();
    const size = Math.max(1, perSecond * burstSeconds);
    const { tokens: left, atMs } = buckets.get(key) ?? { tokens: size, atMs: now };
    const tokens = Math.min(size, left + ((now - atMs) / 1_000) * perSecond);
    if (!buckets.delete(key) && buckets.size >= mostBuckets) forgetFull(now);
    const isTaken = tokens >= 1;
    buckets.set(key, { tokens: isTaken ? tokens - 1 : tokens, atMs: now });
    return isTaken ? undefined : Math.max(1, Math.ceil((1 - tokens) / perSecond));
  };
}
