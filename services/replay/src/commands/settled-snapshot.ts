import { setTimeout as delay } from 'node:timers/promises';
import { NoSnapshot } from '../live/take-live-snapshot.ts';
import type { TakeLiveSnapshot } from '../domain/live-state.ts';
import type { PublishedRevision } from './find-published.ts';

/**
 * A snapshot of live that has read a revision and followed it: attribution is frozen only when
 * nothing waits to be folded anew. With much history that takes longer than one snapshot is tried.
 */
export function settledSnapshot(
  takeLiveSnapshot: TakeLiveSnapshot,
  { partition, offset }: Pick<PublishedRevision, 'partition' | 'offset'>,
): TakeLiveSnapshot {
  return async function takeSettled(request) {
    const { signal, note } = request;
    for (let rounds = 1; ; rounds += 1) {
      try {
        const snapshot = await takeLiveSnapshot(request);
        if (BigInt(snapshot.attribution.positions[partition] ?? 0) > offset) return snapshot;
      } catch (error) {
        if (!(error instanceof NoSnapshot) || rounds >= roundsAtMost) throw error;
        await note('live still follows the revision');
      }
      await delay(1_000, undefined, { signal });
    }
  };
}

/** Each takes about a quarter of an hour. */
const roundsAtMost = 40;
