import type { StripeEvent } from './account-state.ts';
import { stripeApiVersions, stripeShapes, type StripeShape } from './api-version.ts';
import { fixture, type Json } from './fixtures.ts';
import type { AccountBase } from './account-base.ts';
import { shapeById } from './shape-object.ts';

/** Members of the object before the event, per shape (`data.previous_attributes`). */
export type Before = (shape: StripeShape) => Json;

/** An event of an object that is in the account, with the object as it is now. */
export function emitOf(
  base: AccountBase,
  kind: string,
  objectId: string,
  before?: Before,
): StripeEvent {
  return emit(base, kind, (shape) => snapshot(base, objectId, shape), before);
}

export function emit(
  base: AccountBase,
  kind: string,
  objectOf: (shape: StripeShape) => Json,
  before?: Before,
): StripeEvent {
  const { store } = base;
  const id = base.newId('evt');
  const created = base.now();
  const bodies = new Map<StripeShape, string>();
  for (const shape of stripeShapes) {
    const object = objectOf(shape);
    const body = fixture(shape, 'event', {
      ...{ id, created, type: kind, api_version: stripeApiVersions[shape] },
      ...{ livemode: store.livemode, pending_webhooks: 1 },
      data: before === undefined ? { object } : { object, previous_attributes: before(shape) },
      request: { id: null, idempotency_key: null },
    });
    bodies.set(shape, JSON.stringify(body, null, 2)); // as Stripe sends it
  }
  const event: StripeEvent = {
    ...{ id, kind, created, livemode: store.livemode },
    body: (shape) => bodies.get(shape) ?? '',
  };
  store.events.push(event);
  return event;
}

export function snapshot(base: AccountBase, objectId: string, shape: StripeShape): Json {
  const object = shapeById({ store: base.store, shape }, objectId);
  if (object === undefined) throw new Error(`the account has no ${objectId} in the shape ${shape}`);
  return object;
}
