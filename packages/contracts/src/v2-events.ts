import { PurchaseCreated, readPurchaseCreated } from './purchase-created.ts';

/**
 * The v2 events: last segment of the path → schema and reader. A new event type is one schema
 * file, one row here and one row in ingest-api's table of records.
 */
export const v2Events = {
  'purchase-created': { schema: PurchaseCreated, read: readPurchaseCreated },
} as const;

export type V2EventType = keyof typeof v2Events;

export function isV2EventType(text: string): text is V2EventType {
  return Object.hasOwn(v2Events, text);
}
