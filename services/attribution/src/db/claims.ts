import { columnsOf } from '@tributary/runtime/columns';
import type { Tx } from '@tributary/runtime/postgres';
import { type Claim, toHolder } from '@tributary/attribution-fold/claim';
import { type FreshFacts, readFacts } from './facts.ts';

export type ClaimKey = { tenantId: string; businessKey: string };

/**
 * Takes the business keys that nobody holds; says which keys those were. The rows are locked until
 * the transaction ends. Waits for whoever is about to take one of them.
 */
export async function insertClaims(tx: Tx, claims: readonly Claim[]): Promise<Set<string>> {
  const { rows } = await tx.query<{ business_key: string }>({
    name: 'insert_claims',
    text: `insert into claim (tenant_id, business_key, event_id, invoice)
           select * from unnest($1::text[], $2::text[], $3::text[], $4::text[])
             as taken (tenant_id, business_key)
           order by tenant_id collate "C", business_key collate "C"
           on conflict (tenant_id, business_key) do nothing
           returning business_key`,
    values: toColumns(claims),
  });
  return new Set(rows.map((row) => row.business_key));
}

/** Locks the rows in one order everywhere. */
export async function lockClaims(
  tx: Tx,
  keys: readonly ClaimKey[],
  fresh?: FreshFacts,
): Promise<Claim[]> {
  const { rows } = await tx.query<ClaimRow>({
    name: 'lock_claims',
    text: `select ${columns}
           from unnest($1::text[], $2::text[]) as wanted (tenant_id, business_key)
           join claim using (tenant_id, business_key)
           order by claim.tenant_id, claim.business_key
           for update of claim`,
    values: columnsOf(keys, 'tenantId', 'businessKey'),
  });
  return withHolders(tx, rows, fresh);
}

/** Under their locks. */
export async function moveClaims(tx: Tx, claims: readonly Claim[]): Promise<void> {
  if (claims.length === 0) return;
  await tx.query({
    name: 'move_claims',
    text: `update claim
           set event_id = next.event_id, invoice = next.invoice, new_user_id = null, source = null,
             occurred_at_seconds = null, received_at = null, amount = null, currency = null
           from unnest($1::text[], $2::text[], $3::text[], $4::text[])
             as next (tenant_id, business_key, event_id, invoice)
           where claim.tenant_id = next.tenant_id and claim.business_key = next.business_key`,
    values: toColumns(claims),
  });
}

export async function readClaims(
  tx: Tx,
  keys: readonly ClaimKey[],
  fresh?: FreshFacts,
): Promise<Claim[]> {
  const { rows } = await tx.query<ClaimRow>({
    name: 'read_claims',
    text: `select ${columns}
           from unnest($1::text[], $2::text[]) as wanted (tenant_id, business_key)
           join claim using (tenant_id, business_key)`,
    values: columnsOf(keys, 'tenantId', 'businessKey'),
  });
  return withHolders(tx, rows, fresh);
}

/** All claims on the names of these invoices. */
export async function readClaimsOfInvoices(
  tx: Tx,
  invoices: readonly { tenantId: string; invoice: string }[],
  fresh?: FreshFacts,
): Promise<Claim[]> {
  const { rows } = await tx.query<ClaimRow>({
    name: 'read_claims_of_invoices',
    text: `select ${columns}
           from (select distinct * from unnest($1::text[], $2::text[]))
             as wanted (tenant_id, invoice)
           join claim using (tenant_id, invoice)`,
    values: columnsOf(invoices, 'tenantId', 'invoice'),
  });
  return withHolders(tx, rows, fresh);
}

const columns = 'claim.tenant_id, claim.business_key, claim.event_id, claim.invoice';

type ClaimRow = {
  tenant_id: string;
  business_key: string;
  /** Null: only refunds have named the invoice. */
  event_id: string | null;
  invoice: string | null;
};

/**
 * The facts are read after the claims, by a statement of their own: one that had to wait for a lock
 * would not see the fact of a holder that came meanwhile.
 */
async function withHolders(
  tx: Tx,
  rows: readonly ClaimRow[],
  fresh: FreshFacts | undefined,
): Promise<Claim[]> {
  const eventIds = new Set(rows.flatMap(({ event_id }) => event_id ?? []));
  const found = eventIds.size > 0 ? await readFacts(tx, [...eventIds], fresh) : [];
  const facts = new Map(found.map((fact) => [fact.event.eventId, fact]));
  return rows.map(({ tenant_id: tenantId, business_key: businessKey, event_id, invoice }) => {
    const claim: Claim = { tenantId, businessKey, ...(invoice !== null && { invoice }) };
    if (event_id === null) return claim;
    const fact = facts.get(event_id);
    if (!fact) throw new Error(`the fact of event ${event_id} is gone, which holds ${businessKey}`);
    return { ...claim, holder: toHolder(fact) };
  });
}

function toColumns(claims: readonly Claim[]): unknown[][] {
  return columnsOf(claims, 'tenantId', 'businessKey', ({ holder }) => holder?.eventId, 'invoice');
}
