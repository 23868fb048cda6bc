import { countLimit } from '@tributary/contracts/admin/answer-fields';
import { findClasses, isOfWholeDays, sumClasses } from './classes.ts';
import { createConditions } from './conditions.ts';
import { type CountedPart, type Counts, sumGroups } from './count-groups.ts';
import { addIssuanceFilter, type IssuanceFilter } from './list-issuances.ts';
import { addPeriod } from './paging.ts';
import type { Queryable } from './queryable.ts';

type Part = CountedPart<'campaign'>;

/** How much was issued, by campaign. */
export async function countIssuances(
  db: Queryable,
  tenantId: string,
  filter: IssuanceFilter,
): Promise<Counts<'campaign'>> {
  const { recipient, reward, campaign } = filter;
  const isTallied = recipient === undefined && reward === undefined && isOfWholeDays(filter);
  if (!isTallied) return countListed(db, tenantId, filter);
  const classes = await findClasses(db, tenantId, 'issuance', { campaign });
  const campaigns = new Map(classes.map((one) => [one.class, one.campaign]));
  const sums = await sumClasses(db, classes, filter);
  const parts = sums.map(({ class: number, members, credits }): Part => {
    return { values: { campaign: campaigns.get(number) }, count: members, credits };
  });
  return sumGroups(parts, ['campaign'], false);
}

async function countListed(
  db: Queryable,
  tenantId: string,
  filter: IssuanceFilter,
): Promise<Counts<'campaign'>> {
  const conditions = createConditions();
  addIssuanceFilter(conditions, tenantId, filter);
  addPeriod(conditions, 'issued_at', filter);
  const { rows } = await db.query<{ campaign: string; count: number; credits: string }>(
    `select campaign_id as campaign, count(*)::int as count,
       trim_scale(sum(credits))::text as credits
     from (select campaign_id, credits from issuance where ${conditions.where()}
       limit ${countLimit + 1}) as found
     group by campaign_id`,
    conditions.values,
  );
  const parts = rows.map(({ campaign, ...sums }): Part => ({ values: { campaign }, ...sums }));
  const all = parts.reduce((total, { count }) => total + count, 0);
  return sumGroups(parts, ['campaign'], all > countLimit);
}
