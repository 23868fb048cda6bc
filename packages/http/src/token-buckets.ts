/** Takes one from a bucket; undefined when that was possible, else in how many seconds it is. */
export type TakeToken = (key: string, rate: { perSecond: number }) => number | undefined;

/**
 * A token bucket for each key, which holds `burstSeconds`' worth: an honest burst passes, a flood
 * is cut to the rate. There are at most `mostBuckets`: whenever half as many have been used since
 * the last time, all others are forgotten, so a flood of keys empties nobody's who goes on.
 */
export function createTokenBuckets(options: {
  burstSeconds?: number;
  nowMs?: () => number;
  mostBuckets?: number;
}): TakeToken {
  const { burstSeconds = 10, nowMs = () => performance.now(), mostBuckets = 50_000 } = options;
  let recent = new Map<string, Bucket>();
  let older = new Map<string, Bucket>();

  function bucketOf(key: string, unused: Bucket): Bucket {
    const known = recent.get(key);
    if (known) return known;
    const found = older.get(key) ?? unused;
    if (recent.size >= mostBuckets / 2) {
      older = recent;
      recent = new Map();
    }
    recent.set(key, found);
    return found;
  }

  return (key, { perSecond }) => {
    const now = nowMs();
    const size = Math.max(1, perSecond * burstSeconds);
    const bucket = bucketOf(key, { tokens: size, atMs: now });
    const filled = bucket.tokens + ((now - bucket.atMs) / 1_000) * perSecond;
    const tokens = Math.min(size, filled);
    const isTaken = tokens >= 1;
    bucket.tokens = isTaken ? tokens - 1 : tokens;
    bucket.atMs = now;
    return isTaken ? undefined : Math.max(1, Math.ceil((1 - tokens) / perSecond));
  };
}

type Bucket = { tokens: number; atMs: number };
