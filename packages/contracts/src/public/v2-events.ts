import type { Static } from '@sinclair/typebox';
import { DemoAttended, readDemoAttended } from './demo-attended.ts';
import { PurchaseCreated, readPurchaseCreated } from './purchase-created.ts';
import { PurchaseRefunded, readPurchaseRefunded } from './purchase-refunded.ts';
import { readSignupCreated, SignupCreated } from './signup-created.ts';

/**
 * The v2 events: last segment of the path → schema and reader. A new event type is one schema
 * file, one row here and one in v2-records.ts.
 */
export const v2Events = {
  'purchase-created': { schema: PurchaseCreated, read: readPurchaseCreated },
  'signup-created': { schema: SignupCreated, read: readSignupCreated },
  'demo-attended': { schema: DemoAttended, read: readDemoAttended },
  'purchase-refunded': { schema: PurchaseRefunded, read: readPurchaseRefunded },
} as const;

export type V2EventType = keyof typeof v2Events;

/** Event type → the type of its body. */
export type V2Bodies = { [T in V2EventType]: Static<(typeof v2Events)[T]['schema']> };

/** A valid body of any type, with its type. */
export type V2Event = { [T in V2EventType]: { eventType: T; body: V2Bodies[T] } }[V2EventType];

export function isV2EventType(text: string): text is V2EventType {
  return Object.hasOwn(v2Events, text);
}
