import type { Ends } from './read-ends.ts';

/**
 * Partitions, as `topic/partition`, of which something is left to read up to these ends, and
 * whether that is to be waited for: what somebody has to repair first is passed over. Where
 * records may expire, nothing is left to read once all have.
 */
export function unreadPartitions(
  ends: Ends,
  positions: ReadonlyMap<string, bigint>,
  stopped: ReadonlySet<string>,
  mayExpire: (partition: string) => boolean,
): { unread: string[]; isToWaitFor: boolean } {
  const unread = [...ends]
    .filter(
      ([at, { low, high }]) => (positions.get(at) ?? 0n) < high && !(high === low && mayExpire(at)),
    )
    .map(([at]) => at);
  return { unread, isToWaitFor: unread.some((at) => !stopped.has(at)) };
}
