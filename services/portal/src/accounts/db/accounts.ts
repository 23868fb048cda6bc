import type { TenantRole } from '@tributary/contracts/admin/rights';
import type { Db } from './any-connection.ts';

export type AccountRow = {
  accountId: string;
  email: string;
  name: string;
  passwordHash: string | null;
  isOperator: boolean;
  sealedTotp: string | null;
  totpSince: Date | null;
  totpLastStep: string | null;
  /** How many. */
  passkeys: number;
};

const columns = `account_id as "accountId", email, name, password_hash as "passwordHash",
  is_operator as "isOperator", totp_sealed_secret as "sealedTotp", totp_since as "totpSince",
  totp_last_step as "totpLastStep", passkeys`;

/**
 * What is one address for us. No letters fold but those of ASCII: the Kelvin sign becomes a `k`
 * else, and whoever has one address at a provider could be whoever has another one here.
 */
export function emailKey(email: string): string {
  return email.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
}

export async function findAccount(db: Db, email: string): Promise<AccountRow | undefined> {
  const { rows } = await db.query<AccountRow>(
    `select ${columns} from account where email_key = $1`,
    [emailKey(email)],
  );
  return rows[0];
}

/** Waits for every other change of the account. Undefined for one that was forgotten, too. */
export async function lockAccount(db: Db, accountId: string): Promise<AccountRow | undefined> {
  const { rows } = await db.query<AccountRow>(
    `select ${columns} from account where account_id = $1 and forgotten_at is null for update`,
    [accountId],
  );
  return rows[0];
}

/** Whether a password alone is not enough. */
export function hasSecondFactor({ totpSince, passkeys }: AccountRow): boolean {
  return totpSince !== null || passkeys > 0;
}

/** Whether credentials that were right are so still. */
export function isAsVerified(present: AccountRow | undefined, verified: AccountRow): boolean {
  return (
    present !== undefined &&
    present.passwordHash === verified.passwordHash &&
    present.totpSince?.getTime() === verified.totpSince?.getTime() &&
    present.passkeys === verified.passkeys
  );
}

/** False when somebody has the e-mail. Without a password for whom a provider signs in. */
export async function insertAccount(
  db: Db,
  row: { accountId: string; email: string; name: string; passwordHash: string | null; at: Date },
): Promise<boolean> {
  const { rowCount } = await db.query(
    `insert into account (account_id, email, email_key, name, password_hash, created_at)
     values ($1, $2, $3, $4, $5, $6) on conflict (email_key) do nothing`,
    [row.accountId, row.email, emailKey(row.email), row.name, row.passwordHash, row.at],
  );
  return rowCount === 1;
}

export async function storePassword(db: Db, accountId: string, hash: string): Promise<void> {
  await db.query(`update account set password_hash = $2 where account_id = $1`, [accountId, hash]);
}

/** False when another one came in its place. */
export async function replacePassword(
  db: Db,
  accountId: string,
  hash: { from: string; to: string },
): Promise<boolean> {
  const { rowCount } = await db.query(
    `update account set password_hash = $3 where account_id = $1 and password_hash = $2`,
    [accountId, hash.from, hash.to],
  );
  return rowCount === 1;
}

export async function storeSecondFactor(
  db: Db,
  accountId: string,
  totp: { sealed: string | null; since: Date | null; lastStep: number | null },
): Promise<void> {
  await db.query(
    `update account set totp_sealed_secret = $2, totp_since = $3, totp_last_step = $4
     where account_id = $1`,
    [accountId, totp.sealed, totp.since, totp.lastStep],
  );
}

export async function replaceSealedTotp(db: Db, accountId: string, sealed: string): Promise<void> {
  await db.query(`update account set totp_sealed_secret = $2 where account_id = $1`, [
    accountId,
    sealed,
  ]);
}

/** False when a code of this step, or of a later one, was taken before. */
export async function takeStep(db: Db, accountId: string, step: number): Promise<boolean> {
  const { rowCount } = await db.query(
    `update account set totp_last_step = $2
     where account_id = $1 and coalesce(totp_last_step, -1) < $2`,
    [accountId, step],
  );
  return rowCount === 1;
}

export async function storeOperator(db: Db, accountId: string, is: boolean): Promise<void> {
  await db.query(`update account set is_operator = $2 where account_id = $1`, [accountId, is]);
}

export async function replaceRecoveryCodes(
  db: Db,
  accountId: string,
  digests: readonly string[],
): Promise<void> {
  await db.query(`delete from recovery_code where account_id = $1`, [accountId]);
  await db.query(`insert into recovery_code (account_id, digest) select $1, unnest($2::text[])`, [
    accountId,
    digests,
  ]);
}

/** True once. */
export async function takeRecoveryCode(
  db: Db,
  accountId: string,
  digest: string,
): Promise<boolean> {
  const { rowCount } = await db.query(
    `delete from recovery_code where account_id = $1 and digest = $2`,
    [accountId, digest],
  );
  return rowCount === 1;
}

export async function countRecoveryCodes(db: Db, accountId: string): Promise<number> {
  const { rows } = await db.query<{ n: number }>(
    `select count(*)::int as n from recovery_code where account_id = $1`,
    [accountId],
  );
  return rows[0]?.n ?? 0;
}

export type MembershipRow = { tenantId: string; role: TenantRole };

export async function listMemberships(db: Db, accountId: string): Promise<MembershipRow[]> {
  const { rows } = await db.query<MembershipRow>(
    `select tenant_id as "tenantId", role from membership where account_id = $1 order by tenant_id`,
    [accountId],
  );
  return rows;
}

/** What an account signs in with by itself, and how much of each. */
export type Factors = {
  password: boolean;
  authenticator: boolean;
  recoveryCodes: number;
  passkeys: number;
};

/** The account is locked, and nobody signs in by what it had so far. Says what that was. */
export async function clearFactors(db: Db, account: AccountRow): Promise<Factors> {
  const { accountId, passkeys } = account;
  const recoveryCodes = await countRecoveryCodes(db, accountId);
  await db.query(
    `update account set password_hash = null, totp_sealed_secret = null, totp_since = null,
       totp_last_step = null, passkeys = 0
     where account_id = $1`,
    [accountId],
  );
  await deleteFactors(db, accountId);
  const authenticator = account.totpSince !== null;
  return { password: account.passwordHash !== null, authenticator, recoveryCodes, passkeys };
}

async function deleteFactors(db: Db, accountId: string): Promise<void> {
  await db.query(
    `with codes as (delete from recovery_code where account_id = $1),
       keys as (delete from passkey where account_id = $1)
     delete from sign_in_link where account_id = $1`,
    [accountId],
  );
}

/**
 * Nothing about a person stays of an account without any role: it cannot sign in, and its e-mail is
 * free. Says whether it was forgotten.
 */
export async function forgetWithoutRole(db: Db, accountId: string, at: Date): Promise<boolean> {
  const { rowCount } = await db.query(
    `update account set email = null, email_key = null, name = '', password_hash = null,
       totp_sealed_secret = null, totp_since = null, passkeys = 0, forgotten_at = $2
     where account_id = $1 and forgotten_at is null and not is_operator
       and not exists (select 1 from membership m where m.account_id = account.account_id)`,
    [accountId, at],
  );
  if (rowCount !== 1) return false;
  await deleteFactors(db, accountId);
  await db.query(
    `with notices as (delete from security_notice where account_id = $1)
     delete from single_sign_on where account_id = $1`,
    [accountId],
  );
  return true;
}
