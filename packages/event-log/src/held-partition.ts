import type kafkajs from 'kafkajs';
import { type Position, recordDigest } from './position.ts';
import type { Source } from './projection.ts';

export type PartitionState =
  | 'running'
  | 'held-back'
  | 'backing-off'
  | 'fenced'
  | 'claiming'
  | 'refused'
  | 'newer-schema'
  | 'undecodable';

/** A partition that this process has claimed, in one assignment. */
export type Held = {
  source: Source;
  topic: string;
  partition: number;
  position: Position;
  /** Where the log ended when that was last seen. */
  end: bigint;
  /** False until the record before `next` was seen again and had the stored digest. */
  verified: boolean;
  state: PartitionState;
  detail?: string;
  /**
   * Records per transaction: halved by failures that are not the database's, doubled by success.
   */
  limit: number;
  failures: number;
};

/**
 * The record before `next` must be the one that was applied there (design 6, "proof of position").
 */
export function provePosition(
  { position: { next, digest }, source }: Held,
  first: kafkajs.KafkaMessage | undefined,
):
  | { outcome: 'seen-again' }
  | { outcome: 'compacted-away' }
  | { outcome: 'mismatch'; detail: string } {
  const offset = first ? BigInt(first.offset) : undefined;
  if (first && offset === next - 1n) {
    const same = digest !== null && recordDigest(first.key, first.value).equals(digest);
    if (same) return { outcome: 'seen-again' };
    return { outcome: 'mismatch', detail: `the record at offset ${offset} is not the one applied` };
  }
  if (offset !== undefined && offset >= next && source.compacted) {
    return { outcome: 'compacted-away' };
  }
  return {
    outcome: 'mismatch',
    detail: `offset ${next - 1n} was applied, but the log starts at ${offset ?? 'nothing'}`,
  };
}
