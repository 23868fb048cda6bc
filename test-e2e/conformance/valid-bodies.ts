import { randomUUID } from 'node:crypto';
import type { EventType } from './oracle/event-rules.ts';

type Members = Record<string, unknown>;

/**
 * The members of an event that is accepted without a warning. Its code is nobody's, so nothing
 * comes of it; user, invoice and code are its own, so that no consumer has thousands of facts of
 * one.
 */
export function validMembers(type: EventType): Members {
  const own = `conformance-${randomUUID()}`;
  const members: Members = {
    ucc: own,
    occurredAt: new Date(Date.now() - 60_000).toISOString(),
    newUser: { id: own },
  };
  if (type.startsWith('signup') || type.startsWith('demo')) return members;
  return {
    ...members,
    currency: 'EUR',
    invoiceId: own,
    amount: 4900,
    subscription: { interval: 'monthly' },
  };
}

/**
 * A valid body with the member at `path` written as `source`. An unknown name is added; undefined
 * leaves the member out.
 */
export function bodyWith(
  path: string,
  source: Buffer | string | undefined,
  type: EventType = 'purchase-created',
): Buffer {
  const members = structuredClone(validMembers(type));
  const [first = '', second] = path.split('.');
  const holder = second === undefined ? members : ((members[first] ??= {}) as Members);
  const name = second ?? first;
  const mark = '@@source@@';
  if (source === undefined) delete holder[name];
  else holder[name] = mark;
  const [before = '', after] = JSON.stringify(members).split(`"${mark}"`);
  if (after === undefined) return Buffer.from(before);
  return Buffer.concat([Buffer.from(before), Buffer.from(source!), Buffer.from(after)]);
}

/** The member at `path` set to this value. */
export function bodyOf(path: string, value: unknown, type?: EventType): Buffer {
  return bodyWith(path, JSON.stringify(value), type);
}
