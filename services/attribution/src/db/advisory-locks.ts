import type { Tx } from '@tributary/runtime/postgres';

/**
 * Locks of things that may not have a row yet, held until the transaction ends. Shared holders do
 * not hinder each other; who wants one alone waits for them, and those who come later wait behind
 * it, so neither side starves. Names fall into a fixed number of buckets: a batch of any shape
 * takes a bounded part of the server's lock table.
 */
type LockKind = 'tenant' | 'code';
type LockMode = 'shared' | 'exclusive';

const buckets: Record<LockKind, number> = { tenant: 128, code: 64 };

export async function lockTenants(
  tx: Tx,
  mode: LockMode,
  tenantIds: readonly string[],
): Promise<void> {
  await lockBuckets(tx, 'tenant', mode, tenantIds);
}

export async function lockCodes(
  tx: Tx,
  mode: LockMode,
  codes: readonly { tenantId: string; ucc: string }[],
): Promise<void> {
  const names = codes.map(({ tenantId, ucc }) => `${tenantId}:${ucc}`);
  await lockBuckets(tx, 'code', mode, names);
}

/**
 * In ascending order, always. Another schema, another generation of the fold, has its own locks.
 */
async function lockBuckets(
  tx: Tx,
  kind: LockKind,
  mode: LockMode,
  names: readonly string[],
): Promise<void> {
  const wanted = [...new Set(names.map((name) => bucketOf(name, buckets[kind])))];
  const lock = mode === 'shared' ? 'pg_advisory_xact_lock_shared' : 'pg_advisory_xact_lock';
  await tx.query({
    name: `lock_${kind}_${mode}`,
    text: `select ${lock}(hashtext(current_schema() || '/${kind}'), bucket)
           from unnest($1::int[]) as bucket`,
    values: [wanted.sort((a, b) => a - b)],
  });
}

/** FNV-1a; every process of every release must agree on it. */
function bucketOf(name: string, count: number): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < name.length; i++) {
    hash = Math.imul(hash ^ name.charCodeAt(i), 0x01000193);
  }
  return (hash >>> 0) % count;
}
