import type { Role, TenantRole } from '@tributary/contracts/admin/rights';
import { emailKey } from './accounts.ts';
import type { Db } from './any-connection.ts';

export type PersonRow = { accountId: string; email: string; name: string; since: Date };

export async function listPeople(
  db: Db,
  tenantId: string,
): Promise<(PersonRow & { role: TenantRole })[]> {
  const { rows } = await db.query<PersonRow & { role: TenantRole }>(
    `select a.account_id as "accountId", a.email, a.name, m.role, m.since
     from membership m join account a using (account_id)
     where m.tenant_id = $1 order by m.since, a.account_id`,
    [tenantId],
  );
  return rows;
}

export async function listOperators(db: Db): Promise<PersonRow[]> {
  const { rows } = await db.query<PersonRow>(
    `select account_id as "accountId", email, name, created_at as since
     from account where is_operator order by created_at, account_id`,
  );
  return rows;
}

/** All of a tenant wait for each other, so that its last owner is told from the last but one. */
export async function lockPeople(db: Db, tenantId: string): Promise<void> {
  await db.query(`select pg_advisory_xact_lock(hashtextextended($1, 0))`, [`people:${tenantId}`]);
}

export async function roleOfMember(
  db: Db,
  tenantId: string,
  accountId: string,
): Promise<TenantRole | undefined> {
  const { rows } = await db.query<{ role: TenantRole }>(
    `select role from membership where tenant_id = $1 and account_id = $2`,
    [tenantId, accountId],
  );
  return rows[0]?.role;
}

export async function countOwners(db: Db, tenantId: string): Promise<number> {
  const { rows } = await db.query<{ n: number }>(
    `select count(*)::int as n from membership where tenant_id = $1 and role = 'owner'`,
    [tenantId],
  );
  return rows[0]?.n ?? 0;
}

export async function storeMembership(
  db: Db,
  row: { accountId: string; tenantId: string; role: TenantRole; at: Date },
): Promise<void> {
  await db.query(
    `insert into membership (account_id, tenant_id, role, since) values ($1, $2, $3, $4)
     on conflict (account_id, tenant_id) do update set role = excluded.role`,
    [row.accountId, row.tenantId, row.role, row.at],
  );
}

export async function deleteMembership(db: Db, tenantId: string, accountId: string): Promise<void> {
  await db.query(`delete from membership where tenant_id = $1 and account_id = $2`, [
    tenantId,
    accountId,
  ]);
}

export type InvitationRow = {
  invitationId: string;
  email: string;
  tenantId: string | null;
  role: Role;
  expiresAt: Date;
};

const invitation = `invitation_id as "invitationId", email, tenant_id as "tenantId", role,
  expires_at as "expiresAt"`;

/** Removes those whose time is over, whose e-mails nobody needs any more. */
export async function insertInvitation(
  db: Db,
  row: InvitationRow & { digest: string; invitedBy: string; at: Date },
): Promise<void> {
  await db.query(`delete from invitation where expires_at <= $1`, [row.at]);
  await db.query(
    `insert into invitation
       (invitation_id, digest, email, tenant_id, role, invited_by, created_at, expires_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [
      row.invitationId,
      row.digest,
      row.email,
      row.tenantId,
      row.role,
      row.invitedBy,
      row.at,
      row.expiresAt,
    ],
  );
}

/** Those of a tenant; null: of the deployment. */
export async function listInvitations(
  db: Db,
  tenantId: string | null,
  at: Date,
): Promise<InvitationRow[]> {
  const { rows } = await db.query<InvitationRow>(
    `select ${invitation} from invitation
     where tenant_id is not distinct from $1 and expires_at > $2 order by created_at`,
    [tenantId, at],
  );
  return rows;
}

export async function findInvitation(
  db: Db,
  digest: string,
  at: Date,
): Promise<InvitationRow | undefined> {
  const { rows } = await db.query<InvitationRow>(
    `select ${invitation} from invitation where digest = $1 and expires_at > $2`,
    [digest, at],
  );
  return rows[0];
}

/** It holds once: whoever takes it has removed it. */
export async function takeInvitation(
  db: Db,
  digest: string,
  at: Date,
): Promise<InvitationRow | undefined> {
  const { rows } = await db.query<InvitationRow>(
    `delete from invitation where digest = $1 and expires_at > $2 returning ${invitation}`,
    [digest, at],
  );
  return rows[0];
}

/**
 * By the key that an account has: C folds ASCII letters only. All that somebody of this e-mail was
 * sent, for whom a provider says that it is theirs.
 */
export async function takeInvitationsOf(db: Db, email: string, at: Date): Promise<InvitationRow[]> {
  const { rows } = await db.query<InvitationRow>(
    `delete from invitation where lower(email collate "C") = $1 and expires_at > $2 returning ${invitation}`,
    [emailKey(email), at],
  );
  return rows;
}

/** One of a tenant; null: of the deployment. */
export async function deleteInvitation(
  db: Db,
  tenantId: string | null,
  invitationId: string,
): Promise<boolean> {
  const { rowCount } = await db.query(
    `delete from invitation where tenant_id is not distinct from $1 and invitation_id = $2`,
    [tenantId, invitationId],
  );
  return rowCount === 1;
}

/** Those of a tenant that somebody made; without a tenant all that they made. */
export async function deleteInvitationsBy(
  db: Db,
  invitedBy: string,
  tenantId?: string,
): Promise<void> {
  await db.query(
    `delete from invitation where invited_by = $1 and ($2::text is null or tenant_id = $2)`,
    [invitedBy, tenantId],
  );
}

export async function deleteInvitationsOf(db: Db, tenantId: string): Promise<void> {
  await db.query(`delete from invitation where tenant_id = $1`, [tenantId]);
}
