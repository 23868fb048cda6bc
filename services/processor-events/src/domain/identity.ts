import type { StripeCustomer } from '@tributary/contracts/processor-record';
import { afterReading, type Gathering, shifted } from './gathering.ts';
import type { LookUp, Need, UnmatchedReason, Verdict } from './model.ts';

export type Identity = { ucc: string; newUserId: string };

export type Identified =
  | { outcome: 'known'; identity: Identity }
  /** The customer is one of the gathering's needs. */
  | { outcome: 'asked' }
  | { outcome: 'unmatched'; verdict: Verdict };

/**
 * Whose payment it is: by the metadata of the customer object (interface 6.2 rule 1) as it was read
 * last, which may be a little older than the item. What is incomplete now may be completed later,
 * so the customer stays needed.
 */
export function identify(
  customerId: string | null,
  item: { receivedAt: string },
  {
    lookUp,
    gathering,
    metadataTtlMs,
  }: { lookUp: LookUp; gathering: Gathering; metadataTtlMs: number },
): Identified {
  if (customerId === null) return unmatched('no-customer', []);
  const since = shifted(item.receivedAt, 0 - metadataTtlMs);
  const customer = gathering.ask('customer', customerId, since);
  if (customer === undefined) return { outcome: 'asked' };
  const identity = customer && completeIdentity(customer);
  if (identity) return { outcome: 'known', identity };
  const after = afterReading(lookUp.reading('customer', customerId));
  const needs: Need[] = [{ type: 'customer', id: customerId, ...after }];
  return unmatched(whyUnmatched(customer), needs);
}

function unmatched(reason: UnmatchedReason, needs: Need[]): Identified {
  return { outcome: 'unmatched', verdict: { state: 'unmatched', reason, needs } };
}

function completeIdentity({ ucc, newUserId }: StripeCustomer): Identity | null {
  if (ucc === null || newUserId === null) return null;
  return fitsContract(ucc) && fitsContract(newUserId) ? { ucc, newUserId } : null;
}

function whyUnmatched(customer: StripeCustomer | null): UnmatchedReason {
  if (!customer) return 'absent';
  if (customer.deleted) return 'customer-deleted';
  const { ucc, newUserId } = customer;
  if (ucc === null && newUserId === null) return 'no-metadata';
  if (ucc === null) return 'no-code';
  if (newUserId === null) return 'no-user';
  return 'unusable-metadata';
}

/** Interface 8: 1 to 255 characters. */
export function fitsContract(text: string): boolean {
  const { length } = [...text];
  return length >= 1 && length <= 255;
}
