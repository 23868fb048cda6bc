import type { AuditOutcome } from '@tributary/contracts/admin/audit';
import { type AuditRecord, auditSchemaVersion } from '@tributary/contracts/audit-record';

export type AuditEntry = {
  entryId: string;
  at: Date;
  actor: string;
  action: string;
  tenantId: string | null;
  status: number | null;
  outcome: AuditOutcome;
  target: Readonly<Record<string, string>>;
  asked: unknown;
  before: unknown;
  after: unknown;
  address: string;
  requestId: string | null;
};

/**
 * What leaves the database of an entry. Secrets and e-mails are not in it to begin with; here goes
 * what somebody may have written a name into, as nobody erases it there.
 */
export function toAuditRecord(entry: AuditEntry): AuditRecord {
  const { at, asked, before, after, target, address: _a, ...left } = entry;
  return {
    ...left,
    schemaVersion: auditSchemaVersion,
    at: at.toISOString(),
    target: withoutNames(target) as Record<string, string>,
    asked: withoutNames(asked ?? null),
    before: withoutNames(before ?? null),
    after: withoutNames(after ?? null),
  };
}

/** A product's ids of its users are its own, and nobody can say that they name nobody. */
const named: ReadonlySet<string> = new Set([
  ...['name', 'by', 'note', 'reason', 'username'],
  ...['user', 'userId', 'productUserId', 'newUserId', 'referrerId', 'customerId'],
  ...['recipient', 'recipientId', 'email'],
]);

function withoutNames(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNames);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      named.has(name) ? 'personal' : withoutNames(member),
    ]),
  );
}
