import type { Series } from '@tributary/contracts/admin/counts';
import { timeKeyOf } from '@tributary/generations/read-model-keys';
import { plus } from '../../domain/exact-decimal.ts';
import { type ClassKind, findClasses, sumDays } from './classes.ts';
import { areFewUndecided } from './find-event-places.ts';
import type { Queryable } from './queryable.ts';

type Day = Series['days'][number];
type SeriesOf = Series['of'];

const kinds: Record<SeriesOf, { kind: ClassKind; part?: 'outcome' | 'state'; credits: boolean }> = {
  events: { kind: 'decision', part: 'outcome', credits: false },
  rewards: { kind: 'reward', part: 'state', credits: true },
  credits: { kind: 'issuance', credits: true },
  deliveries: { kind: 'delivery', part: 'outcome', credits: false },
};

/**
 * What there was on each UTC day of a period, whose ends are midnights: days without anything, too.
 */
export async function readSeries(
  db: Queryable,
  tenantId: string,
  of: SeriesOf,
  { from, to, campaign }: { from: string; to: string; campaign: string | undefined },
): Promise<Day[]> {
  const { kind, part, credits } = kinds[of];
  const classes = await findClasses(db, tenantId, kind, { campaign });
  const partOf = new Map(classes.map((one) => [one.class, part && one[part]]));
  const days = daysOf(from, to, credits);
  for (const sums of await sumDays(db, classes, { from, to })) {
    const day = days.get(sums.day);
    if (day === undefined) continue;
    add(day, sums.members, partOf.get(sums.class));
    if (day.credits !== undefined) day.credits = plus(day.credits, sums.credits);
  }
  if (of === 'events' && campaign === undefined) {
    for (const { day, count } of await undecidedDays(db, tenantId, { from, to })) {
      const found = days.get(day);
      if (found !== undefined) add(found, count, 'pending');
    }
  }
  return [...days.values()];
}

function add(day: Day, count: number, part: string | null | undefined): void {
  day.count += count;
  if (part) day.parts[part] = (day.parts[part] ?? 0) + count;
}

function daysOf(from: string, to: string, credits: boolean): Map<number, Day> {
  const days = new Map<number, Day>();
  for (let at = Date.parse(from); at < Date.parse(to); at += dayMs) {
    const day = new Date(at).toISOString().slice(0, 10);
    const number = Number(day.replaceAll('-', ''));
    days.set(number, { day, count: 0, ...(credits && { credits: '0' }), parts: {} });
  }
  return days;
}

const dayMs = 86_400_000;

/** Few, but while the log is being read; then they are left out, as `asOf` says. */
async function undecidedDays(
  db: Queryable,
  tenantId: string,
  { from, to }: { from: string; to: string },
): Promise<{ day: number; count: number }[]> {
  if (!(await areFewUndecided(db))) return [];
  const { rows } = await db.query<{ day: number; count: number }>(
    `select (received_at / 1000000000)::int as day, count(*)::int as count
     from undecided join event using (event_id)
     where tenant_id = $1 and received_at >= $2 and received_at < $3 group by 1`,
    [tenantId, timeKeyOf(from), timeKeyOf(to)],
  );
  return rows;
}
