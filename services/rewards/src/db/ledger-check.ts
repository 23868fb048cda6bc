import type { Tx } from '@tributary/runtime/postgres';
import type pg from 'pg';

/** Milliseconds that a look at the whole ledger may take; after that it is given up. */
export const ledgerCheckLimitMs = 300_000;

export type LedgerCheck = {
  /** Recipients whose amounts disagreed. */
  unbalanced: number;
  /** When the last check began, in seconds since the epoch; 0: there was none. */
  checkedAtSeconds: number;
};

export async function readLedgerCheck(pool: pg.Pool): Promise<LedgerCheck> {
  const { rows } = await pool.query<{ unbalanced: number; checked: number }>(
    `select unbalanced, coalesce(extract(epoch from checked_at), 0)::float8 as checked
     from ledger_check`,
  );
  return { unbalanced: rows[0]?.unbalanced ?? 0, checkedAtSeconds: rows[0]?.checked ?? 0 };
}

/**
 * Whether a check is due; then it is this process's, and nobody else's for an hour at least, also
 * when this one is killed. A check is due an hour after the last one was begun, or later: all
 * checks together take at most a hundredth of the time.
 */
export async function claimLedgerCheck(pool: pg.Pool): Promise<boolean> {
  const { rowCount } = await pool.query(
    `update ledger_check set begun_at = now()
     where begun_at is null or begun_at + greatest(interval '1 hour', 100 * took) <= now()`,
  );
  return rowCount === 1;
}

/** The one that was begun came to no end: the next one waits as after one of the longest. */
export async function giveUpLedgerCheck(pool: pg.Pool): Promise<void> {
  await pool.query('update ledger_check set took = make_interval(secs => $1)', [
    ledgerCheckLimitMs / 1_000,
  ]);
}

/** By which a check in this transaction can be cancelled. */
export async function backendOf(tx: Tx): Promise<number> {
  const { rows } = await tx.query<{ pid: number }>('select pg_backend_pid() as pid');
  return rows[0]!.pid;
}

/** Recipients whose sums disagree, by tenant. */
export type Unbalanced = { tenantId: string; recipients: number };

/**
 * Finds recipients of whom three sums disagree: the totals of the recipient's row, the recipient's
 * rewards, and the ledger, whose entries must also sum to zero. It is one statement, so one
 * snapshot, and reads the three tables whole with one process of the server: none of them is sorted
 * by recipient (decision 38).
 */
export async function readUnbalanced(tx: Tx): Promise<Unbalanced[]> {
  await tx.query(`set local statement_timeout = ${ledgerCheckLimitMs}`);
  await tx.query('set local max_parallel_workers_per_gather = 0');
  const query = {
    text: `select tenant_id as "tenantId", count(*)::int as recipients from (
           select tenant_id from (
             select tenant_id, recipient_id, entitled as unrewarded, issued as ungranted,
               entitled as unposted, issued as unposted_issued, 0 as entries
             from recipient
             union all
             select tenant_id, recipient_id, -entitled, -issued, -coalesce(opened_credits, 0), 0, 0
             from entitlement
             union all
             select tenant_id, recipient_id, 0, 0,
               coalesce(entitled, 0) + coalesce(left_entitled, 0), -coalesce(issued, 0),
               coalesce(entitled, 0) + owed + coalesce(issued, 0)
                 + coalesce(left_entitled + left_owed, 0)
             from posting
           ) as amounts
           group by tenant_id, recipient_id
           having sum(unrewarded) <> 0 or sum(ungranted) <> 0 or sum(unposted) <> 0
             or sum(unposted_issued) <> 0 or sum(entries) <> 0
           ) as unbalanced
           group by tenant_id`,
    // Later than the server, which says why.
    query_timeout: ledgerCheckLimitMs + 5_000,
  };
  const { rows } = await tx.query<Unbalanced>(query);
  return rows;
}

/** What this transaction, which began with the check, has found. */
export async function writeLedgerCheck(tx: Tx, unbalanced: number): Promise<void> {
  await tx.query(
    `update ledger_check
     set checked_at = now(), took = clock_timestamp() - now(), unbalanced = $1`,
    [unbalanced],
  );
}

/**
 * Ends the check of this process of the server; where the server is away it ends with its
 * connection.
 */
export async function cancelLedgerCheck(pool: pg.Pool, pid: number): Promise<void> {
  await pool.query('select pg_cancel_backend($1)', [pid]).catch(() => undefined);
}
