import type { Tx } from '@tributary/runtime/postgres';
import type { Entitlement, RecipientKey } from '@tributary/rewards-fold/entitlement';
import type { BusinessFact } from '@tributary/rewards-fold/fold-tables';
import { entitlementColumns, type EntitlementRow, fromRow } from './entitlement-row.ts';

/** The indexes are over digests of names, which are compared as well. */
export const hasBusinessKey = (wanted: string) =>
  `hashtextextended(entitlement.business_key, 0) = hashtextextended(${wanted}, 0)
   and entitlement.business_key = ${wanted}`;

export const rewardedAs = (row: string) =>
  `hashtextextended(entitlement.recipient_id, hashtextextended(entitlement.tenant_id, 0))
     = hashtextextended(${row}.recipient_id, hashtextextended(${row}.tenant_id, 0))
   and entitlement.tenant_id = ${row}.tenant_id
   and entitlement.recipient_id = ${row}.recipient_id`;

const columns = entitlementColumns.map((column) => `entitlement.${column}`).join(', ');

/** Rewards for these facts, and these rewards by id (ids of rewards not seen yet are welcome). */
export async function readEntitlements(
  tx: Tx,
  facts: readonly BusinessFact[],
  rewardIds: readonly string[],
): Promise<Entitlement[]> {
  const { rows } = await tx.query<EntitlementRow>({
    name: 'read_entitlements',
    text: `select ${columns}
           from unnest($1::text[], $2::text[]) as fact (tenant_id, business_key)
           join entitlement on entitlement.tenant_id = fact.tenant_id
             and ${hasBusinessKey('fact.business_key')}
           union all
           select ${columns} from entitlement where reward_id = any($3::uuid[])`,
    values: [facts.map((f) => f.tenantId), facts.map((f) => f.businessKey), rewardIds],
  });
  const byId = new Map(rows.map((row) => [row.reward_id, fromRow(row)]));
  return [...byId.values()];
}

/**
 * Held rewards of each recipient that may be settled `now`, at most `limit` of each: those first
 * whose hold ended first, and of those without a hold the first in canonical order. An index
 * answers this, however many others a busy referrer has.
 */
export async function readMatured(
  tx: Tx,
  recipients: readonly RecipientKey[],
  now: string,
  limit: number,
): Promise<Entitlement[]> {
  const { rows } = await tx.query<EntitlementRow>({
    name: 'read_matured',
    text: `select entitlement.*
           from unnest($1::text[], $2::text[]) as wanted (tenant_id, recipient_id)
           cross join lateral (
             select ${columns} from entitlement
             where release_at <= $3 and ${rewardedAs('wanted')}
             order by release_at, payment_order, received_at, event_id
             limit $4
           ) as entitlement`,
    values: [recipients.map((r) => r.tenantId), recipients.map((r) => r.recipientId), now, limit],
  });
  return rows.map(fromRow);
}

/** Settled rewards of each recipient on which a correction can be paid, at most `limit` of each. */
export async function readCorrectable(
  tx: Tx,
  recipients: readonly RecipientKey[],
  limit: number,
): Promise<Entitlement[]> {
  if (recipients.length === 0) return [];
  const { rows } = await tx.query<EntitlementRow>({
    name: 'read_correctable',
    text: `select entitlement.*
           from unnest($1::text[], $2::text[]) as wanted (tenant_id, recipient_id)
           cross join lateral (
             select ${columns} from entitlement
             where correctable and ${rewardedAs('wanted')}
             order by payment_order, received_at, event_id
             limit $3
           ) as entitlement`,
    values: [recipients.map((r) => r.tenantId), recipients.map((r) => r.recipientId), limit],
  });
  return rows.map(fromRow);
}
