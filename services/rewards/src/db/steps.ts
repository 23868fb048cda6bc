import { createHash } from 'node:crypto';
import { columnsOf } from '@tributary/runtime/columns';
import type { Tx } from '@tributary/runtime/postgres';
import type { BusinessFact } from '@tributary/rewards-fold/fold-tables';
import type { FoldedDecision } from '@tributary/rewards-fold/folded-decision';
import {
  laneName,
  type LaneKey,
  type ReferralKey,
  referralName,
  type StepRow,
} from '@tributary/rewards-fold/step';
import type { SortKeyRange } from '@tributary/rewards-fold/tiers';
import { decisionFromRow, type StoredDecision, storedDecision } from './decisions.ts';

/** The row of a fact: what holds it, and the other decisions about it. */
export type StepDraft = BusinessFact & {
  /** Undefined makes a row that only locks. */
  step: StepRow | undefined;
  /** Ids of decisions that claimed the fact at some time and are about it still. */
  others: readonly string[];
};

/**
 * Locks the rows of these facts, in one order everywhere, and says what the others held before;
 * new ones are written as drafted. Missing in the answer: new.
 */
export async function insertOrLockSteps(
  tx: Tx,
  drafts: readonly StepDraft[],
): Promise<StepDraft[]> {
  const { rows } = await tx.query<Row & { inserted: boolean }>({
    name: 'insert_or_lock_steps',
    // xmax is the transaction that locked this row version: zero for a row just inserted.
    text: `insert into step (${columns})
           select ${columns} from ${incoming}
           order by tenant_id collate "C", business_key collate "C"
           on conflict (tenant_id, business_key) do update set tenant_id = step.tenant_id
           returning xmax = 0 as inserted, ${columns}`,
    values: valuesOf(drafts),
  });
  return rows
    .filter((row) => !row.inserted)
    .map((row) => ({
      tenantId: row.tenant_id,
      businessKey: row.business_key,
      step: stepOf(row),
      others: row.other_decisions ?? [],
    }));
}

/** Replaces rows that are locked. */
export async function writeSteps(tx: Tx, drafts: readonly StepDraft[]): Promise<void> {
  if (drafts.length === 0) return;
  await tx.query({
    name: 'write_steps',
    text: `update step
           set campaign_id = next.campaign_id, referrer_id = next.referrer_id,
             new_user_id = next.new_user_id, decision_id = next.decision_id, place = next.place,
             is_purchase = next.is_purchase, is_standing = next.is_standing, lane = next.lane,
             referral = next.referral, other_decisions = next.other_decisions
           from ${incoming}
           where step.tenant_id = next.tenant_id and step.business_key = next.business_key`,
    values: valuesOf(drafts),
  });
}

export async function readStepsOfFacts(
  tx: Tx,
  facts: readonly BusinessFact[],
): Promise<FoldedDecision[]> {
  return decisionsOf(
    await tx.query<StoredDecision>({
      name: 'read_steps_of_facts',
      text: `select ${storedDecision}
             from unnest($1::text[], $2::text[]) as fact (tenant_id, business_key)
             join step using (tenant_id, business_key)
             join decision using (decision_id)`,
      values: [facts.map((f) => f.tenantId), facts.map((f) => f.businessKey)],
    }),
  );
}

export async function readStepsOfReferrals(
  tx: Tx,
  keys: readonly ReferralKey[],
): Promise<FoldedDecision[]> {
  return decisionsOf(
    await tx.query<StoredDecision>({
      name: 'read_steps_of_referrals',
      text: `select ${storedDecision}
             from unnest($1::uuid[]) as asked (referral)
             cross join lateral (
               select decision_id from step where step.referral = asked.referral ${byIndex}
             ) as step
             join decision using (decision_id)`,
      values: [keys.map((key) => digestOf(referralName(key)))],
    }),
  );
}

export async function readStepsBetween(
  tx: Tx,
  ranges: readonly (LaneKey & SortKeyRange)[],
): Promise<FoldedDecision[]> {
  return decisionsOf(
    await tx.query<StoredDecision>({
      name: 'read_steps_between',
      text: `select distinct on (step.decision_id) ${storedDecision}
             from unnest($1::uuid[], $2::text[], $3::text[]) as wanted (lane, from_place, before)
             cross join lateral (
               select decision_id from step
               where step.lane = wanted.lane
                 and left(place, 48) >= left(wanted.from_place collate "C", 48)
                 and place >= wanted.from_place collate "C"
                 and (wanted.before is null
                   or (left(place, 48) <= left(wanted.before collate "C", 48)
                     and place < wanted.before collate "C"))
               ${byIndex}
             ) as step
             join decision using (decision_id)`,
      values: columnsOf(ranges, (range) => digestOf(laneName(range)), 'from', 'before'),
    }),
  );
}

/**
 * Ends a lateral query that is to be run for each key that is asked for. Without statistics, as in
 * a new schema, the planner would rather read a whole table once.
 */
export const byIndex = 'offset 0';

/** A uuid, whatever the ids are: half of a SHA-256 digest. */
export function digestOf(name: string): string {
  const hex = createHash('sha256').update(name).digest('hex');
  const parts = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20)];
  return `${parts.join('-')}-${hex.slice(20, 32)}`;
}

const columns = `tenant_id, business_key, campaign_id, referrer_id, new_user_id, decision_id, place,
  is_purchase, is_standing, lane, referral, other_decisions`;
const incoming = `unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[],
  $7::text[], $8::boolean[], $9::boolean[], $10::uuid[], $11::uuid[], $12::json[]) as next (${columns})`;

function valuesOf(drafts: readonly StepDraft[]): unknown[][] {
  return [
    drafts.map((draft) => draft.tenantId),
    drafts.map((draft) => draft.businessKey),
    drafts.map(({ step }) => step?.campaignId ?? null),
    drafts.map(({ step }) => step?.referrerId ?? null),
    drafts.map(({ step }) => step?.newUserId ?? null),
    drafts.map(({ step }) => step?.decisionId ?? null),
    drafts.map(({ step }) => step?.sortKey ?? null),
    drafts.map(({ step }) => step?.isPurchase ?? null),
    drafts.map(({ step }) => step?.isRetained ?? null),
    drafts.map(({ step }) => step && digestOf(laneName(step))),
    drafts.map(({ step }) => step && digestOf(referralName(step))),
    drafts.map(({ others }) => (others.length === 0 ? null : JSON.stringify(others))),
  ];
}

function decisionsOf({ rows }: { rows: readonly StoredDecision[] }): FoldedDecision[] {
  return rows.map(decisionFromRow);
}

type Row = {
  tenant_id: string;
  business_key: string;
  campaign_id: string | null;
  referrer_id: string;
  new_user_id: string;
  decision_id: string;
  place: string;
  is_purchase: boolean;
  is_standing: boolean;
  other_decisions: string[] | null;
};

/** All of it or nothing, by the way it is written. */
function stepOf(row: Row): StepRow | undefined {
  if (row.campaign_id === null) return undefined;
  return {
    tenantId: row.tenant_id,
    businessKey: row.business_key,
    campaignId: row.campaign_id,
    referrerId: row.referrer_id,
    newUserId: row.new_user_id,
    decisionId: row.decision_id,
    sortKey: row.place,
    isPurchase: row.is_purchase,
    isRetained: row.is_standing,
  };
}
