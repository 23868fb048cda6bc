import type { Change as ShownChange } from '@tributary/contracts/admin/replay-answers';
import type { FilterOf } from '@tributary/contracts/admin/query-parameters';
import type { replayRoutes } from '@tributary/contracts/admin/replays';
import type { Tx } from '@tributary/runtime/postgres';
import { formatCredits } from '@tributary/rewards-fold/credits';
import type pg from 'pg';
import { type Change, magnitudeOf } from '../domain/change.ts';

// Statements over `preview_change` (migrations/0002_previews.sql).

export async function deleteChanges(tx: Tx, jobId: string): Promise<void> {
  await tx.query('delete from preview_change where job_id = $1', [jobId]);
}

export async function insertChanges(tx: Tx, jobId: string, changes: readonly Change[]) {
  const column = (of: (change: Change) => unknown) => changes.map(of);
  await tx.query(
    `insert into preview_change (job_id, kind, to_review, tenant_id, reward_id, recipient_id,
       campaign_id, rule_id, recipient_role, month, before, after, magnitude)
     select $1, * from unnest($2::text[], $3::boolean[], $4::text[], $5::text[], $6::text[],
       $7::text[], $8::text[], $9::text[], $10::text[], $11::numeric[], $12::numeric[],
       $13::numeric[])`,
    [
      jobId,
      column(({ kind }) => kind),
      column(({ toReview }) => toReview),
      column(({ tenantId }) => tenantId),
      column(({ rewardId }) => rewardId),
      column(({ recipientId }) => recipientId),
      column(({ campaignId }) => campaignId),
      column(({ ruleId }) => ruleId),
      column(({ recipientRole }) => recipientRole),
      column(({ month }) => month),
      column(({ before }) => formatCredits(before)),
      column(({ after }) => formatCredits(after)),
      column((change) => formatCredits(magnitudeOf(change))),
    ],
  );
}

export type ChangeFilter = FilterOf<(typeof replayRoutes)['listChanges']['query']>;

/** Where a page ended. */
export type ChangePlace = { magnitude: string; changeId: string };

/** The largest first. */
export async function pageChanges(
  db: Pick<pg.Pool, 'query'>,
  jobId: string,
  filter: ChangeFilter,
  { after, limit }: { after?: ChangePlace | undefined; limit: number },
): Promise<(ShownChange & ChangePlace)[]> {
  const { kind, rule, recipient, month } = filter;
  const { rows } = await db.query<ShownChange & ChangePlace>(
    `select kind, to_review as "toReview", tenant_id as "tenantId", reward_id as "rewardId",
       recipient_id as "recipientId", campaign_id as "campaignId", rule_id as "ruleId",
       recipient_role as "recipientRole", month, before::text, after::text,
       magnitude::text, change_id::text as "changeId"
     from preview_change
     where job_id = $1
       and ($2::text is null or kind = $2)
       and (not $3::boolean or to_review)
       and ($4::text is null or rule_id = $4)
       and ($5::text is null or recipient_id = $5)
       and ($6::text is null or month = $6)
       and ($7::numeric is null or magnitude < $7 or (magnitude = $7 and change_id > $8))
     -- Of the table: without it the order would be that of the text above.
     order by preview_change.magnitude desc, preview_change.change_id limit $9`,
    [
      ...[jobId, kind === 'review' ? null : kind, kind === 'review', rule, recipient, month],
      ...[after?.magnitude, after?.changeId, limit],
    ],
  );
  return rows;
}
