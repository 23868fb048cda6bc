import { compareCanonical } from '@tributary/contracts/canonical-order';
import type { ShownReward } from '@tributary/contracts/reward-state';
import { silentRulesOf } from '../../domain/explain/silent-rules.ts';
import type { Related, RewardStory, Story, Subject } from '../../domain/explain/story.ts';
import {
  eventsWithDecisions,
  type EventRow,
  type StoredEvent,
  storedEvent,
  toEventRow,
} from './list-events.ts';
import { actionsOfRewards, issuancesOfRewards, withDeliveries } from './list-issuances.ts';
import { isNegative } from '../../domain/exact-decimal.ts';
import { settledBalances } from './balances.ts';
import { rewardsOfEvents } from './list-rewards.ts';
import { keyOf } from '@tributary/generations/read-model-keys';
import { changesOfCodes, revisionsNamed } from './lookups.ts';
import { openPartsOf } from './open-credits.ts';
import type { Queryable } from './queryable.ts';

/** More than anybody reads; a longer list is paged by the event list. */
const maxStories = 100;

/**
 * The events that an explanation is about, in canonical order, each with all that belongs to it.
 */
export async function findStories(
  db: Queryable,
  tenantId: string,
  subject: Subject,
): Promise<{ stories: Story[]; truncated: boolean }> {
  const found = await findEvents(db, tenantId, subject);
  const rows = found.slice(0, maxStories);
  const related = await findRelated(db, tenantId, rows);
  const rewards = await findRewards(db, tenantId, rows);
  const revisions = await revisionsNamed(db, tenantId, rows.flatMap(revisionOf));
  const codes = await changesOfCodes(db, tenantId, [...new Set(rows.map(uccOf))]);
  const stories = rows.map((row) => {
    const [named] = revisionOf(row);
    const revision = revisions.find(
      (r) => r.campaignId === named?.campaignId && r.revision === named.revision,
    );
    const own = rewards.filter(({ reward }) => belongs(reward, row)).sort(byRule);
    return {
      eventId: row.eventId,
      fact: row.fact ?? undefined,
      decision: row.decision ?? undefined,
      codeChanges: codes.filter(({ ucc }) => ucc === uccOf(row)),
      revision,
      refunds: related.filter((other) => isRefundOf(other, row)).map(toRelated),
      duplicates: related
        .filter(({ decision }) => decision?.duplicateOf === row.eventId)
        .map(toRelated),
      rewards: own,
      silentRules: silentRulesOf(
        row.decision ?? undefined,
        revision,
        own.map(({ reward }) => reward),
      ),
    };
  });
  return { stories, truncated: found.length > maxStories };
}

const conditionOf: Record<Subject['kind'], string> = {
  event: 'event_id = $2',
  // The names first, as in the event list.
  invoice:
    'event_id = any(array(select event_id from event where invoice_names @> array[$2::text]))',
  user: 'new_user_id = $2',
  reward: 'event_id in (select event_id from reward where tenant_id = $1 and reward_id = $2)',
};

async function findEvents(
  db: Queryable,
  tenantId: string,
  { kind, id }: Subject,
): Promise<EventRow[]> {
  const { rows } = await db.query<StoredEvent>(
    `select ${storedEvent} from ${eventsWithDecisions}
     where event.tenant_id = $1 and ${conditionOf[kind]}
     order by event.received_at, event_id limit $3`,
    [tenantId, kind === 'event' || kind === 'reward' ? keyOf(id) : id, maxStories + 1],
  );
  return rows.map(toEventRow).sort((a, b) => compareCanonical(orderOf(a), orderOf(b)));
}

/** Events that point at one of these, and refunds of their invoices that are not matched yet. */
async function findRelated(
  db: Queryable,
  tenantId: string,
  rows: readonly EventRow[],
): Promise<EventRow[]> {
  const keys = rows.map(({ eventId }) => keyOf(eventId));
  const names = rows.flatMap((row) => namesOf(row));
  const { rows: related } = await db.query<StoredEvent>(
    `select ${storedEvent} from ${eventsWithDecisions} where event.tenant_id = $1 and event_id in (
       select event_id from decision where refund_of = any($2::uuid[])
       union select event_id from decision where duplicate_of = any($2::uuid[])
       union select event_id from event
         where invoice_names && $3::text[] and event_type = 'purchase-refunded')`,
    [tenantId, keys, names],
  );
  return related.map(toEventRow).sort((a, b) => compareCanonical(orderOf(a), orderOf(b)));
}

