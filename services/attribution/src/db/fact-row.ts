import type { EventRecord } from '@tributary/contracts/event-record';
import type { Fact } from '@tributary/attribution-fold/fact';

/** What readers of facts select. */
export const factColumns = `fact.event_id, fact.tenant_id, fact.new_user_id, fact.ucc,
  fact.business_key, fact.reported`;

/** Says that a fact has the business key of `wanted`; the indexes are over digests of names. */
export const hasKey = (wanted: string) => hasName('business_key', wanted);
export const hasPurchaseKey = (wanted: string) => hasName('purchase_key', wanted);
/** These names have no tenant in them, which is to be compared as well. */
export const hasCode = (tenantId: string, wanted: string) => hasName('ucc', wanted, tenantId);
export const hasUser = (tenantId: string, wanted: string) =>
  hasName('new_user_id', wanted, tenantId);

function hasName(column: string, wanted: string, tenantId?: string): string {
  const digest = (name: string, tenant: string) =>
    `hashtextextended(${name}, ${tenantId ? `hashtextextended(${tenant}, 0)` : 0})`;
  return `${digest(`fact.${column}`, 'fact.tenant_id')} = ${digest(wanted, tenantId ?? '')}
   and fact.${column} = ${wanted}`;
}

export type FactRow = {
  event_id: string;
  tenant_id: string;
  new_user_id: string;
  ucc: string;
  business_key: string;
  reported: Reported | EventRecord;
};

/**
 * What no column of the row has, members that every event has by their place (decision 39). Rows of
 * the release before have the whole event.
 */
type Reported = readonly [
  schemaVersion: EventRecord['schemaVersion'],
  eventType: string,
  source: string,
  receivedAt: string,
  occurredAt: string,
  occurredAtSeconds: string,
  others: object,
];

export function toReported(event: EventRecord): Reported {
  const { eventId: _e, tenantId: _t, ucc: _u, newUser, ...rest } = event;
  const { schemaVersion, eventType, source, receivedAt, occurredAt, occurredAtSeconds, ...others } =
    rest;
  const { id: _id, ...ofUser } = newUser;
  const more = Object.keys(ofUser).length > 0 ? { ...others, newUser: ofUser } : others;
  return [schemaVersion, eventType, source, receivedAt, occurredAt, occurredAtSeconds, more];
}

export function fromRow(row: FactRow): Fact {
  return { event: eventOf(row), businessKey: row.business_key };
}

function eventOf({ event_id, tenant_id, new_user_id, ucc, reported }: FactRow): EventRecord {
  if (!isReported(reported)) return reported;
  const [schemaVersion, eventType, source, receivedAt, occurredAt, occurredAtSeconds, others] =
    reported;
  const { newUser, ...rest } = others as { newUser?: object };
  return {
    ...{ schemaVersion, eventId: event_id, tenantId: tenant_id, source, receivedAt },
    ...{ occurredAt, occurredAtSeconds, ucc, newUser: { id: new_user_id, ...newUser } },
    ...{ eventType, ...rest },
  } as EventRecord;
}

function isReported(reported: FactRow['reported']): reported is Reported {
  return Array.isArray(reported);
}
