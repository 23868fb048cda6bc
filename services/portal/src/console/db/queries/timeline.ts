import type { TimelineEntry } from '@tributary/contracts/admin/event-answers';
import type { RewardRecord } from '@tributary/contracts/reward-record';
import { showReward } from '@tributary/contracts/reward-state';
import { createConditions } from './conditions.ts';
import type { Queryable } from './queryable.ts';

export type TimelineOf = { user: string } | { event: string } | { reward: string };
type TimelineKind = TimelineEntry['kind'];
export type TimelinePlace = { at: string; kind: string; id: string };

/** What the rows of one kind are: their table, key, time and record, and how they belong. */
type Kind = { kind: TimelineKind; table: string; at: string; id: string; record: string };

const event: Kind = {
  kind: 'event',
  table: 'event',
  at: 'received_at',
  id: 'event_id',
  record: `json_build_object('fact', fact, 'decision', decision)`,
};
const code: Kind = {
  kind: 'code',
  table: 'code_change',
  at: 'changed_at',
  id: `ucc || ' ' || version`,
  record: 'record',
};
const reward: Kind = {
  kind: 'reward',
  table: 'reward',
  at: 'recorded_at',
  id: 'reward_id',
  record: 'record',
};
const issuance: Kind = {
  kind: 'issuance',
  table: 'issuance',
  at: 'issued_at',
  id: 'issuance_id',
  record: 'record',
};
const action: Kind = {
  kind: 'action',
  table: 'reward_action',
  at: 'acted_at',
  id: 'action_id',
  record: 'record',
};
const delivery: Kind = {
  kind: 'delivery',
  table: 'delivery',
  at: 'started_at',
  id: `webhook_event_id || ' ' || attempt`,
  record: 'record',
};
const deliveryAction: Kind = {
  kind: 'delivery',
  table: 'delivery_action',
  at: 'at',
  id: `webhook_event_id || ' ' || type || ' ' || round`,
  record: 'record',
};

/** Conditions on rows of each kind, for what the timeline is about; `$2` is its id. */
function partsOf(of: TimelineOf): [Kind, string][] {
  if ('user' in of) {
    return [
      [event, 'new_user_id = $2'],
      [event, 'referrer_id = $2 and new_user_id <> $2'],
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
      [event, 'event_id = $2'],
      [event, 'refund_of = $2'],
      [event, 'duplicate_of = $2'],
      [reward, 'event_id = $2'],
      [issuance, rewards],
      [action, rewards],
      [delivery, ofIssuances(rewards)],
      [deliveryAction, ofIssuances(rewards)],
    ];
  }
  const cause = 'select event_id from reward where tenant_id = $1 and reward_id = $2';
  return [
    [event, `event_id in (${cause})`],
    [event, `refund_of in (${cause})`],
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

/** Everything about a user, an event or a reward, newest first. */
export async function readTimeline(
  db: Queryable,
  tenantId: string,
  of: TimelineOf,
  page: { limit: number; after: TimelinePlace | undefined },
): Promise<{ items: TimelineEntry[]; next: TimelinePlace | undefined }> {
  const conditions = createConditions();
  conditions.value(tenantId);
  conditions.value(Object.values(of)[0]);
  const limit = conditions.value(page.limit + 1);
  const { after } = page;
  const place =
    after === undefined
      ? undefined
      : [after.at, after.kind, after.id].map((part) => `${conditions.value(part)}::text`);
  const parts = partsOf(of).map(([{ kind, table, at, id, record }, condition]) => {
    const key = `${at}, '${kind}'::text collate "C", (${id}) collate "C"`;
    const older =
      place === undefined ? '' : `and (${key}) < (${place[0]}, ${place[1]}, ${place[2]})`;
    return `(select ${at} as at, '${kind}'::text as kind, ${id} as id, ${record} as record from ${table}
      where tenant_id = $1 and ${condition} ${older}
      order by ${at} desc, (${id}) collate "C" desc limit ${limit})`;
  });
  const { rows } = await db.query<TimelineEntry>(
    `select at, kind, id, record from (${parts.join(' union all ')}) as entry
     order by at desc, kind collate "C" desc, id collate "C" desc limit ${limit}`,
    conditions.values,
  );
  const items = rows.slice(0, page.limit).map(shown);
  const last = items.at(-1);
  const isMore = rows.length > page.limit && last !== undefined;
  return { items, next: isMore ? { at: last.at, kind: last.kind, id: last.id } : undefined };
}

function shown(entry: TimelineEntry): TimelineEntry {
  if (entry.kind !== 'reward') return entry;
  return { ...entry, record: showReward(entry.record as RewardRecord) };
}
