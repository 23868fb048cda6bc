import { parse, v5 } from 'uuid';

/** Fixed for ever: changing it would give every derived entity a second identity. In bytes, once. */
const namespace = parse('b9e7c3a4-6d1f-5e2b-9a80-3c5d7f1e2a46');

/**
 * UUIDv5 (RFC 9562, 5.5) over the canonical JSON array of `parts`: the same cause always gives the
 * same id, so a second or late send changes nothing (design 7, "Ids").
 */
export function derivedId(kind: DerivedKind, ...parts: readonly (string | number)[]): string {
  return v5(JSON.stringify([kind, ...parts]), namespace);
}

export type DerivedKind =
  | 'decision'
  | 'reward'
  | 'issuance'
  | 'webhook-event'
  | 'ledger-posting'
  | 'reward-action'
  | 'attempt'
  | 'dead-letter';
