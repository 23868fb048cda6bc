import type { Db } from './any-connection.ts';

export type PasskeyRow = {
  passkeyId: string;
  accountId: string;
  credentialId: string;
  publicKey: Buffer;
  counter: number;
  transports: string[];
  isSynced: boolean;
  name: string;
  createdAt: Date;
  lastUsedAt: Date | null;
  suspendedAt: Date | null;
};

const columns = `passkey_id as "passkeyId", account_id as "accountId",
  credential_id as "credentialId", public_key as "publicKey", counter::float8 as counter,
  transports, is_synced as "isSynced", name, created_at as "createdAt",
  last_used_at as "lastUsedAt", suspended_at as "suspendedAt"`;

/** False when the credential is known, whosever it is. */
export async function insertPasskey(
  db: Db,
  row: Omit<PasskeyRow, 'lastUsedAt' | 'suspendedAt'>,
): Promise<boolean> {
  const { rowCount } = await db.query(
    `insert into passkey (passkey_id, account_id, credential_id, public_key, counter, transports,
       is_synced, name, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9) on conflict (credential_id) do nothing`,
    [
      ...[row.passkeyId, row.accountId, row.credentialId, row.publicKey, row.counter],
      ...[row.transports, row.isSynced, row.name, row.createdAt],
    ],
  );
  return rowCount === 1;
}

/** In the row of the account, which is locked by whoever adds or removes one. */
export async function countPasskeys(db: Db, accountId: string): Promise<number> {
  const { rows } = await db.query<{ passkeys: number }>(
    `update account set passkeys =
       (select count(*) from passkey p where p.account_id = account.account_id)
     where account_id = $1 returning passkeys`,
    [accountId],
  );
  return rows[0]?.passkeys ?? 0;
}

export async function listPasskeys(db: Db, accountId: string): Promise<PasskeyRow[]> {
  const { rows } = await db.query<PasskeyRow>(
    `select ${columns} from passkey where account_id = $1 order by created_at, passkey_id`,
    [accountId],
  );
  return rows;
}

export async function findPasskey(db: Db, credentialId: string): Promise<PasskeyRow | undefined> {
  const { rows } = await db.query<PasskeyRow>(
    `select ${columns} from passkey where credential_id = $1`,
    [credentialId],
  );
  return rows[0];
}

/** False when it was used, suspended or removed since it was looked at. */
export async function passkeyUsed(
  db: Db,
  { passkeyId, counter }: PasskeyRow,
  use: { counter: number; isSynced: boolean; at: Date },
): Promise<boolean> {
  const { rowCount } = await db.query(
    `update passkey set counter = $3, is_synced = $4, last_used_at = $5
     where passkey_id = $1 and counter = $2 and suspended_at is null`,
    [passkeyId, counter, use.counter, use.isSynced, use.at],
  );
  return rowCount === 1;
}

/** False when it is so already. */
export async function suspendPasskey(db: Db, passkeyId: string, at: Date): Promise<boolean> {
  const { rowCount } = await db.query(
    `update passkey set suspended_at = $2 where passkey_id = $1 and suspended_at is null`,
    [passkeyId, at],
  );
  return rowCount === 1;
}

type Named = { accountId: string; passkeyId: string };

export async function renamePasskey(
  db: Db,
  { accountId, passkeyId }: Named,
  name: string,
): Promise<PasskeyRow | undefined> {
  const { rows } = await db.query<PasskeyRow>(
    `update passkey set name = $3 where account_id = $1 and passkey_id = $2 returning ${columns}`,
    [accountId, passkeyId, name],
  );
  return rows[0];
}

export async function deletePasskey(db: Db, { accountId, passkeyId }: Named): Promise<boolean> {
  const { rowCount } = await db.query(
    `delete from passkey where account_id = $1 and passkey_id = $2`,
    [accountId, passkeyId],
  );
  return rowCount === 1;
}
