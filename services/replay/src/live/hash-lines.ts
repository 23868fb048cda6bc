import { hash } from 'node:crypto';
import type { TenantHashes } from '@tributary/contracts/admin/replay-results';
import { createSetHash, type SetHash } from '@tributary/contracts/state-hash';
import { comparedLine, spread } from '../domain/compared-line.ts';
import { readLines } from './read-lines.ts';
import type { LineFile } from '../domain/live-state.ts';

/**
 * One side in short: hashes per tenant, and for each bucket of ids the sum and the number of its
 * lines. Where two sides differ is in the buckets that differ, which are few when few items do.
 */
export type HashedLines = {
  tenants: TenantHashes[];
  buckets: { sums: number[]; counts: number[] };
};

export const bucketCount = 4_096;

/** Which lines have to be looked at one by one. */
export function bucketOf(id: string): number {
  return spread(id) % bucketCount;
}

/** 48 bits of the digest, so that sums of two stay exact. */
const sumModulus = 2 ** 48;

export async function hashLines(files: readonly LineFile[]): Promise<HashedLines> {
  const sums = new Float64Array(bucketCount);
  const counts = new Uint32Array(bucketCount);
  const tenants = new Map<string, Record<'d' | 'r' | 'b', SetHash>>();

  for await (const lines of readLines(files)) {
    for (const line of lines) {
      const { tag, tenantId, id, text } = comparedLine(line);
      const digest = hash('sha256', text, 'buffer');
      let sets = tenants.get(tenantId);
      if (!sets) {
        sets = { d: createSetHash(), r: createSetHash(), b: createSetHash() };
        tenants.set(tenantId, sets);
      }
      sets[tag].addDigest(digest);
      const bucket = bucketOf(id);
      sums[bucket] = (sums[bucket]! + digest.readUIntBE(0, 6)) % sumModulus;
      counts[bucket]! += 1;
    }
  }
  return {
    tenants: [...tenants].map(([tenantId, { d, r, b }]) => ({
      tenantId,
      decisions: d.value(),
      rewards: r.value(),
      recipients: b.value(),
    })),
    buckets: { sums: [...sums], counts: [...counts] },
  };
}
