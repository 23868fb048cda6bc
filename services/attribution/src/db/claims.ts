import type { EventSource } from '@tributary/contracts/event-record';
import { columnsOf } from '@tributary/runtime/columns';
import type { Tx } from '@tributary/runtime/postgres';
import type { Claim, Holder } from '@tributary/attribution-fold/claim';

export type ClaimKey = { tenantId: string; businessKey: string };

/**
 * Takes the business keys that nobody holds; says which keys those were. The rows are locked until
 * the transaction ends. Waits for whoever is about to take one of them.
 */
export async function insertClaims(tx: Tx, claims: readonly Claim[]): Promise<Set<string>> {
  const { rows } = await tx.query<{ business_key: string }>({
    name: 'insert_claims',
    text: `insert into claim (tenant_id, business_key, event_id, new_user_id, source,
             occurred_at_seconds, received_at, amount, currency, invoice)
           select * from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[],
             $6::text[], $7::text[], $8::bigint[], $9::text[], $10::text[])
             as taken (tenant_id, business_key)
           order by tenant_id collate "C", business_key collate "C"
           on conflict (tenant_id, business_key) do nothing
           returning business_key`,
    values: toColumns(claims),
  });
  return new Set(rows.map((row) => row.business_key));
}

/** Locks the rows in one order everywhere. */
export async function lockClaims(tx: Tx, keys: readonly ClaimKey[]): Promise<Claim[]> {
  const { rows } = await tx.query<ClaimRow>({
    name: 'lock_claims',
    text: `select ${columns}
           from unnest($1::text[], $2::text[]) as wanted (tenant_id, business_key)
           join claim using (tenant_id, business_key)
           order by claim.tenant_id, claim.business_key
           for update of claim`,
    values: columnsOf(keys, 'tenantId', 'businessKey'),
  });
  return rows.map(fromRow);
}

/** Under their locks. */
export async function moveClaims(tx: Tx, claims: readonly Claim[]): Promise<void> {
  if (claims.length === 0) return;
  await tx.query({
    name: 'move_claims',
    text: `update claim
           set event_id = next.event_id, new_user_id = next.new_user_id, source = next.source,
             occurred_at_seconds = next.occurred_at_seconds, received_at = next.received_at,
             amount = next.amount, currency = next.currency, invoice = next.invoice
           from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[],
             $7::text[], $8::bigint[], $9::text[], $10::text[]) as next (tenant_id, business_key,
             event_id, new_user_id, source, occurred_at_seconds, received_at, amount, currency,
             invoice)
           where claim.tenant_id = next.tenant_id and claim.business_key = next.business_key`,
    values: toColumns(claims),
  });
}

export async function readClaims(tx: Tx, keys: readonly ClaimKey[]): Promise<Claim[]> {
  const { rows } = await tx.query<ClaimRow>({
    name: 'read_claims',
    text: `select ${columns}
           from unnest($1::text[], $2::text[]) as wanted (tenant_id, business_key)
           join claim using (tenant_id, business_key)`,
    values: columnsOf(keys, 'tenantId', 'businessKey'),
  });
  return rows.map(fromRow);
}

/** All claims on the names of these invoices. */
export async function readClaimsOfInvoices(
  tx: Tx,
  invoices: readonly { tenantId: string; invoice: string }[],
): Promise<Claim[]> {
  const { rows } = await tx.query<ClaimRow>({
    name: 'read_claims_of_invoices',
    text: `select ${columns}
           from (select distinct * from unnest($1::text[], $2::text[]))
             as wanted (tenant_id, invoice)
           join claim using (tenant_id, invoice)`,
    values: columnsOf(invoices, 'tenantId', 'invoice'),
  });
  return rows.map(fromRow);
}

const columns = `claim.tenant_id, claim.business_key, claim.event_id, claim.new_user_id, claim.source,
  claim.occurred_at_seconds, claim.received_at, claim.amount, claim.currency, claim.invoice`;

type ClaimRow = {
  tenant_id: string;
  business_key: string;
  /** Null together with the others of the holder. */
  event_id: string | null;
  new_user_id: string;
  source: EventSource;
  occurred_at_seconds: string;
  received_at: string;
  amount: string | null;
  currency: string | null;
  invoice: string | null;
};

function fromRow(row: ClaimRow): Claim {
  const claim: Claim = { tenantId: row.tenant_id, businessKey: row.business_key };
  if (row.invoice !== null) claim.invoice = row.invoice;
  if (row.event_id === null) return claim;
  const holder: Holder = {
    eventId: row.event_id,
    newUserId: row.new_user_id,
    source: row.source,
    occurredAtSeconds: row.occurred_at_seconds,
    receivedAt: row.received_at,
  };
  if (row.amount !== null) holder.amount = Number(row.amount);
  if (row.currency !== null) holder.currency = row.currency;
  return { ...claim, holder };
}

function toColumns(claims: readonly Claim[]): unknown[][] {
  const holders = claims.map(({ holder }): Partial<Holder> => holder ?? {});
  return [
    ...columnsOf(claims, 'tenantId', 'businessKey'),
    ...columnsOf(holders, 'eventId', 'newUserId', 'source', 'occurredAtSeconds', 'receivedAt'),
    ...columnsOf(holders, 'amount', 'currency'),
    ...columnsOf(claims, 'invoice'),
  ];
}
