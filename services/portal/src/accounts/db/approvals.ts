import type { ApprovalState } from '@tributary/contracts/admin/approvals';
import type { Db } from './any-connection.ts';

export type ApprovalRow = {
  approvalId: string;
  action: string;
  tenantId: string | null;
  params: Record<string, string>;
  search: string;
  body: unknown;
  requestedBy: string;
  requestedPerson: string | null;
  requestedAt: Date;
  expiresAt: Date;
  state: Exclude<ApprovalState, 'expired'>;
  decidedBy: string | null;
  decidedAt: Date | null;
  status: number | null;
};

const columns = `approval_id as "approvalId", action, tenant_id as "tenantId", params, search, body,
  requested_by as "requestedBy", requested_person as "requestedPerson",
  requested_at as "requestedAt", expires_at as "expiresAt", state, decided_by as "decidedBy",
  decided_at as "decidedAt", status`;

export async function insertApproval(
  db: Db,
  row: Omit<ApprovalRow, 'state' | 'decidedBy' | 'decidedAt' | 'status'>,
): Promise<void> {
  await db.query(
    `insert into approval (approval_id, action, tenant_id, params, search, body, requested_by,
       requested_person, requested_at, expires_at, state)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, 'pending')`,
    [
      ...[row.approvalId, row.action, row.tenantId, JSON.stringify(row.params), row.search],
      ...[JSON.stringify(row.body), row.requestedBy, row.requestedPerson],
      ...[row.requestedAt, row.expiresAt],
    ],
  );
}

/** What was asked by those whose time is over. Those that were decided have lost it then. */
export async function forgetExpiredBodies(db: Db, at: Date): Promise<void> {
  await db.query(
    `update approval set body = null, search = '' where body is not null and expires_at <= $1`,
    [at],
  );
}

/** One of a tenant; null: of the deployment. */
export async function findApproval(
  db: Db,
  tenantId: string | null,
  approvalId: string,
): Promise<ApprovalRow | undefined> {
  const { rows } = await db.query<ApprovalRow>(
    `select ${columns} from approval
     where approval_id = $2 and tenant_id is not distinct from $1`,
    [tenantId, approvalId],
  );
  return rows[0];
}

/** Undefined when it waits no more: of two who decide at once, one does. */
export async function decideApproval(
  db: Db,
  approvalId: string,
  decision: { state: 'approved' | 'declined'; by: string; at: Date },
): Promise<ApprovalRow | undefined> {
  const { rows } = await db.query<ApprovalRow>(
    `update approval set state = $2, decided_by = $3, decided_at = $4, body = null, search = ''
     where approval_id = $1 and state = 'pending' and expires_at > $4 returning ${columns}`,
    [approvalId, decision.state, decision.by, decision.at],
  );
  return rows[0];
}

/** What came of one that was approved. */
export async function endApproval(
  db: Db,
  approvalId: string,
  { state, status }: { state: 'done' | 'failed'; status: number },
): Promise<void> {
  await db.query(
    `update approval set state = $2, status = $3 where approval_id = $1 and state = 'approved'`,
    [approvalId, state, status],
  );
}

/** Those of a tenant; null: of the deployment. */
export async function listApprovals(
  db: Db,
  { tenantId, state, at }: { tenantId: string | null; state: ApprovalState | undefined; at: Date },
  page: { limit: number; after: { at: string; id: string } | undefined },
): Promise<ApprovalRow[]> {
  const { rows } = await db.query<ApprovalRow>(
    `select ${columns} from approval
     where tenant_id is not distinct from $1
       and ($2::text is null or $2 = case
         when state = 'pending' and expires_at <= $3 then 'expired' else state end)
       and ($4::timestamptz is null or (requested_at, approval_id) < ($4, $5::uuid))
     order by requested_at desc, approval_id desc limit $6`,
    [tenantId, state, at, page.after?.at, page.after?.id, page.limit],
  );
  return rows;
}

export async function needsSecondPerson(db: Db, tenantId: string): Promise<boolean> {
  const { rowCount } = await db.query(`select 1 from second_person_tenant where tenant_id = $1`, [
    tenantId,
  ]);
  return rowCount === 1;
}

export async function storeSecondPerson(
  db: Db,
  tenantId: string,
  { required, at }: { required: boolean; at: Date },
): Promise<void> {
  if (required) {
    await db.query(
      `insert into second_person_tenant (tenant_id, since) values ($1, $2) on conflict do nothing`,
      [tenantId, at],
    );
  } else await db.query(`delete from second_person_tenant where tenant_id = $1`, [tenantId]);
}

/**
 * The account behind an actor: a token is its maker's, and a token that a token made is whoever's
 * that one is. Undefined for what the token of the configuration made, which is nobody's.
 */
export async function personBehind(db: Db, actor: string): Promise<string | undefined> {
  const { rows } = await db.query<{ actor: string }>(
    `with recursive behind (actor) as (
       select $1::text
       union
       select t.created_by from behind b join api_token t on b.actor = 'token:' || t.token_id)
     select actor from behind where starts_with(actor, 'account:')`,
    [actor],
  );
  return rows[0]?.actor;
}
