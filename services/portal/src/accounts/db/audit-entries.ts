import { identifierPattern } from '@tributary/contracts/admin/text-fields';
import type { AuditEntry } from '../domain/audit-record.ts';
import type { Db } from './any-connection.ts';

const columns = `entry_id as "entryId", at, actor, action, tenant_id as "tenantId", status, outcome,
  target, asked, before, after, address, request_id as "requestId"`;

/** What is known before it is done. */
export type BegunEntry = Pick<
  AuditEntry,
  'entryId' | 'at' | 'actor' | 'action' | 'tenantId' | 'target' | 'address' | 'requestId'
>;

export async function openEntry(db: Db, entry: BegunEntry): Promise<void> {
  await db.query(`insert into audit_open (entry_id, at, entry) values ($1, $2, $3)`, [
    entry.entryId,
    entry.at,
    JSON.stringify(entry),
  ]);
}

/** In place of the open one; false when that is gone. */
export async function closeEntry(db: Db, entry: AuditEntry): Promise<boolean> {
  const { rowCount } = await db.query(
    `with ended as (delete from audit_open where entry_id = $1 returning entry_id)
     insert into audit_entry (entry_id, at, actor, action, tenant_id, status, outcome, target,
       asked, before, after, address, request_id)
     select ended.entry_id, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13 from ended`,
    [entry.entryId, entry.at, ...valuesOf(entry)],
  );
  return rowCount === 1;
}

/** Nothing came of it, and nobody wants to know. */
export async function dropEntry(db: Db, entryId: string): Promise<void> {
  await db.query(`delete from audit_open where entry_id = $1`, [entryId]);
}

export async function insertEntry(db: Db, entry: AuditEntry): Promise<void> {
  await db.query(
    `insert into audit_entry (entry_id, at, actor, action, tenant_id, status, outcome, target,
       asked, before, after, address, request_id)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`,
    [entry.entryId, entry.at, ...valuesOf(entry)],
  );
}

function valuesOf(entry: AuditEntry) {
  const json = (value: unknown) =>
    value === undefined || value === null ? null : JSON.stringify(value);
  return [
    ...[entry.actor, entry.action, entry.tenantId, entry.status, entry.outcome],
    JSON.stringify(entry.target),
    ...[json(entry.asked), json(entry.before), json(entry.after)],
    ...[entry.address, entry.requestId],
  ];
}

/** The first one first. */
export async function listAbandoned(db: Db, before: Date): Promise<string[]> {
  const { rows } = await db.query<{ entryId: string }>(
    `select entry_id as "entryId" from audit_open where at < $1 order by at, entry_id`,
    [before],
  );
  return rows.map(({ entryId }) => entryId);
}

/** None when somebody else has closed it. What is no id of a tenant may be there from before. */
export async function closeAbandoned(db: Db, entryId: string): Promise<AuditEntry[]> {
  const { rows } = await db.query<AuditEntry>(
    `with left_open as (delete from audit_open where entry_id = $1 returning *)
     insert into audit_entry (entry_id, at, actor, action, tenant_id, status, outcome, target,
       address, request_id)
     select entry_id, at, entry->>'actor', entry->>'action',
       case when entry->>'tenantId' ~ $2 then entry->>'tenantId' end, null, 'unknown',
       entry->'target', entry->>'address', entry->>'requestId' from left_open
     returning ${columns}`,
    [entryId, identifierPattern.source],
  );
  return rows;
}

export type AuditFilter = {
  since?: string | undefined;
  until?: string | undefined;
  actor?: string | undefined;
  action?: string | undefined;
  tenantId?: string | undefined;
};

export async function listEntries(
  db: Db,
  { since, until, actor, action, tenantId }: AuditFilter,
  page: { limit: number; after: { at: string; id: string } | undefined },
): Promise<AuditEntry[]> {
  const { rows } = await db.query<AuditEntry>(
    `select ${columns} from audit_entry
     where ($1::timestamptz is null or at >= $1) and ($2::timestamptz is null or at < $2)
       and ($3::text is null or actor = $3) and ($4::text is null or action = $4)
       and ($5::text is null or tenant_id = $5)
       and ($6::timestamptz is null or (at, entry_id) < ($6, $7::uuid))
     order by at desc, entry_id desc limit $8`,
    [since, until, actor, action, tenantId, page.after?.at, page.after?.id, page.limit],
  );
  return rows;
}
