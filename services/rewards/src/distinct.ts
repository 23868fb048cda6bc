import type { BusinessFact } from './adapters/postgres/decisions.ts';
import type { RecipientKey } from './domain/entitlement.ts';

/** Text that names a recipient or a fact. A tenant id holds no `:`, so no two are alike. */
export function recipientName({ tenantId, recipientId }: RecipientKey): string {
  return `${tenantId}:${recipientId}`;
}

export function factName({ tenantId, businessKey }: BusinessFact): string {
  return `${tenantId}:${businessKey}`;
}

export function distinctRecipients(keys: readonly RecipientKey[]): RecipientKey[] {
  const byName = new Map<string, RecipientKey>();
  for (const { tenantId, recipientId } of keys) {
    byName.set(recipientName({ tenantId, recipientId }), { tenantId, recipientId });
  }
  return [...byName.values()];
}

export function distinctFacts(facts: readonly BusinessFact[]): BusinessFact[] {
  const byName = new Map<string, BusinessFact>();
  for (const { tenantId, businessKey } of facts) {
    byName.set(factName({ tenantId, businessKey }), { tenantId, businessKey });
  }
  return [...byName.values()];
}
