import { recordKey } from '@tributary/contracts/topics';
import { columnsOf } from '@tributary/runtime/columns';
import type { Tx } from '@tributary/runtime/postgres';
import type { UserKey } from './referred-users.ts';

export type CodeOwner = {
  tenantId: string;
  ucc: string;
  ownerId: string;
  issuedAt: string;
  campaignId: string;
};

/** Under the codes' exclusive locks. */
export async function readCodeOwners(
  tx: Tx,
  codes: readonly { tenantId: string; ucc: string }[],
): Promise<CodeOwner[]> {
  const { rows } = await tx.query<CodeOwner>({
    name: 'read_code_owners',
    text: `select o.tenant_id as "tenantId", o.ucc, o.owner_id as "ownerId",
             o.issued_at as "issuedAt", o.campaign_id as "campaignId"
           from unnest($1::text[], $2::text[]) as wanted (tenant_id, ucc)
           join code_owner o using (tenant_id, ucc)`,
    values: [codes.map((c) => c.tenantId), codes.map((c) => c.ucc)],
  });
  return rows;
}

/** Under the codes' exclusive locks. */
export async function writeCodeOwners(tx: Tx, owners: readonly CodeOwner[]): Promise<void> {
  await tx.query({
    name: 'write_code_owners',
    text: `insert into code_owner (tenant_id, ucc, owner_id, issued_at, campaign_id)
           select * from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[])
           on conflict (tenant_id, ucc) do update
           set owner_id = excluded.owner_id, issued_at = excluded.issued_at,
             campaign_id = excluded.campaign_id`,
    values: columnsOf(owners, 'tenantId', 'ucc', 'ownerId', 'issuedAt', 'campaignId'),
  });
}

/** The next codes of a campaign from one on, in their order. */
export async function readCodesOfCampaign(
  tx: Tx,
  campaign: { tenantId: string; campaignId: string },
  fromUcc: string,
  limit: number,
): Promise<string[]> {
  const { rows } = await tx.query<{ ucc: string }>({
    name: 'read_codes_of_campaign',
    text: `select ucc from code_owner where tenant_id = $1 and campaign_id = $2 and ucc >= $3
           order by ucc limit $4`,
    values: [campaign.tenantId, campaign.campaignId, fromUcc, limit],
  });
  return rows.map((row) => row.ucc);
}

/** When the first code of each user was issued, by `recordKey(tenantId, userId)`. */
export async function readOwnersSince(
  tx: Tx,
  users: readonly UserKey[],
): Promise<Map<string, string>> {
  const { rows } = await tx.query<{ tenant_id: string; owner_id: string; since: string }>({
    name: 'read_owners_since',
    text: `select o.tenant_id, o.owner_id, min(o.issued_at) as since
           from unnest($1::text[], $2::text[]) as wanted (tenant_id, owner_id)
           join code_owner o using (tenant_id, owner_id)
           group by o.tenant_id, o.owner_id`,
    values: [users.map((u) => u.tenantId), users.map((u) => u.newUserId)],
  });
  return new Map(rows.map((row) => [recordKey(row.tenant_id, row.owner_id), row.since]));
}
