import type { TimelineEntry } from '@tributary/contracts/admin/event-answers';
import type { RewardRecord } from '@tributary/contracts/reward-record';
import { showReward } from '@tributary/contracts/reward-state';
import { keyOf, timeKeyOf, timeOf } from '@tributary/generations/read-model-keys';
import { unpackMaybe } from '../stored/pack.ts';
import { createConditions } from './conditions.ts';
import { walkedAtOnce } from './paging.ts';
import type { Queryable } from './queryable.ts';

export type TimelineOf = { user: string } | { event: string } | { reward: string };
type TimelineKind = TimelineEntry['kind'];
export type TimelinePlace = { at: string; kind: string; id: string };

/** What the rows of one kind are: their table, key and time, and how their record is kept. */
type Kind = {
  kind: TimelineKind;
  table: string;
  tenant: string;
  at: string;
  id: string;
  /** Columns of {@link Stored}; those that are left out are null. */
  record: Partial<Record<'packed' | 'decision' | 'plain', string>>;
};

const events: Kind = {
  kind: 'event',
  table: 'event left join decision using (event_id)',
  tenant: 'event.tenant_id',
  at: 'event.received_at',
  id: 'event_id::text',
  record: { packed: 'fact', decision: 'decision.record' },
};
/** By what the decision says, whose index has them in order. */
const decided: Kind = {
  ...events,
  table: 'decision join event using (event_id)',
  tenant: 'decision.tenant_id',
  at: 'decision.received_at',
};
const code: Kind = {
  kind: 'code',
  table: 'code_change',
  tenant: 'tenant_id',
  at: timeKeyIn('changed_at'),
  id: `ucc || ' ' || version`,
  record: { plain: 'record' },
};
const reward: Kind = {
  kind: 'reward',
  table: 'reward',
  tenant: 'tenant_id',
  at: 'recorded_at',
  id: 'reward_id::text',
  record: { packed: 'record' },
};
const issuance: Kind = {
  kind: 'issuance',
  table: 'issuance',
  tenant: 'tenant_id',
  at: 'issued_at',
  id: 'issuance_id::text',
  record: { packed: 'record' },
};
const action: Kind = {
  kind: 'action',
  table: 'reward_action',
  tenant: 'tenant_id',
  at: 'acted_at',
  id: 'action_id',
  record: { plain: 'record' },
};
const delivery: Kind = {
  kind: 'delivery',
  table: 'delivery',
  tenant: 'tenant_id',
  at: 'started_at',
  id: `webhook_event_id || ' ' || attempt`,
  record: { packed: 'record' },
};
const deliveryAction: Kind = {
  kind: 'delivery',
  table: 'delivery_action',
  tenant: 'tenant_id',
  at: 'at',
  id: `webhook_event_id || ' ' || type || ' ' || round`,
  record: { plain: 'record' },
};

/** As read-model-keys.ts of generations makes it, of a time that is kept as text. */
function timeKeyIn(column: string): string {
  return `translate(${column}, '-:.TZ', '')::bigint`;
}

/** Conditions on rows of each kind, for what the timeline is about; `$2` is its id, or its key. */
function partsOf(of: TimelineOf): [Kind, string][] {
  if ('user' in of) {
    return [
      [events, 'new_user_id = $2'],
      [decided, 'referrer_id = $2 and new_user_id <> $2'],
      [code, 'product_user_id = $2'],
      [reward, 'recipient_id = $2'],
      [issuance, 'recipient_id = $2'],
      [action, 'recipient_id = $2'],
      [delivery, ofIssuances('recipient_id = $2')],
      [deliveryAction, ofIssuances('recipient_id = $2')],
    ];
  }
  if ('event' in of) {
    const rewards = 'reward_id in (select reward_id from reward where event_id = $2)';
    return [
      [events, 'event_id = $2'],
      [decided, 'refund_of = $2'],
      [decided, 'duplicate_of = $2'],
      [reward, 'event_id = $2'],
      [issuance, rewards],
      [action, rewards],
      [delivery, ofIssuances(rewards)],
      [deliveryAction, ofIssuances(rewards)],
    ];
  }
  const cause = 'select event_id from reward where tenant_id = $1 and reward_id = $2';
  return [
    [events, `event_id in (${cause})`],
    [decided, `refund_of in (${cause})`],
    [reward, 'reward_id = $2'],
    [issuance, 'reward_id = $2'],
    [action, 'reward_id = $2'],
    [delivery, ofIssuances('reward_id = $2')],
    [deliveryAction, ofIssuances('reward_id = $2')],
  ];
}

