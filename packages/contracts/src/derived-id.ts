import { hash } from 'node:crypto';

/** Fixed for ever: changing it would give every derived entity a second identity. */
const namespace = Buffer.from('b9e7c3a46d1f5e2b9a803c5d7f1e2a46', 'hex');

/**
 * UUIDv5 (RFC 9562, 5.5) over the canonical JSON array of `parts`: the same cause always gives the
 * same id, so a second or late send changes nothing (design 7, "Ids").
 */
export function derivedId(kind: DerivedKind, ...parts: readonly (string | number)[]): string {
  return uuidv5(JSON.stringify([kind, ...parts]));
}

/** By the platform's own SHA-1, since a fold derives several for each event. */
function uuidv5(name: string): string {
  const digest = hash('sha1', Buffer.concat([namespace, Buffer.from(name)]), 'hex');
  const variant = ((parseInt(digest.charAt(16), 16) & 0b0011) | 0b1000).toString(16);
  return [
    digest.slice(0, 8),
    digest.slice(8, 12),
    `5${digest.slice(13, 16)}`,
    `${variant}${digest.slice(17, 20)}`,
    digest.slice(20, 32),
  ].join('-');
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
