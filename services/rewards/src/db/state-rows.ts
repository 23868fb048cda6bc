import { readPages, type TextRow } from '@tributary/runtime/read-pages';
import type pg from 'pg';

/** Neither: everything. */
export type Narrowing = { tenantId?: string | undefined; userId?: string | undefined };

type Reader = Pick<pg.ClientBase, 'query'>;
type Pages = AsyncGenerator<readonly TextRow[], void, void>;

const isMeant = `($1::text is null or tenant_id = $1) and ($2::text is null or recipient_id = $2)`;

/**
 * Rewards, with the campaign of the first issuance for those that give nothing now: of
 * such a reward nothing else is known for sure. And with what the facts about it sum up to, which
 * all generations share: a release trusts them.
 */
export function readRewardRows(tx: Reader, { tenantId, userId }: Narrowing): Pages {
  const text = `
    select reward_id::text, version::text, tenant_id, recipient_id, campaign_id, state,
      trim_scale(entitled)::text, trim_scale(issued)::text, campaign_revision::text, rule_id,
      recipient_role, business_key, event_id, occurred_at_seconds, received_at, matures_at, action,
      reviews::text, tests::text, calculation::text,
      case when entitled = 0 and issued <> 0 then (
        select issuance.campaign_id from issuance
        where issuance.reward_id = entitlement.reward_id
        order by issued_at collate "C", issuance_id limit 1) end,
      trim_scale(coalesce(facts, 0))::text, texts::text, new_user_id, occurred_at
    from entitlement left join (
      select reward_id, sum(credits) as facts from issuance where ${isMeant} group by reward_id
    ) as issuances using (reward_id)
    where ${isMeant}`;
  return readPages(tx, { text, values: [tenantId ?? null, userId ?? null] });
}

/**
 * Tenant, recipient, what its row has as entitled and issued, and what the ledger has as entitled,
 * issued and owed. A recipient that only one of the two knows is told as well.
 */
export function readRecipientRows(tx: Reader, { tenantId, userId }: Narrowing): Pages {
  const text = `
    with ledger as (
      select tenant_id, recipient_id,
        -coalesce(sum(entitled), 0) - coalesce(sum(left_entitled), 0) as entitled,
        coalesce(sum(issued), 0) as issued,
        coalesce(sum(owed), 0) + coalesce(sum(left_owed), 0) as owed
      from ledger_posting
      where ${isMeant}
      group by tenant_id, recipient_id
    ), known as (
      select tenant_id, recipient_id, entitled, issued from recipient where ${isMeant}
    )
    select tenant_id, recipient_id,
      trim_scale(coalesce(known.entitled, 0))::text, trim_scale(coalesce(known.issued, 0))::text,
      trim_scale(coalesce(ledger.entitled, 0))::text, trim_scale(coalesce(ledger.issued, 0))::text,
      trim_scale(coalesce(ledger.owed, 0))::text
    from known full join ledger using (tenant_id, recipient_id)`;
  return readPages(tx, { text, values: [tenantId ?? null, userId ?? null] });
}
