import type { TenantRole } from '@tributary/contracts/admin/rights';
import type { Db } from './any-connection.ts';

export type SessionRow = {
  sessionId: string;
  accountId: string;
  createdAt: Date;
  lastSeenAt: Date;
  confirmedAt: Date;
  address: string;
  userAgent: string;
};

const columns = `s.session_id as "sessionId", s.account_id as "accountId",
  s.created_at as "createdAt", s.last_seen_at as "lastSeenAt", s.confirmed_at as "confirmedAt",
  s.address, s.user_agent as "userAgent"`;

export async function insertSession(
  db: Db,
  row: Omit<SessionRow, 'createdAt' | 'lastSeenAt'> & { digest: string; at: Date },
): Promise<void> {
  await db.query(
    `insert into account_session (session_id, digest, account_id, created_at, last_seen_at,
       confirmed_at, address, user_agent)
     values ($1, $2, $3, $4, $4, $5, $6, $7)`,
    [
      ...[row.sessionId, row.digest, row.accountId, row.at, row.confirmedAt],
      ...[row.address, row.userAgent],
    ],
  );
}

export type OpenSession = SessionRow & {
  isOperator: boolean;
  memberships: { tenantId: string; role: TenantRole }[];
};

/** With what its account may do, as it stands now. */
export async function findSession(
  db: Db,
  digest: string,
  since: { created: Date; seen: Date },
): Promise<OpenSession | undefined> {
  const { rows } = await db.query<OpenSession>(
    `select ${columns}, a.is_operator as "isOperator",
       coalesce((select json_agg(json_build_object('tenantId', m.tenant_id, 'role', m.role))
         from membership m where m.account_id = a.account_id), '[]') as memberships
     from account_session s join account a using (account_id)
     where s.digest = $1 and s.created_at > $2 and s.last_seen_at > $3
       and a.forgotten_at is null`,
    [digest, since.created, since.seen],
  );
  return rows[0];
}

/** False when it was ended meanwhile. Whoever ends those of an account has locked it. */
export async function isOpenSession(db: Db, sessionId: string): Promise<boolean> {
  const { rowCount } = await db.query(`select 1 from account_session where session_id = $1`, [
    sessionId,
  ]);
  return rowCount === 1;
}

export async function sessionSeen(db: Db, sessionId: string, at: Date): Promise<void> {
  await db.query(
    `update account_session set last_seen_at = $2 where session_id = $1 and last_seen_at < $2`,
    [sessionId, at],
  );
}

export async function sessionConfirmed(db: Db, sessionId: string, at: Date): Promise<void> {
  await db.query(`update account_session set confirmed_at = $2 where session_id = $1`, [
    sessionId,
    at,
  ]);
}

export async function listSessions(
  db: Db,
  accountId: string,
  since: { created: Date; seen: Date },
): Promise<SessionRow[]> {
  const { rows } = await db.query<SessionRow>(
    `select ${columns} from account_session s
     where s.account_id = $1 and s.created_at > $2 and s.last_seen_at > $3
     order by s.created_at desc, s.session_id`,
    [accountId, since.created, since.seen],
  );
  return rows;
}

/** All of an account, but for the one that is kept; how many. */
export async function endSessions(
  db: Db,
  accountId: string,
  kept: string | null = null,
): Promise<number> {
  const { rowCount } = await db.query(
    `delete from account_session where account_id = $1 and session_id is distinct from $2`,
    [accountId, kept],
  );
  return rowCount ?? 0;
}

export async function endSession(db: Db, accountId: string, sessionId: string): Promise<number> {
  const { rowCount } = await db.query(
    `delete from account_session where account_id = $1 and session_id = $2`,
    [accountId, sessionId],
  );
  return rowCount ?? 0;
}

/** Those whose time is over. */
export async function removeEndedSessions(db: Db, accountId: string, created: Date): Promise<void> {
  await db.query(`delete from account_session where account_id = $1 and created_at <= $2`, [
    accountId,
    created,
  ]);
}
