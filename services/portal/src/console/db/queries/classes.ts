import { timeKeyOf } from '@tributary/generations/read-model-keys';
import { createConditions } from './conditions.ts';
import type { Period } from './paging.ts';
import type { Queryable } from './queryable.ts';

/** What the rows of a class have in common (decision 50); absent where it does not matter. */
export type Class = {
  /** Its number, as Postgres gives a bigint. */
  class: string;
  type: string | null;
  source: string | null;
  outcome: string | null;
  reason: string | null;
  campaign: string | null;
  rule: string | null;
  role: string | null;
  state: string | null;
};
export type ClassKind = 'decision' | 'reward' | 'issuance' | 'delivery';
type Member = Exclude<keyof Class, 'class'>;
export type ClassFilter = Partial<Record<Member, string | undefined>>;

const columns: Record<Member, string> = {
  type: 'event_type',
  source: 'source',
  outcome: 'outcome',
  reason: 'reason',
  campaign: 'campaign_id',
  rule: 'rule_id',
  role: 'recipient_role',
  state: 'state',
};
const members = Object.keys(columns) as Member[];

/** Every class of a tenant that the filter allows; some may have no rows any more. */
export async function findClasses(
  db: Queryable,
  tenantId: string,
  kind: ClassKind,
  filter: ClassFilter,
): Promise<Class[]> {
  const conditions = createConditions();
  conditions.equal('tenant_id', tenantId);
  conditions.equal('kind', kind);
  for (const member of members) conditions.equal(columns[member], filter[member]);
  const named = members.map((member) => `${columns[member]} as "${member}"`).join(', ');
  const { rows } = await db.query<Class>(
    `select class, ${named} from class where ${conditions.where()}`,
    conditions.values,
  );
  return rows;
}

/** Is one of the members that make classes asked for? */
export function isClassed(filter: ClassFilter): boolean {
  return members.some((member) => filter[member] !== undefined);
}

export type Sums = { members: number; credits: string; taken: string; open: string };
export type ClassSums = Sums & { class: string };

/** Sums over whole days, as they were counted when they were written. */
export async function sumClasses(
  db: Queryable,
  classes: readonly Class[],
  period: Period,
): Promise<ClassSums[]> {
  return sumTally(db, classes, period, 'class');
}

/** The same day by day; `day` is 20261123. */
export async function sumDays(
  db: Queryable,
  classes: readonly Class[],
  period: Period,
): Promise<(ClassSums & { day: number })[]> {
  return sumTally(db, classes, period, 'class, day');
}

async function sumTally<T>(
  db: Queryable,
  classes: readonly Class[],
  period: Period,
  by: 'class' | 'class, day',
): Promise<T[]> {
  if (classes.length === 0) return [];
  const conditions = createConditions();
  conditions.add(`class = any(${conditions.value(classes.map((one) => one.class))}::bigint[])`);
  if (period.from !== undefined) conditions.add(`day >= ${conditions.value(dayOf(period.from))}`);
  if (period.to !== undefined) conditions.add(`day < ${conditions.value(dayOf(period.to))}`);
  const { rows } = await db.query(
    `select ${by}, sum(members)::float8 as members, trim_scale(sum(credits))::text as credits,
       trim_scale(sum(taken))::text as taken, trim_scale(sum(open))::text as open
     from day_tally where ${conditions.where()} group by ${by} having sum(members) <> 0`,
    conditions.values,
  );
  return rows as T[];
}

function dayOf(time: string): number {
  return Number(timeKeyOf(time).slice(0, 8));
}

/** Do both ends lie between two days? Then what was counted by days is exact. */
export function isOfWholeDays({ from, to }: Period): boolean {
  return [from, to].every((time) => time === undefined || isMidnight(time));
}

export function isMidnight(time: string): boolean {
  return time.endsWith('T00:00:00.000Z');
}
