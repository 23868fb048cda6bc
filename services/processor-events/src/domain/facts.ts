import { derivedId } from '@tributary/contracts/derived-id';
import {
  type EventRecord,
  eventSchemaVersion,
  type Payment,
} from '@tributary/contracts/event-record';
import { fitsContract, type Identity } from './identity.ts';

type About = {
  tenantId: string;
  receivedAt: string;
  /** When the payment or the refund occurred, in seconds since the epoch. */
  occurredAtSeconds: number;
  identity: Identity;
};
export type FactWarning = NonNullable<EventRecord['warnings']>[number];

/** One per invoice or session, by the id that it is known by (docs/decisions/0014, 4). */
export function purchaseFact(
  objectId: string,
  about: About,
  purchase: Payment,
  warning?: FactWarning,
): EventRecord {
  const eventId = derivedId('processor-fact', about.tenantId, 'purchase', objectId);
  const fact = { ...common(eventId, about), ...(warning && { warnings: [warning] }) };
  return { ...fact, eventType: 'purchase-created', purchase };
}

/** One per refund. */
export function refundFact(refundId: string, about: About, refund: Payment): EventRecord {
  const eventId = derivedId('processor-fact', about.tenantId, 'refund', refundId);
  return { ...common(eventId, about), eventType: 'purchase-refunded', refund };
}

function common(eventId: string, { tenantId, receivedAt, occurredAtSeconds, identity }: About) {
  return {
    schemaVersion: eventSchemaVersion,
    eventId,
    tenantId,
    source: 'processor' as const,
    receivedAt,
    occurredAt: new Date(occurredAtSeconds * 1_000).toISOString().replace('.000Z', 'Z'),
    occurredAtSeconds: String(occurredAtSeconds),
    ucc: identity.ucc,
    newUser: { id: identity.newUserId },
  };
}

/**
 * What else the invoice is called, so that a customer who also reports it by its own name earns
 * once (design 7, "Business keys"). The first names count when there are more than a fact takes.
 */
export function aliasesOf(
  invoiceId: string,
  names: readonly (string | null | undefined)[],
): Pick<Payment, 'aliases'> {
  const others = names.filter(
    (name): name is string => typeof name === 'string' && name !== invoiceId && fitsContract(name),
  );
  const aliases = [...new Set(others)].slice(0, mostAliases).sort();
  return aliases.length > 0 ? { aliases } : {};
}

const mostAliases = 20;
