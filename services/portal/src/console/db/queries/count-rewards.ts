import { countLimit } from '@tributary/contracts/admin/answer-fields';
import { type Class, findClasses, isOfWholeDays, sumClasses } from './classes.ts';
import { createConditions } from './conditions.ts';
import { type CountedPart, type Counts, sumGroups } from './count-groups.ts';
import {
  addRewardFilter,
  driverOf,
  rewardClassFilter,
  settledSources,
} from './find-reward-places.ts';
import type { RewardFilter } from './list-rewards.ts';
import { addPeriod, walkedAtOnce } from './paging.ts';
import { walkToCount } from './places.ts';
import type { Queryable } from './queryable.ts';
import { keptBackAs } from './reward-state.ts';

const groups = ['state', 'campaign', 'rule', 'role'] as const;
type Group = (typeof groups)[number];
type Part = CountedPart<Group>;

/**
 * How many rewards the list would find, with their credits: what is kept back of those that are
 * held, in review or withheld, and all that the others entitle to.
 */
export async function countRewards(
  db: Queryable,
  tenantId: string,
  filter: RewardFilter,
): Promise<Counts<Group>> {
  if (driverOf(tenantId, filter) !== undefined) return countWalked(db, tenantId, filter);
  const classes = await findClasses(db, tenantId, 'reward', rewardClassFilter(filter));
  const ofClasses = isOfWholeDays(filter)
    ? await sumClasses(db, classes, filter)
    : await sumInClasses(db, { tenantId, classes }, filter);
  const byClass = new Map(classes.map((one) => [one.class, one]));
  const parts = ofClasses.map(({ class: number, members, credits, open }): Part => {
    const values = byClass.get(number);
    const sum = isKept(values?.state) ? open : credits;
    return { values: values ?? {}, count: members, credits: sum };
  });
  const settled = await countSettled(db, tenantId, filter);
  const isScanned = !isOfWholeDays(filter) && sumOf([...parts, ...settled]) > countLimit;
  return combine(parts, settled, filter, isScanned || sumOf(settled) > countLimit);
}

/**
 * Settled ones that wait are asked for as what they wait for. Without a state they are among the
 * issued ones already, and are told as what they are besides.
 */
function combine(
  parts: readonly Part[],
  settled: readonly Part[],
  filter: RewardFilter,
  more: boolean,
): Counts<Group> {
  const both = sumGroups([...parts, ...settled], groups, more);
  if (filter.state !== undefined) return both;
  const { total, groups: all } = sumGroups(parts, groups, more);
  const states = both.groups.filter(({ by }) => by === 'state');
  return { total, groups: [...states, ...all.filter(({ by }) => by !== 'state')] };
}

function isKept(state: string | null | undefined): boolean {
  return state === 'held' || state === 'review' || state === 'withheld';
}

async function sumInClasses(
  db: Queryable,
  { tenantId, classes }: { tenantId: string; classes: readonly Class[] },
  filter: RewardFilter,
): Promise<{ class: string; members: number; credits: string; open: string }[]> {
  const conditions = createConditions();
  conditions.add(`class = any(${conditions.value(classes.map((one) => one.class))}::bigint[])`);
  conditions.equal('tenant_id', tenantId);
  addPeriod(conditions, 'recorded_at', filter);
  const { rows } = await db.query<Awaited<ReturnType<typeof sumInClasses>>[number]>(
    `select class, count(*)::int as members, trim_scale(sum(entitled))::text as credits,
       trim_scale(sum(greatest(entitled - issued, 0)))::text as open
     from (select class, entitled, issued from reward where ${conditions.where()}
       limit ${countLimit + 1}) as found
     group by class`,
    conditions.values,
  );
  return rows;
}

/** What settled rewards have grown by, where it waits for an operator. */
export async function countSettled(
  db: Queryable,
  tenantId: string,
  filter: RewardFilter,
): Promise<Part[]> {
  const states = filter.state === undefined ? (['review', 'withheld'] as const) : [filter.state];
  const parts: Part[] = [];
  for (const state of states) {
    for (const { from, where, at } of settledSources(tenantId, { ...filter, state })) {
      const conditions = createConditions();
      where(conditions);
      addPeriod(conditions, at, filter);
      const { rows } = await db.query<Record<Group, string> & { count: number; credits: string }>(
        `select '${state}' as state, campaign_id as campaign, rule_id as rule,
           recipient_role as role, count(*)::int as count,
           trim_scale(sum(entitled - issued))::text as credits
         from (select campaign_id, rule_id, recipient_role, entitled, issued
           from ${from} where ${conditions.where()} limit ${countLimit + 1}) as found
         group by 2, 3, 4`,
        conditions.values,
      );
      parts.push(
        ...rows.map(({ count, credits, ...values }): Part => ({ values, count, credits })),
      );
    }
  }
  return parts;
}

/** Counts those of one recipient, user or event: the first rows that its index has. */
async function countWalked(
  db: Queryable,
  tenantId: string,
  filter: RewardFilter,
): Promise<Counts<Group>> {
  const values: unknown[] = [];
  const walk = walkToCount(driverOf(tenantId, filter)!, filter, values);
  const left = createConditions(values);
  addRewardFilter(left, filter);
  const shown = `case when state = 'reversed' and capped then 'capped' else state end`;
  const state = filter.state === undefined ? shown : `'${filter.state}'`;
  const { rows } = await db.query<Walked>(
    `${walk}
     select ${state} as state, campaign_id as campaign, rule_id as rule, recipient_role as role,
       case when ${state} = 'issued' then ${keptBackAs} end as besides, count(*)::int as count,
       trim_scale(sum(entitled))::text as credits,
       trim_scale(sum(greatest(entitled - issued, 0)))::text as open,
       (select count(*) from walked) < ${walkedAtOnce} as "isAll"
     from walked join reward on reward.reward_id = walked.id
     where ${left.where()} group by 1, 2, 3, 4, 5`,
    values,
  );
  const partOf = ({ campaign, rule, role, count, ...row }: Walked, as: string): Part => ({
    values: { state: as, campaign, rule, role },
    count,
    credits: isKept(as) ? row.open : row.credits,
  });
  const parts = rows.map((row) => partOf(row, row.state));
  const settled = rows.flatMap((row) => (row.besides === null ? [] : [partOf(row, row.besides)]));
  const more = sumOf(parts) > countLimit || rows.some(({ isAll }) => !isAll);
  return combine(parts, filter.state === undefined ? settled : [], filter, more);
}

type Walked = Record<Group, string> & {
  count: number;
  credits: string;
  open: string;
  isAll: boolean;
  besides: string | null;
};

function sumOf(parts: readonly Part[]): number {
  return parts.reduce((total, { count }) => total + count, 0);
}
