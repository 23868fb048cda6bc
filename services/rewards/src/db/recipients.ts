import { columnsOf } from '@tributary/runtime/columns';
import type { Tx } from '@tributary/runtime/postgres';
import { parseCredits } from '@tributary/rewards-fold/credits';
import type { RecipientKey } from '@tributary/rewards-fold/entitlement';
import type { Totals } from '@tributary/rewards-fold/recipient-change';
import { rewardedAs } from './entitlements.ts';

export type RecipientRow = RecipientKey & { totals: Totals; undecided: boolean };

/** With the partition of the decisions that reward it, as far as the caller knows. */
export type RecipientToLock = RecipientKey & { partition?: number | undefined };

/**
 * Locks the rows, in one order everywhere so that waiting never goes in a circle, and says what
 * they hold. Makes those that are missing.
 */
export async function lockRecipients(
  tx: Tx,
  keys: readonly RecipientToLock[],
): Promise<RecipientRow[]> {
  const { rows } = await tx.query<Row>({
    name: 'lock_recipients',
    text: `insert into recipient (tenant_id, recipient_id, partition)
           select tenant_id, recipient_id, partition
           from unnest($1::text[], $2::text[], $3::int[])
             as wanted (tenant_id, recipient_id, partition)
           order by tenant_id collate "C", recipient_id collate "C"
           on conflict (tenant_id, recipient_id) do update
           set partition = coalesce(excluded.partition, recipient.partition)
           returning ${columns}`,
    values: columnsOf(keys, 'tenantId', 'recipientId', 'partition'),
  });
  return rows.map(fromRow);
}

/** Whom to release of those who are due; everybody where nothing is said. */
export type DueAmong = {
  /** Whom decisions of these partitions reward, or of no known one. */
  partitions?: readonly number[];
  /** Who has been due for so long that somebody should have released it. */
  forMs?: number;
};

/**
 * Recipients with something to release whom nobody else has locked, locked. `now` is the database's
 * time as the release has read it.
 */
export async function lockDueRecipients(
  tx: Tx,
  now: Date,
  among: DueAmong & { limit: number },
): Promise<RecipientRow[]> {
  const { rows } = await tx.query<Row>({
    name: 'lock_due_recipients',
    text: `select ${columns} from recipient where ${isDue}
           order by due_at, tenant_id, recipient_id
           limit $2
           for update skip locked`,
    values: dueValues(now, among),
  });
  return rows.map(fromRow);
}

/** Due recipients, locked or not. */
export async function findDueRecipients(
  tx: Tx,
  now: Date,
  among: DueAmong & { limit: number },
): Promise<RecipientKey[]> {
  const { rows } = await tx.query<Row>({
    name: 'find_due_recipients',
    text: `select ${columns} from recipient where ${isDue}
           order by due_at, tenant_id, recipient_id
           limit $2`,
    values: dueValues(now, among),
  });
  return rows.map(fromRow);
}

/** Undecided recipients whose time to be tried again has come, locked; nobody is waited for. */
export async function lockRetryRecipients(tx: Tx, limit: number): Promise<RecipientRow[]> {
  const { rows } = await tx.query<Row>({
    name: 'lock_retry_recipients',
    text: `select ${columns} from recipient
           where undecided_reason is not null and retry_at <= now()
           order by retry_at limit $1
           for update skip locked`,
    values: [limit],
  });
  return rows.map(fromRow);
}

/**
 * What a release leaves: when the next hold of these recipients ends, from their rewards, and no
 * memory of failures. Who has more that is due goes behind all who were due before `now`, so that
 * a busy recipient keeps nobody waiting. In a statement after the rewards were written: it reads
 * them.
 */
export async function writeDueAt(
  tx: Tx,
  keys: readonly RecipientKey[],
  now: string,
): Promise<void> {
  if (keys.length === 0) return;
  await tx.query({
    name: 'write_due_at',
    text: `update recipient
           set release_failures = 0, release_retry_at = null, due_since = now(),
             due_at = case
               when recipient.entitled - recipient.held - recipient.issued > 0 then $3::timestamptz
               else (select greatest(nullif(release_at, '')::timestamptz, $3::timestamptz)
                     from entitlement
                     where release_at is not null and ${rewardedAs('recipient')}
                     order by release_at limit 1) end
           from unnest($1::text[], $2::text[]) as released (tenant_id, recipient_id)
           where recipient.tenant_id = released.tenant_id
             and recipient.recipient_id = released.recipient_id`,
    values: [...columnsOf(keys, 'tenantId', 'recipientId'), now],
  });
}

/** A release of this recipient failed: nothing more of it for a while that grows. */
export async function postponeRelease(tx: Tx, key: RecipientKey): Promise<void> {
  await tx.query({
    name: 'postpone_release',
    text: `update recipient
           set release_failures = release_failures + 1,
             release_retry_at = now() + least(interval '5 minutes',
               interval '1 second' * power(2, least(release_failures, 16)))
           where tenant_id = $1 and recipient_id = $2`,
    values: [key.tenantId, key.recipientId],
  });
}

const isDue = `due_at <= $1::timestamptz and undecided_reason is null
  and (release_retry_at is null or release_retry_at <= now())
  and ($3::int[] is null or partition is null or partition = any($3::int[]))
  and ($4::int = 0 or due_since is null or due_since <= now() - $4 * interval '1 millisecond')`;

function dueValues(now: Date, among: DueAmong & { limit: number }): unknown[] {
  const { limit, partitions, forMs = 0 } = among;
  return [new Date(now.getTime() - forMs).toISOString(), limit, partitions ?? null, forMs];
}

const columns = `recipient.tenant_id, recipient.recipient_id, recipient.entitled,
  recipient.issued, recipient.held, recipient.undecided_reason is not null as undecided`;

type Row = {
  tenant_id: string;
  recipient_id: string;
  entitled: string;
  issued: string;
  held: string;
  undecided: boolean;
};

function fromRow(row: Row): RecipientRow {
  return {
    tenantId: row.tenant_id,
    recipientId: row.recipient_id,
    totals: {
      entitled: parseCredits(row.entitled),
      issued: parseCredits(row.issued),
      held: parseCredits(row.held),
    },
    undecided: row.undecided,
  };
}
