import type { Tx } from '@tributary/runtime/postgres';
import { type Fact, isRefund, namesOf } from '@tributary/attribution-fold/fact';
import type { ClaimKey } from './claims.ts';
import { factColumns, type FactRow, fromRow, hasKey, toReported } from './fact-row.ts';
import type { UserKey } from './referred-users.ts';

/** Stores what is new and says which events that were; a copy of an event changes nothing. */
export async function insertFacts(tx: Tx, facts: readonly Fact[]): Promise<Set<string>> {
  const { rows } = await tx.query<{ event_id: string }>({
    name: 'insert_facts',
    text: `insert into fact (event_id, tenant_id, new_user_id, ucc, business_key, purchase_key,
             reported)
           select * from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[],
             $6::text[], $7::json[]) as reported (event_id)
           order by event_id collate "C"
           on conflict (event_id) do nothing
           returning event_id`,
    values: [
      facts.map(({ event }) => event.eventId),
      facts.map(({ event }) => event.tenantId),
      facts.map(({ event }) => event.newUser.id),
      facts.map(({ event }) => event.ucc),
      facts.map(({ businessKey }) => businessKey),
      facts.map((fact) => (isRefund(fact) ? (namesOf(fact)[0] ?? null) : null)),
      facts.map(({ event }) => JSON.stringify(toReported(event))),
    ],
  });
  return new Set(rows.map((row) => row.event_id));
}

export async function readFacts(tx: Tx, eventIds: readonly string[]): Promise<Fact[]> {
  const { rows } = await tx.query<FactRow>({
    name: 'read_facts',
    text: `select ${factColumns} from fact where event_id = any($1)`,
    values: [eventIds],
  });
  return rows.map(fromRow);
}

export async function readFactsOfCodes(
  tx: Tx,
  codes: readonly { tenantId: string; ucc: string }[],
  limit: number,
): Promise<Fact[]> {
  const { rows } = await tx.query<FactRow>({
    name: 'read_facts_of_codes',
    text: `select ${factColumns}
           from unnest($1::text[], $2::text[]) as wanted (tenant_id, ucc)
           join fact using (tenant_id, ucc)
           limit $3`,
    values: [codes.map((c) => c.tenantId), codes.map((c) => c.ucc), limit],
  });
  return rows.map(fromRow);
}

/** Purchases and whatever else has one of these keys. */
export async function readFactsOfKeys(
  tx: Tx,
  keys: readonly ClaimKey[],
  limit: number,
): Promise<Fact[]> {
  const { rows } = await tx.query<FactRow>({
    name: 'read_facts_of_keys',
    text: `select ${factColumns}
           from unnest($1::text[], $2::text[]) as wanted (tenant_id, business_key)
           join fact on fact.tenant_id = wanted.tenant_id and ${hasKey('wanted.business_key')}
           limit $3`,
    values: [keys.map((k) => k.tenantId), keys.map((k) => k.businessKey), limit],
  });
  return rows.map(fromRow);
}

/** Refunds that name one of these purchases; all of them without a limit. */
export async function readRefundsOf(
  tx: Tx,
  purchases: readonly ClaimKey[],
  limit?: number,
): Promise<Fact[]> {
  const { rows } = await tx.query<FactRow>({
    name: 'read_refunds',
    text: `select ${factColumns}
           from unnest($1::text[], $2::text[]) as wanted (tenant_id, purchase_key)
           join fact using (tenant_id, purchase_key)
           limit $3`,
    values: [purchases.map((k) => k.tenantId), purchases.map((k) => k.businessKey), limit ?? null],
  });
  return rows.map(fromRow);
}

/** At most `limit` facts of each user; all of them without one. */
export async function readFactsOfUsers(
  tx: Tx,
  users: readonly UserKey[],
  limit: number | undefined,
): Promise<Fact[]> {
  const { rows } = await tx.query<FactRow>({
    name: 'read_facts_of_users',
    text: `select f.*
           from unnest($1::text[], $2::text[]) as wanted (tenant_id, new_user_id)
           cross join lateral (
             select ${factColumns} from fact
             where fact.tenant_id = wanted.tenant_id and fact.new_user_id = wanted.new_user_id
             limit $3) f`,
    values: [users.map((u) => u.tenantId), users.map((u) => u.newUserId), limit ?? null],
  });
  return rows.map(fromRow);
}
