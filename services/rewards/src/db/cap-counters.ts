import { columnsOf } from '@tributary/runtime/columns';
import type { Tx } from '@tributary/runtime/postgres';
import type { CapWrites } from '@tributary/rewards-fold/recount-caps';
import type { Touch } from '@tributary/rewards-fold/fold-tables';
import {
  isIdle,
  type CapCounter,
  type CapCounterKey,
  type SeriesRange,
  seriesText,
  type StoredTerms,
} from '@tributary/rewards-fold/cap-counter';
import { hasBusinessKey } from './entitlements.ts';
import { byIndex, digestOf } from './steps.ts';
import { countedFromJson, countedToJson, type CountedJson } from './counted-json.ts';

/** Rewards under limits, and the limits; read and written under their recipient's lock. */
export async function readStoredTerms(tx: Tx, touches: readonly Touch[]): Promise<StoredTerms[]> {
  return termsOf(
    await tx.query<Row>({
      name: 'read_stored_terms',
      text: `select ${columns}
             from unnest($1::text[], $2::text[], $3::text[])
               as touch (tenant_id, recipient_id, business_key)
             cross join lateral (
               select reward_id from entitlement
               where entitlement.tenant_id = touch.tenant_id
                 and entitlement.recipient_id = touch.recipient_id
                 and ${hasBusinessKey('touch.business_key')} ${byIndex}
             ) as rewarded
             join limited_reward using (reward_id)`,
      values: columnsOf(touches, 'tenantId', 'recipientId', 'businessKey'),
    }),
  );
}

export async function readTermsBetween(
  tx: Tx,
  ranges: readonly SeriesRange[],
): Promise<StoredTerms[]> {
  const busy = ranges.filter((range) => range.busyOnly);
  const all = ranges.filter((range) => !range.busyOnly);
  return [
    ...(busy.length > 0 ? await readBetween(tx, busy, 'read_busy_between', '{f}') : []),
    ...(all.length > 0 ? await readBetween(tx, all, 'read_terms_between', '{f,t}') : []),
  ];
}

/** Those that are idle, or not, or both: the index has the two kinds apart. */
async function readBetween(
  tx: Tx,
  ranges: readonly SeriesRange[],
  name: string,
  idle: string,
): Promise<StoredTerms[]> {
  return termsOf(
    await tx.query<Row>({
      name,
      text: `select ${columns}
             from unnest($1::uuid[], $2::text[], $3::text[]) as wanted (series, from_place, before)
             cross join lateral (
               select * from limited_reward
               where limited_reward.series = wanted.series
                 and is_idle = any('${idle}'::boolean[])
                 and (from_place is null
                   or (left(place, 48) >= left(from_place collate "C", 48)
                     and place >= from_place collate "C"))
                 and (before is null
                   or (left(place, 48) <= left(before collate "C", 48)
                     and place < before collate "C"))
               ${byIndex}
             ) as limited_reward`,
      values: columnsOf(ranges, (range) => digestOf(seriesText(range)), 'from', 'before'),
    }),
  );
}

export async function readCounters(tx: Tx, keys: readonly CapCounterKey[]): Promise<CapCounter[]> {
  const asked = new Map(keys.map((key) => [`${digestOf(seriesText(key))} ${key.name}`, key]));
  const { rows } = await tx.query<CapCounterRow>({
    name: 'read_meters',
    text: `select series, name, wanted, cap, used, last_place
           from unnest($1::uuid[], $2::text[]) as asked (series, name)
           join meter using (series, name)`,
    values: [keys.map((key) => digestOf(seriesText(key))), keys.map((key) => key.name)],
  });
  return rows.flatMap((row) => {
    const key = asked.get(`${row.series} ${row.name}`);
    if (!key) return [];
    const { wanted, cap, used, last_place: last } = row;
    return { ...key, wanted: BigInt(wanted), cap: BigInt(cap), used: BigInt(used), last };
  });
}

/**
 * One statement: rewards that left their limits, those that are counted now, and the cap counters.
 */
export async function writeCapCounters(tx: Tx, all: readonly CapWrites[]): Promise<void> {
  const gone = all.flatMap((writes) => writes.gone);
  const terms = all.flatMap((writes) => writes.terms);
  const counters = all.flatMap((writes) => writes.counters);
  if (gone.length + terms.length + counters.length === 0) return;
  await tx.query({
    name: 'write_limits',
    text: `with gone as (
             delete from limited_reward where reward_id = any($1::uuid[])
           ), counted as (
             insert into limited_reward (reward_id, series, tenant_id, campaign_id, recipient_id,
               rule_id, recipient_role, business_key, place, counted, is_idle)
             select * from unnest($2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::text[],
               $7::text[], $8::text[], $9::text[], $10::text[], $11::json[], $12::boolean[])
             on conflict (reward_id) do update
             set series = excluded.series, campaign_id = excluded.campaign_id,
               rule_id = excluded.rule_id, recipient_role = excluded.recipient_role,
               place = excluded.place, counted = excluded.counted,
               is_idle = excluded.is_idle
           )
           insert into meter (series, name, wanted, cap, used, last_place)
           select * from unnest($13::uuid[], $14::text[], $15::numeric[], $16::numeric[],
             $17::numeric[], $18::text[])
           on conflict (series, name) do update
           set wanted = excluded.wanted, cap = excluded.cap, used = excluded.used,
             last_place = excluded.last_place`,
    values: [gone, ...termsValues(terms), ...counterValues(counters)],
  });
}

function termsValues(rows: readonly StoredTerms[]): unknown[][] {
  return [
    rows.map((row) => row.terms.rewardId),
    rows.map((row) => digestOf(seriesText(row))),
    rows.map((row) => row.tenantId),
    rows.map((row) => row.campaignId),
    rows.map((row) => row.recipientId),
    rows.map((row) => row.ruleId),
    rows.map((row) => row.role),
    rows.map((row) => row.businessKey),
    rows.map((row) => row.terms.sortKey),
    rows.map((row) => JSON.stringify(countedToJson(row))),
    rows.map((row) => isIdle(row.grant)),
  ];
}

function counterValues(counters: readonly CapCounter[]): unknown[][] {
  return [
    counters.map((counter) => digestOf(seriesText(counter))),
    counters.map((counter) => counter.name),
    counters.map((counter) => String(counter.wanted)),
    counters.map((counter) => String(counter.cap)),
    counters.map((counter) => String(counter.used)),
    counters.map((counter) => counter.last),
  ];
}

const columns = `limited_reward.reward_id, limited_reward.tenant_id, campaign_id,
  limited_reward.recipient_id, rule_id, recipient_role, limited_reward.business_key, place, counted`;

type Row = {
  reward_id: string;
  tenant_id: string;
  campaign_id: string;
  recipient_id: string;
  rule_id: string;
  recipient_role: StoredTerms['role'];
  business_key: string;
  place: string;
  counted: CountedJson;
};

type CapCounterRow = {
  series: string;
  name: string;
  wanted: string;
  cap: string;
  used: string;
  last_place: string;
};

function termsOf({ rows }: { rows: readonly Row[] }): StoredTerms[] {
  return rows.map((row) => ({
    tenantId: row.tenant_id,
    campaignId: row.campaign_id,
    recipientId: row.recipient_id,
    ruleId: row.rule_id,
    role: row.recipient_role,
    businessKey: row.business_key,
    ...countedFromJson(row.reward_id, row.place, row.counted),
  }));
}
