import { createHash } from 'node:crypto';
import type { Tx } from '@tributary/runtime/postgres';

/** Where a projection stands in one partition, as this process holds it. */
export type Position = {
  epoch: bigint;
  /** The offset to apply next. */
  next: bigint;
  /** The digest of the record at `next - 1`; null at the very start. */
  digest: Buffer | null;
};

/** Proof that a record is the one that was applied: its key and value, not its offset. */
export function recordDigest(key: Buffer | null, value: Buffer | null): Buffer {
  const hash = createHash('sha256');
  for (const part of [key, value]) {
    hash.update(part === null ? '-' : `${part.length}:`);
    if (part !== null) hash.update(part);
  }
  return hash.digest();
}

/**
 * Takes partitions over: raises their epoch, which fences whoever held them before, and reads where
 * they stand. Rows are made for partitions never seen.
 */
export async function claimPositions(
  tx: Tx,
  projection: string,
  partitions: readonly { topic: string; partition: number }[],
): Promise<Map<string, Position>> {
  const { rows } = await tx.query<{
    topic: string;
    partition: number;
    next_offset: string;
    last_digest: Buffer | null;
    epoch: string;
  }>(
    `insert into projection_position (projection, topic, partition, epoch)
     select $1, topic, partition, 1
     from unnest($2::text[], $3::int[]) as claimed (topic, partition)
     order by topic, partition
     on conflict (projection, topic, partition)
     do update set epoch = projection_position.epoch + 1, stopped = null, updated_at = now()
     returning topic, partition, next_offset, last_digest, epoch`,
    [projection, partitions.map((p) => p.topic), partitions.map((p) => p.partition)],
  );
  return new Map(
    rows.map((row) => [
      `${row.topic}/${row.partition}`,
      { epoch: BigInt(row.epoch), next: BigInt(row.next_offset), digest: row.last_digest },
    ]),
  );
}

export type Advance = {
  topic: string;
  partition: number;
  from: Position;
  to: Pick<Position, 'next' | 'digest'>;
};

/**
 * The first statement of every batch transaction. False when somebody else has claimed one of the
 * partitions or moved its position: the caller is fenced and must roll back.
 */
export async function advancePositions(
  tx: Tx,
  projection: string,
  advances: readonly Advance[],
): Promise<boolean> {
  const { rowCount } = await tx.query({
    name: 'advance_positions',
    text: `update projection_position as p
           set next_offset = a.next_offset, last_digest = a.last_digest, updated_at = now()
           from unnest($2::text[], $3::int[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bytea[])
             as a (topic, partition, from_offset, epoch, next_offset, last_digest)
           where p.projection = $1 and p.topic = a.topic and p.partition = a.partition
             and p.next_offset = a.from_offset and p.epoch = a.epoch`,
    values: [
      projection,
      advances.map((a) => a.topic),
      advances.map((a) => a.partition),
      advances.map((a) => a.from.next),
      advances.map((a) => a.from.epoch),
      advances.map((a) => a.to.next),
      advances.map((a) => a.to.digest),
    ],
  });
  return rowCount === advances.length;
}

/**
 * Records for all processes that the holder of this epoch reads the partition no further, and why.
 * A database that was put back from a backup may have an earlier epoch of it.
 */
export async function markStopped(
  db: Pick<Tx, 'query'>,
  projection: string,
  stop: { topic: string; partition: number; epoch: bigint; why: string },
): Promise<void> {
  await db.query(
    `update projection_position set stopped = $5
     where projection = $1 and topic = $2 and partition = $3 and epoch <= $4`,
    [projection, stop.topic, stop.partition, stop.epoch, stop.why],
  );
}

/** Partitions that whoever holds them had to stop, as `topic/partition`. */
export async function readStopped(db: Pick<Tx, 'query'>, projection: string): Promise<Set<string>> {
  const { rows } = await db.query<{ topic: string; partition: number }>(
    `select topic, partition from projection_position
     where projection = $1 and stopped is not null`,
    [projection],
  );
  return new Set(rows.map(({ topic, partition }) => `${topic}/${partition}`));
}

/** Next offsets of all partitions, whoever holds them, keyed `topic/partition`. */
export async function readPositions(
  tx: Pick<Tx, 'query'>,
  projection: string,
): Promise<Map<string, bigint>> {
  const { rows } = await tx.query<{ topic: string; partition: number; next_offset: string }>(
    'select topic, partition, next_offset from projection_position where projection = $1',
    [projection],
  );
  return new Map(rows.map((row) => [`${row.topic}/${row.partition}`, BigInt(row.next_offset)]));
}

/** The topic of a partition that is named `topic/partition`. */
export function topicOfPartition(partition: string): string {
  return partition.slice(0, partition.lastIndexOf('/'));
}

/** Offsets as they are told to others, `topic/partition` → `123`. */
export function textOfOffsets(offsets: ReadonlyMap<string, bigint>): Record<string, string> {
  return Object.fromEntries([...offsets].map(([partition, offset]) => [partition, `${offset}`]));
}
