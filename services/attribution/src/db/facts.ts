import { recordKey } from '@tributary/contracts/topics';
import type { Tx } from '@tributary/runtime/postgres';
import { type Fact, isRefund, namesOf, userKeyOf } from '@tributary/attribution-fold/fact';
import type { Claim } from '@tributary/attribution-fold/claim';
import type { ClaimKey } from './claims.ts';
import {
  factColumns,
  type FactRow,
  fromRow,
  hasCode,
  hasKey,
  hasPurchaseKey,
  hasUser,
} from './fact-row.ts';
import type { UserKey } from './referred-users.ts';

/**
 * What a transaction is about to store, by event. It does so at its end, when all of it is decided,
 * so whoever reads facts before that adds these.
 */
export type FreshFacts = ReadonlyMap<string, Fact>;

const none: FreshFacts = new Map();

/** Which of these events are stored. */
export async function readKnownEvents(tx: Tx, eventIds: readonly string[]): Promise<Set<string>> {
  const { rows } = await tx.query<{ event_id: string }>({
    name: 'read_known_events',
    text: 'select event_id from fact where event_id = any($1)',
    values: [eventIds],
  });
  return new Set(rows.map((row) => row.event_id));
}

export async function readFacts(
  tx: Tx,
  eventIds: readonly string[],
  fresh: FreshFacts = none,
): Promise<Fact[]> {
  const own = eventIds.flatMap((eventId) => fresh.get(eventId) ?? []);
  const stored = eventIds.filter((eventId) => !fresh.has(eventId));
  if (stored.length === 0) return own;
  const { rows } = await tx.query<FactRow>({
    name: 'read_facts',
    text: `select ${factColumns} from fact where event_id = any($1)`,
    values: [stored],
  });
  return [...own, ...rows.map(fromRow)];
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
           join fact on fact.tenant_id = wanted.tenant_id
             and ${hasCode('wanted.tenant_id', 'wanted.ucc')}
           limit $3`,
    values: [codes.map((c) => c.tenantId), codes.map((c) => c.ucc), limit],
  });
  return rows.map(fromRow);
}

/**
 * Stored purchases and whatever else has one of these keys. Who holds a key is known by the claim
 * on it, so only the others are in an index.
 */
export async function readFactsOfKeys(
  tx: Tx,
  claims: readonly Claim[],
  limit: number,
): Promise<Fact[]> {
  const { rows } = await tx.query<FactRow>({
    name: 'read_facts_of_keys',
    text: `select ${factColumns}
           from unnest($1::text[], $2::text[]) as wanted (tenant_id, business_key)
           join fact on fact.tenant_id = wanted.tenant_id
             and fact.is_rival and ${hasKey('wanted.business_key')}
           union all
           select ${factColumns} from fact where event_id = any($3) and not is_rival
           limit $4`,
    values: [
      claims.map((claim) => claim.tenantId),
      claims.map((claim) => claim.businessKey),
      [...new Set(claims.flatMap(({ holder }) => holder?.eventId ?? []))],
      limit,
    ],
  });
  return rows.map(fromRow);
}

/** Events that held a business key and lost it. */
export async function markRivals(tx: Tx, eventIds: readonly string[]): Promise<void> {
  if (eventIds.length === 0) return;
  await tx.query({
    name: 'mark_rivals',
    text: 'update fact set is_rival = true where event_id = any($1) and not is_rival',
    values: [eventIds],
  });
}

/** Refunds that name one of these purchases; of those that are stored all without a limit. */
export async function readRefundsOf(
  tx: Tx,
  purchases: readonly ClaimKey[],
  { limit, fresh = none }: { limit?: number; fresh?: FreshFacts } = {},
): Promise<Fact[]> {
  const { rows } = await tx.query<FactRow>({
    name: 'read_refunds',
    text: `select ${factColumns}
           from unnest($1::text[], $2::text[]) as wanted (tenant_id, purchase_key)
           join fact on fact.tenant_id = wanted.tenant_id
             and ${hasPurchaseKey('wanted.purchase_key')}
           limit $3`,
    values: [purchases.map((k) => k.tenantId), purchases.map((k) => k.businessKey), limit ?? null],
  });
  const named = new Set(purchases.map(({ businessKey }) => businessKey));
  const own = [...fresh.values()].filter((fact) => named.has(purchaseKeyOf(fact) ?? ''));
  return [...own, ...rows.map(fromRow)];
}

/** The key of the purchase that a refund names, which has the tenant in it. */
export function purchaseKeyOf(fact: Fact): string | undefined {
  return isRefund(fact) ? namesOf(fact)[0] : undefined;
}

/** At most `limit` stored facts of each user, all of them without one; and the new ones. */
export async function readFactsOfUsers(
  tx: Tx,
  users: readonly UserKey[],
  limit: number | undefined,
  fresh: FreshFacts = none,
): Promise<Fact[]> {
  const { rows } = await tx.query<FactRow>({
    name: 'read_facts_of_users',
    text: `select f.*
           from unnest($1::text[], $2::text[]) as wanted (tenant_id, new_user_id)
           cross join lateral (
             select ${factColumns} from fact
             where fact.tenant_id = wanted.tenant_id
               and ${hasUser('wanted.tenant_id', 'wanted.new_user_id')}
             limit $3) f`,
    values: [users.map((u) => u.tenantId), users.map((u) => u.newUserId), limit ?? null],
  });
  const named = new Set(users.map((user) => recordKey(user.tenantId, user.newUserId)));
  const own = [...fresh.values()].filter((fact) => named.has(userKeyOf(fact)));
  return [...own, ...rows.map(fromRow)];
}
