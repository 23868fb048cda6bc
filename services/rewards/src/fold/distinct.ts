import type { RecipientKey } from '@tributary/rewards-fold/entitlement';
import { type BusinessFact, factName, recipientName } from '@tributary/rewards-fold/fold-tables';

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
