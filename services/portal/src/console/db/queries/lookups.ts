import type { CampaignRevisionRecord } from '@tributary/contracts/catalog-record';
import type { CodeRecord } from '@tributary/contracts/code-record';
import type { Person } from '../../domain/explain/story.ts';
import type { Queryable } from './queryable.ts';

export async function revisionsNamed(
  db: Queryable,
  tenantId: string,
  names: readonly { campaignId: string; revision: number }[],
): Promise<CampaignRevisionRecord[]> {
  const { rows } = await db.query<{ record: CampaignRevisionRecord }>(
    `select record from campaign_revision
     join unnest($2::text[], $3::int[]) as named (campaign_id, revision)
       using (campaign_id, revision)
     where tenant_id = $1`,
    [tenantId, names.map(({ campaignId }) => campaignId), names.map(({ revision }) => revision)],
  );
  return rows.map(({ record }) => record);
}

/** First change first. */
export async function changesOfCodes(
  db: Queryable,
  tenantId: string,
  uccs: readonly string[],
): Promise<CodeRecord[]> {
  const { rows } = await db.query<{ record: CodeRecord }>(
    `select record from code_change where tenant_id = $1 and ucc = any($2)
     order by ucc, version`,
    [tenantId, uccs],
  );
  return rows.map(({ record }) => record);
}

/** The latest change of each code of a user. */
export async function codesOfUser(
  db: Queryable,
  tenantId: string,
  userId: string,
): Promise<CodeRecord[]> {
  const { rows } = await db.query<{ record: CodeRecord }>(
    `select distinct on (ucc) record from code_change
     where tenant_id = $1 and product_user_id = $2 order by ucc, version desc`,
    [tenantId, userId],
  );
  return rows.map(({ record }) => record);
}

export async function findPeople(
  db: Queryable,
  tenantId: string,
  userIds: readonly string[],
): Promise<Person[]> {
  const { rows } = await db.query<Person>(
    `select user_id as "userId", name, email from person
     where tenant_id = $1 and user_id = any($2) and (name is not null or email is not null)
     order by user_id`,
    [tenantId, userIds],
  );
  return rows;
}
