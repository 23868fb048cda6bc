import type { DecisionRecord } from '@tributary/contracts/decision-record';
import { newestOf } from '@tributary/event-log/newest-of';
import { keyOf, timeKeyOf } from '@tributary/generations/read-model-keys';
import { columnsOf } from '@tributary/runtime/columns';
import type { Tx } from '@tributary/runtime/postgres';
import { toUtc } from './to-utc.ts';

/** The current decisions. A refund is told by the decision about its purchase. */
export async function writeDecisions(tx: Tx, records: readonly DecisionRecord[]): Promise<void> {
  const decisions = newestOf(
    records.filter(({ eventType }) => eventType !== 'purchase-refunded'),
    ({ eventId }) => eventId,
    ({ version }) => version,
  );
  if (decisions.length === 0) return;
  await tx.query({
    name: 'write_decisions',
    text: `insert into decision (event_id, tenant_id, version, event_type, new_user_id,
             referrer_id, reached_at, refunded_at)
           select event_id, tenant_id, version, event_type, new_user_id, referrer_id, reached_at,
             refunded_at
           from unnest($1::uuid[], $2::text[], $3::int[], $4::text[], $5::text[], $6::text[],
             $7::bigint[], $8::bigint[]) as next (event_id, tenant_id, version, event_type,
             new_user_id, referrer_id, reached_at, refunded_at)
           order by event_id
           on conflict (event_id) do update
           set version = excluded.version, referrer_id = excluded.referrer_id,
             reached_at = excluded.reached_at, refunded_at = excluded.refunded_at
           where decision.version < excluded.version`,
    values: [
      decisions.map(({ eventId }) => keyOf(eventId)),
      ...columnsOf(decisions, 'tenantId', 'version', 'eventType', 'newUserId'),
      decisions.map(referrerOf),
      decisions.map(({ occurredAtSeconds }) => timeKeyOf(toUtc(occurredAtSeconds))),
      decisions.map(refundedAt),
    ],
  });
}

function referrerOf({ outcome, referrerId }: DecisionRecord): string | null {
  return outcome === 'attributed' ? (referrerId ?? null) : null;
}

/** When nothing was left of the purchase; null while something is. */
function refundedAt({ reversals = [] }: DecisionRecord): string | null {
  const last = reversals.find(({ full }) => full);
  return last ? timeKeyOf(toUtc(last.occurredAtSeconds)) : null;
}
