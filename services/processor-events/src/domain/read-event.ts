import type { Violation } from '@tributary/contracts/violation';
import { connectionTestKind, isUsedKind } from './kinds.ts';
import { idOf, isId, isObject, isStorable } from './members.ts';

/** An event as Stripe wraps it, of any version; `object` as it came. */
export type StripeEvent = {
  id: string;
  kind: string;
  livemode: boolean;
  /** Seconds since the epoch. */
  createdAt: number;
  apiVersion: string | null;
  object: unknown;
};

export type ReadEvent =
  | { outcome: 'event'; event: StripeEvent }
  /** Nothing of Stripe's: what is wrong with it, in the order of the members. */
  | { outcome: 'wrong'; violations: Violation[] };

/**
 * Takes the body of a webhook, parsed. Every member that is read has to be there, and what is kept
 * has to fit a record; members that are not known are left alone, as Stripe adds some in every
 * version.
 */
export function readStripeEvent(body: unknown): ReadEvent {
  if (!isObject(body)) {
    return wrong([
      { pointer: '', code: 'INVALID_TYPE', detail: 'an event of Stripe is an object' },
    ]);
  }
  const { id, type, livemode, created, api_version: version = null } = body;
  const object = isObject(body['data']) ? body['data']['object'] : undefined;
  const isEvent =
    isId(id) &&
    isKind(type) &&
    typeof livemode === 'boolean' &&
    isSeconds(created) &&
    isVersion(version);
  if (!isEvent || !isObjectOf(type, object)) return wrong(violationsOf(body, object));
  const event = { id, kind: type, livemode, createdAt: created, apiVersion: version, object };
  return { outcome: 'event', event };
}

function wrong(violations: Violation[]): ReadEvent {
  return { outcome: 'wrong', violations };
}

function violationsOf(body: Record<string, unknown>, object: unknown): Violation[] {
  const { id, type, livemode, created, api_version: version = null } = body;
  const found: Violation[] = [];
  const expect = (value: unknown, isRight: boolean, pointer: string, detail: string) => {
    if (isRight) return;
    found.push({ pointer, code: value === undefined ? 'REQUIRED' : 'INVALID_TYPE', detail });
  };
  expect(id, isId(id), '/id', 'the id of the event, as text');
  expect(type, isKind(type), '/type', 'the kind of the event, 1 to 255 characters');
  expect(livemode, typeof livemode === 'boolean', '/livemode', 'true or false');
  expect(created, isSeconds(created), '/created', 'whole seconds since 1970');
  expect(version, isVersion(version), '/api_version', 'a version of the API, or null');
  const ofKind = isKind(type) && isObjectOf(type, object);
  if (isKind(type)) expect(object, ofKind, '/data/object', 'an object that has an id');
  return found;
}

function isKind(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= 255 && isStorable(value);
}

function isVersion(value: unknown): value is string | null {
  return value === null || (typeof value === 'string' && value.length <= 64 && isStorable(value));
}

function isSeconds(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0;
}

/**
 * An object of a kind that is used has to have an id: by that it can be asked for, whatever its
 * shape.
 */
function isObjectOf(kind: string, object: unknown): boolean {
  if (kind === connectionTestKind) return true;
  return isUsedKind(kind) ? isObject(object) && idOf(object) !== null : true;
}
