import type { RecipientToLock } from '../db/recipients.ts';
import { type BusinessFact, factName, recipientName } from '@tributary/rewards-fold/fold-tables';

export function distinctRecipients(keys: readonly RecipientToLock[]): RecipientToLock[] {
  const byName = new Map<string, RecipientToLock>();
  for (const { tenantId, recipientId, partition } of keys) {
    const name = recipientName({ tenantId, recipientId });
    byName.set(name, {
      tenantId,
      recipientId,
      partition: partition ?? byName.get(name)?.partition,
    });
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