async function findRewards(
  db: Queryable,
  tenantId: string,
  rows: readonly EventRow[],
): Promise<RewardStory[]> {
  const causes = rows.flatMap(({ eventId, decision }) => [eventId, decision?.refundOf ?? eventId]);
  const rewards = await rewardsOfEvents(db, tenantId, [...new Set(causes)]);
  const rewardIds = rewards.map(({ rewardId }) => rewardId);
  const issued = await issuancesOfRewards(db, tenantId, rewardIds);
  const issuances = await withDeliveries(db, tenantId, issued);
  const actions = await actionsOfRewards(db, tenantId, rewardIds);
  const open = await openPartsOf(db, tenantId, rewards);
  const isOpen = rewards.filter(({ rewardId }) => (open.get(rewardId) ?? []).length > 0);
  const recipientIds = [...new Set(isOpen.map(({ recipientId }) => recipientId))];
  const balances = await settledBalances(db, tenantId, recipientIds);
  return rewards.map((reward) => ({
    reward,
    open: open.get(reward.rewardId) ?? [],
    recipientOwes: owedBy(balances.get(reward.recipientId) ?? '0'),
    issuances: issuances.filter(({ issuance }) => issuance.rewardId === reward.rewardId),
    actions: actions.filter(({ rewardId }) => rewardId === reward.rewardId),
  }));
}

/** What a recipient owes, by what settled rewards leave open. */
function owedBy(balance: string): string {
  return isNegative(balance) ? balance.slice(1) : '0';
}

/** Rule by rule, the referrer first. */
function byRule({ reward: a }: RewardStory, { reward: b }: RewardStory): number {
  if (a.ruleId !== b.ruleId) return a.ruleId < b.ruleId ? -1 : 1;
  return Number(b.recipientRole === 'referrer') - Number(a.recipientRole === 'referrer');
}

/** A refund is shown with the rewards of its purchase that it took from. */
function belongs(reward: ShownReward, { eventId, decision }: EventRow): boolean {
  if (reward.eventId === eventId) return true;
  return (
    reward.eventId === decision?.refundOf &&
    reward.calculation.some((step) => step.eventId === eventId)
  );
}

function isRefundOf(other: EventRow, purchase: EventRow): boolean {
  if (other.decision?.refundOf !== undefined) return other.decision.refundOf === purchase.eventId;
  if (typeOf(other) !== 'purchase-refunded' || typeOf(purchase) !== 'purchase-created')
    return false;
  // Not matched: told with the purchase that counts for the invoice.
  if (purchase.decision?.reason === 'duplicate' || other.decision?.reason === 'duplicate') {
    return false;
  }
  const names = namesOf(purchase);
  return namesOf(other).some((name) => names.includes(name));
}

function toRelated({ eventId, fact, decision }: EventRow): Related {
  const shown = fact ?? decision;
  return {
    eventId,
    source: shown?.source ?? '',
    occurredAt: shown?.occurredAt ?? '',
    payment: paymentOf({ fact, decision }),
    outcome: decision?.outcome,
    reason: decision?.reason,
    flags: decision?.flags ?? [],
  };
}

function paymentOf({ fact, decision }: Pick<EventRow, 'fact' | 'decision'>) {
  if (fact?.eventType === 'purchase-created') return fact.purchase;
  if (fact?.eventType === 'purchase-refunded') return fact.refund;
  return decision?.purchase ?? decision?.refund;
}

function namesOf(row: EventRow): string[] {
  const payment = paymentOf(row);
  if (payment === undefined) return [];
  return [
    ...(payment.invoiceId === undefined ? [] : [payment.invoiceId]),
    ...(payment.aliases ?? []),
  ];
}

function typeOf({ fact, decision }: EventRow): string | undefined {
  return (fact ?? decision)?.eventType;
}

function uccOf({ fact, decision }: EventRow): string {
  return (fact ?? decision)?.ucc ?? '';
}

function revisionOf({ decision }: EventRow): { campaignId: string; revision: number }[] {
  const { campaignId, campaignRevision } = decision ?? {};
  if (campaignId === undefined || campaignRevision === undefined) return [];
  return [{ campaignId, revision: campaignRevision }];
}

function orderOf({ eventId, receivedAt, fact, decision }: EventRow) {
  const occurredAtSeconds = (fact ?? decision)?.occurredAtSeconds ?? '0';
  return { occurredAtSeconds, receivedAt, eventId };
}
