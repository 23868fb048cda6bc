import type { Tx } from '@tributary/runtime/postgres';
import { parseCredits } from '../../domain/credits.ts';
import type { RecipientKey } from '../../domain/entitlement.ts';
import type { Totals } from '../../domain/recipient-change.ts';

export type RecipientRow = RecipientKey & { totals: Totals; undecided: boolean };

/**
 * Locks the rows, in one order everywhere so that waiting never goes in a circle, and says what
 * they hold. Makes those that are missing.
 */
export async function lockRecipients(
  tx: Tx,
  keys: readonly RecipientKey[],
): Promise<RecipientRow[]> {
  const { rows } = await tx.query<Row>({
    name: 'lock_recipients',
    text: `insert into recipient (tenant_id, recipient_id)
           select tenant_id, recipient_id
           from unnest($1::text[], $2::text[]) as wanted (tenant_id, recipient_id)
           order by tenant_id collate "C", recipient_id collate "C"
           on conflict (tenant_id, recipient_id) do update set tenant_id = excluded.tenant_id
           returning ${columns}`,
    values: columnsOf(keys),
  });
  return rows.map(fromRow);
}

/** Recipients with something to release whom nobody else has locked, locked. */
export async function lockDueRecipients(tx: Tx, limit: number): Promise<RecipientRow[]> {
  const { rows } = await tx.query<Row>({
    name: 'lock_due_recipients',
    text: `select ${columns} from recipient
           where due_at <= now() and undecided_reason is null
           order by due_at, tenant_id, recipient_id
           limit $1
           for update skip locked`,
    values: [limit],
  });
  return rows.map(fromRow);
}

/** One due recipient, locked or not; for when all of them are locked by somebody. */
export async function findDueRecipient(tx: Tx): Promise<RecipientKey | undefined> {
  const { rows } = await tx.query<Row>({
    name: 'find_due_recipient',
    text: `select ${columns} from recipient
           where due_at <= now() and undecided_reason is null
           order by due_at, tenant_id, recipient_id
           limit 1`,
  });
  return rows[0] && fromRow(rows[0]);
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

function columnsOf(keys: readonly RecipientKey[]): [string[], string[]] {
  return [keys.map((k) => k.tenantId), keys.map((k) => k.recipientId)];
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