function ofIssuances(condition: string): string {
  return `issuance_id in (select issuance_id from issuance where tenant_id = $1 and ${condition})`;
}

/** Everything about a user, an event or a reward, newest first. `walked` is for tests. */
export async function readTimeline(
  db: Queryable,
  tenantId: string,
  of: TimelineOf,
  page: { limit: number; after: TimelinePlace | undefined; walked?: number },
): Promise<{ items: TimelineEntry[]; next: TimelinePlace | undefined }> {
  const conditions = createConditions();
  conditions.value(tenantId);
  const [id = ''] = Object.values(of);
  conditions.value('user' in of ? id : keyOf(id));
  const limit = conditions.value(page.limit + 1);
  const { after, walked = walkedAtOnce } = page;
  const place =
    after === undefined
      ? undefined
      : [
          `${conditions.value(timeKeyOf(after.at))}::bigint`,
          ...[after.kind, after.id].map((part) => `${conditions.value(part)}::text`),
        ].join(', ');
  const newest =
    after === undefined ? 'true' : `${delivery.at} <= ${conditions.value(timeKeyOf(after.at))}`;
  const parts = partsOf(of).map(([kind, condition]) =>
    kind === delivery && 'user' in of
      ? deliveriesOfUser(condition, { newest, place, limit, walked })
      : selectPart(kind, condition, place, limit),
  );
  const { rows } = await db.query<Stored>(
    `select * from (${parts.join(' union all ')}) as entry
     order by at desc, kind collate "C" desc, id collate "C" desc limit ${limit}`,
    conditions.values,
  );
  const items = rows.slice(0, page.limit).map(toEntry);
  const last = items.at(-1);
  const isMore = rows.length > page.limit && last !== undefined;
  return { items, next: isMore ? { at: last.at, kind: last.kind, id: last.id } : undefined };
}

function selectPart(
  { kind, table, tenant, at, id, record }: Kind,
  condition: string,
  place: string | undefined,
  limit: string,
): string {
  const { packed = 'null::bytea', decision = 'null::bytea', plain = 'null::json' } = record;
  const key = `${at}, '${kind}'::text collate "C", (${id}) collate "C"`;
  const older = place === undefined ? '' : `and (${key}) < (${place})`;
  return `(select ${at} as at, '${kind}'::text as kind, ${id} as id, ${packed} as packed,
      ${decision} as decision, ${plain} as plain
    from ${table} where ${tenant} = $1 and ${condition} ${older}
    order by ${at} desc, (${id}) collate "C" desc limit ${limit})`;
}

/**
 * No index has the deliveries of one recipient in order. Of somebody who has many, enough may be
 * among the newest of all; otherwise all of theirs are looked at. What began with the last of those
 * walked may go on behind it.
 */
function deliveriesOfUser(
  condition: string,
  asked: { newest: string; place: string | undefined; limit: string; walked: number },
): string {
  const { newest, place, limit, walked } = asked;
  const part = (table: string, more: string) =>
    selectPart({ ...delivery, table }, more, place, limit);
  return `(with own as materialized (
      select count(*) > ${walked / 10} as are_many from (select from issuance
        where tenant_id = $1 and recipient_id = $2 limit ${Math.floor(walked / 10) + 1}) as counted
    ), walked as materialized (
      select * from delivery where tenant_id = $1 and ${newest} and (select are_many from own)
      order by started_at desc limit ${walked}
    ), found as materialized (
      ${part('walked', `started_at > (select min(started_at) from walked) and ${condition}`)}
    )
    select * from found where (select count(*) from found) = ${limit}
    union all
    ${part('delivery', `${condition} and (select count(*) from found) < ${limit}`)})`;
}

type Stored = {
  at: string;
  kind: TimelineKind;
  id: string;
  packed: Buffer | null;
  decision: Buffer | null;
  plain: object | null;
};

function toEntry({ at, kind, id, packed, decision, plain }: Stored): TimelineEntry {
  const unpacked = unpackMaybe<object>(packed);
  const place = { at: timeOf(at), kind, id };
  const record = () => {
    if (kind === 'event') return { fact: unpacked, decision: unpackMaybe(decision) };
    return kind === 'reward' ? showReward(unpacked as RewardRecord) : (plain ?? unpacked);
  };
  return { ...place, record: record() } as TimelineEntry;
}
