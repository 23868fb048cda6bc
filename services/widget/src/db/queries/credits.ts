import type { WidgetSession } from '@tributary/contracts/public/widget-session';
import type { Queryable } from './queryable.ts';

/** Exact decimals without trailing zeros. */
export type Credits = WidgetSession['credits'];

/**
 * The credits of one recipient over all campaigns, as the release settles them (decision 5). Kept
 * back is what of a reward cannot be paid yet: all that is not issued of one that waits for its
 * hold or an operator, and what one that was issued has grown by while it is in review. Earned is
 * everything else that they are entitled to, whether it was paid or went into what they owed; what
 * was issued beyond it is to be offset. What an operator withholds is neither earned nor still to
 * come.
 */
export async function creditsOf(
  db: Queryable,
  tenantId: string,
  recipientId: string,
): Promise<Credits> {
  const { rows } = await db.query<Credits>({
    name: 'widget_credits_of',
    text: creditsStatement,
    values: [tenantId, recipientId],
  });
  return rows[0]!;
}

const creditsStatement = `
  with own as (
    select entitled, issued, greatest(entitled - issued, 0) as open,
      case when state in ('held', 'review', 'withheld') then state
        when state = 'issued' then case action.type
          when 'withheld' then 'withheld'
          when 'released' then null
          else case when reviewed then 'review' end
        end
      end as kept_back_as
    from reward left join reward_action as action using (reward_id)
    where tenant_id = $1 and recipient_id = $2
  ), total as (
    select coalesce(sum(entitled - case when kept_back_as is null then 0 else open end), 0) as earned,
      coalesce(sum(open) filter (where kept_back_as in ('held', 'review')), 0) as held,
      coalesce(sum(issued), 0) as issued
    from own
  )
  select trim_scale(earned)::text as earned, trim_scale(held)::text as held,
    trim_scale(greatest(issued - earned, 0))::text as "toOffset", trim_scale(issued)::text as issued
  from total`;
