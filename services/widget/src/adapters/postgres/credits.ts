import type { Queryable } from './queryable.ts';

/** Exact decimals without trailing zeros. */
export type Credits = { held: string; issued: string };

/**
 * Of one recipient over all campaigns. Issued is all that ever was. Held is what is still to come: the
 * entitlements that nobody withheld, those in review too, less what is issued; in each campaign what
 * the recipient owes there (issued, then taken back by a refund) is netted against it, as the
 * release will do (design 7, "Issuing").
 */
export async function creditsOf(
  db: Queryable,
  tenantId: string,
  recipientId: string,
): Promise<Credits> {
  const { rows } = await db.query<Credits>({
    name: 'widget_credits_of',
    text: `select trim_scale(coalesce(sum(greatest(to_come, 0)), 0))::text as held,
             trim_scale(coalesce(sum(issued), 0))::text as issued
           from (
             select sum(issued) as issued,
               sum(case when state = 'withheld' then least(entitled, issued) else entitled end
                 - issued) as to_come
             from reward where tenant_id = $1 and recipient_id = $2 group by campaign_id
           ) as campaign`,
    values: [tenantId, recipientId],
  });
  return rows[0]!;
}
