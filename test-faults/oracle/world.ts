import type { CampaignRevisionRecord, TenantRecord } from '@tributary/contracts/catalog-record';
import { type CodeRecord } from '@tributary/contracts/code-record';
import type { EventRecord } from '@tributary/contracts/event-record';
import { lookUp } from './look-up.ts';
import { compare, decimal, plus, whole, type Rational } from './rational.ts';

/** All that was ever said: sets, in no order. */
export type World = {
  events: readonly EventRecord[];
  codes: readonly CodeRecord[];
  tenants: readonly TenantRecord[];
  revisions: readonly CampaignRevisionRecord[];
  /** By which rules it is decided (decision 16); absent: by the second, the newest. */
  foldVersion?: 1 | 2;
};

export type PurchaseEvent = Extract<EventRecord, { eventType: 'purchase-created' }>;
export type RefundEvent = Extract<EventRecord, { eventType: 'purchase-refunded' }>;
/** An event that says by its code who referred; a refund's code is compared only. */
export type Referral = Exclude<EventRecord, RefundEvent>;

/** The part of the world that is one tenant's: nothing crosses this line. */
export function ofTenant(world: World, tenantId: string): World {
  const isOwn = (record: { tenantId: string }) => record.tenantId === tenantId;
  return {
    ...world,
    events: world.events.filter(isOwn),
    codes: world.codes.filter(isOwn),
    tenants: world.tenants.filter(isOwn),
    revisions: world.revisions.filter(isOwn),
  };
}

export function tenantsOf(world: World): string[] {
  return [...new Set(world.events.map((event) => event.tenantId))];
}

/** All that was reported of a user. */
export function factsOf(world: World, userId: string): readonly EventRecord[] {
  return byUser(world.events, userId);
}

const byUser = lookUp((event: EventRecord) => [event.newUser.id]);

export function eventOf(world: World, eventId: string): EventRecord {
  return byId(world.events, eventId)[0]!;
}

const byId = lookUp((event: EventRecord) => [event.eventId]);

/** Any part of an event that has a place in the canonical order. */
export type Ordered = { occurredAtSeconds: string; receivedAt: string; eventId: string };

/** Exact occurredAt, then receivedAt, then eventId (design 7). */
export function inOrder(a: Ordered, b: Ordered): number {
  return (
    compare(occurred(a), occurred(b)) ||
    compareText(a.receivedAt, b.receivedAt) ||
    compareText(a.eventId, b.eventId)
  );
}

export function firstOf<P extends Ordered>(ordered: readonly P[]): P | undefined {
  return [...ordered].sort(inOrder)[0];
}

/** A browser's report (source `widget`) comes after every backend's, whenever it occurred. */
export function bestReported(reported: readonly Referral[]): Referral | undefined {
  const backends = reported.filter((event) => !isRecovered(event));
  return firstOf(backends.length > 0 ? backends : reported);
}

export function isRecovered(event: EventRecord): boolean {
  return event.source === 'widget';
}

export function occurred(event: { occurredAtSeconds: string }): Rational {
  return decimal(event.occurredAtSeconds);
}

/**
 * The time whose revision and mode decide an event: by the second rules no later than its receipt.
 */
export function decidedAt(world: World, event: Ordered): Rational {
  const [reported, received] = [occurred(event), instant(event.receivedAt)];
  return world.foldVersion === 1 || compare(reported, received) <= 0 ? reported : received;
}

/** Reads a timestamp as this system writes it. */
export function instant(utc: string): Rational {
  return { over: BigInt(Date.parse(utc)), under: 1_000n };
}

export function addDays(seconds: Rational, days: number): Rational {
  return plus(seconds, whole(days * 86_400));
}

export function daysLater(utc: string, days: number): string {
  return new Date(Date.parse(utc) + days * 86_400_000).toISOString();
}

export function isReferral(event: EventRecord): event is Referral {
  return event.eventType !== 'purchase-refunded';
}

export function isPurchase(event: EventRecord): event is PurchaseEvent {
  return event.eventType === 'purchase-created';
}

export function isRefund(event: EventRecord): event is RefundEvent {
  return event.eventType === 'purchase-refunded';
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
