import { type Static, Type } from '@sinclair/typebox';
import { createCodec } from './record.ts';
import { Id, TenantId, UtcTimestamp, Uuid } from './record-text.ts';

export const auditSchemaVersion = 1 as const;

/**
 * One entry of the audit list on `referral.audit`: who did what, without names, e-mails,
 * addresses and users' ids of anybody. Whoever reads one twice knows it by its id.
 */
export const AuditRecord = Type.Object({
  schemaVersion: Type.Literal(auditSchemaVersion),
  entryId: Uuid,
  at: UtcTimestamp,
  /** `account:…`, `token:…`, `operator` for the bootstrap token, or `nobody`. */
  actor: Id,
  /** The name of the route. */
  action: Id,
  /** Null: of the deployment. */
  tenantId: Type.Union([TenantId, Type.Null()]),
  status: Type.Union([Type.Integer(), Type.Null()]),
  outcome: Type.Union([
    ...[Type.Literal('done'), Type.Literal('refused')],
    ...[Type.Literal('failed'), Type.Literal('unknown')],
  ]),
  /** Which one of many it was about. */
  target: Type.Record(Type.String(), Type.String()),
  /** Secrets as "changed", what is about a person as "personal". */
  asked: Type.Unknown(),
  before: Type.Unknown(),
  after: Type.Unknown(),
  requestId: Type.Union([Type.String(), Type.Null()]),
});
export type AuditRecord = Static<typeof AuditRecord>;

export const auditCodec = createCodec({
  name: 'audit',
  schemaVersion: auditSchemaVersion,
  schema: AuditRecord,
});

/**
 * Entries of one tenant are in order; so are those of no tenant. No other record has these keys, as
 * no id of a tenant is empty: what waits in the outbox for this topic holds nothing else up.
 */
export function auditKey({ tenantId }: Pick<AuditRecord, 'tenantId'>): string {
  return tenantId === null ? ':deployment' : `:audit:${tenantId}`;
}
