import type { Static } from '@sinclair/typebox';
import type { Commit } from '@tributary/contracts/admin/replay-answers';
import type { Tx } from '@tributary/runtime/postgres';
import type pg from 'pg';

/** A preview that was committed: the revision that it became, and the job that checks it. */
export type ReplayCommit = Omit<Static<typeof Commit>, 'publishedAt'> & { publishedAt: Date };

const columns = `preview_id as "previewId", tenant_id as "tenantId", campaign_id as "campaignId",
  revision, effective_from as "effectiveFrom", published_at as "publishedAt",
  committed_by as "by", note, check_job_id as "checkJobId", check_refusal as "checkRefusal"`;

export async function insertReplayCommit(
  tx: Tx,
  commit: Omit<ReplayCommit, 'checkJobId' | 'checkRefusal'>,
): Promise<void> {
  await tx.query(
    `insert into replay_commit
       (preview_id, tenant_id, campaign_id, revision, effective_from, published_at,
        committed_by, note)
     values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [
      commit.previewId,
      commit.tenantId,
      commit.campaignId,
      commit.revision,
      commit.effectiveFrom,
      commit.publishedAt,
      commit.by,
      commit.note,
    ],
  );
}

export async function readReplayCommit(
  db: Tx | pg.Pool,
  previewId: string,
): Promise<ReplayCommit | undefined> {
  const { rows } = await db.query<ReplayCommit>(
    `select ${columns} from replay_commit where preview_id = $1`,
    [previewId],
  );
  return rows[0];
}

/** Those whose check was not asked for yet, the oldest first. */
export async function listUncheckedCommits(pool: pg.Pool, limit: number): Promise<ReplayCommit[]> {
  const { rows } = await pool.query<ReplayCommit>(
    `select ${columns} from replay_commit where check_job_id is null and check_refusal is null
     order by published_at limit $1`,
    [limit],
  );
  return rows;
}

/** What became of asking for it; a job that is there already stays. */
export async function writeCheck(
  pool: pg.Pool,
  previewId: string,
  check: Pick<ReplayCommit, 'checkJobId' | 'checkRefusal'>,
): Promise<void> {
  await pool.query(
    `update replay_commit set check_job_id = $2, check_refusal = $3
     where preview_id = $1 and check_job_id is null`,
    [previewId, check.checkJobId, check.checkRefusal],
  );
}
