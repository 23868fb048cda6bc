import type { Tx } from '@tributary/runtime/postgres';
import type { Entitlement, RecipientKey } from '../../domain/entitlement.ts';
import type { BusinessFact } from './decisions.ts';
import { entitlementColumns, type EntitlementRow, fromRow } from './entitlement-row.ts';

const columns = entitlementColumns.map((column) => `entitlement.${column}`).join(', ');

/** Who has, or once had, a reward for one of these facts. */
export async function readTouchesOf(
  tx: Tx,
  facts: readonly BusinessFact[],
): Promise<(RecipientKey & BusinessFact)[]> {
  if (facts.length === 0) return [];
  const { rows } = await tx.query<{
    tenant_id: string;
    recipient_id: string;
    business_key: string;
  }>({
    name: 'read_touches_of',
    text: `select distinct tenant_id, recipient_id, business_key
           from unnest($1::text[], $2::text[]) as fact (tenant_id, business_key)
           join entitlement using (tenant_id, business_key)`,
    values: [facts.map((f) => f.tenantId), facts.map((f) => f.businessKey)],
  });
  return rows.map((row) => ({
    tenantId: row.tenant_id,
    recipientId: row.recipient_id,
    businessKey: row.business_key,
  }));
}

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
           join entitlement using (tenant_id, business_key)
           union all
           select ${columns} from entitlement where reward_id = any($3::uuid[])`,
    values: [facts.map((f) => f.tenantId), facts.map((f) => f.businessKey), rewardIds],
  });
  const byId = new Map(rows.map((row) => [row.reward_id, fromRow(row)]));
  return [...byId.values()];
}

/** Open rewards of each recipient, held ones first, at most `limit` of each. */
export async function readOpenEntitlements(
  tx: Tx,
  recipients: readonly RecipientKey[],
  limit: number,
): Promise<Entitlement[]> {
  const { rows } = await tx.query<EntitlementRow>({
    name: 'read_open_entitlements',
    text: `select entitlement.*
           from unnest($1::text[], $2::text[]) as wanted (tenant_id, recipient_id)
           cross join lateral (
             select ${columns} from entitlement
             where open and entitlement.tenant_id = wanted.tenant_id
               and entitlement.recipient_id = wanted.recipient_id
             order by state, payment_order, received_at, event_id
             limit $3
           ) as entitlement`,
    values: [recipients.map((r) => r.tenantId), recipients.map((r) => r.recipientId), limit],
  });
  return rows.map(fromRow);
}
