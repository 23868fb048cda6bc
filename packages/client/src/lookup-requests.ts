import type { ApiRequest } from './api-call.ts';
import { type Answer, parseObject } from './failure.ts';
import type { ActiveLink, EventWithDecision, ReferralCode } from './wire-types.ts';

type Lookup<T> = ApiRequest<T | undefined>;

/** GET /referral-codes/{code} (interface 4.5); undefined for a code that nobody can have. */
export function lookupRequest(code: string): Lookup<ReferralCode> | undefined {
  const segment = pathSegment(code);
  if (segment === undefined) return undefined;
  return {
    operation: 'GET /referral-codes/{code}',
    method: 'GET',
    path: `/referral-codes/${segment}`,
    read: found<ReferralCode>((body) => typeof body['valid'] === 'boolean'),
  };
}

/** GET /referral-codes/active-link/{productUserId} (interface 4.6). */
export function activeLinkRequest(productUserId: string): Lookup<ActiveLink> | undefined {
  const segment = pathSegment(productUserId);
  if (segment === undefined) return undefined;
  return {
    operation: 'GET /referral-codes/active-link/{productUserId}',
    method: 'GET',
    path: `/referral-codes/active-link/${segment}`,
    read: found<ActiveLink>((body) => typeof body['activeUcc'] === 'string'),
  };
}

/** GET /api/events/{eventId} of the admin API, which takes the access token for this, too. */
export function showEventRequest(eventId: string): Lookup<EventWithDecision> | undefined {
  const segment = pathSegment(eventId);
  if (segment === undefined) return undefined;
  return {
    operation: 'GET /api/events/{eventId}',
    method: 'GET',
    path: `/api/events/${segment}`,
    read: found<EventWithDecision>((body) => typeof body['outcome'] === 'string'),
  };
}

/** A missing code is an answer and no failure; a 404 of something else, such as a proxy, is not. */
function found<T>(isRecord: (body: Record<string, unknown>) => boolean) {
  return ({ status, text }: Answer): { value: T | undefined } | undefined => {
    const body = parseObject(text);
    if (body === undefined) return undefined;
    if (status === 404 && body['code'] === 'NOT_FOUND') return { value: undefined };
    return status === 200 && isRecord(body) ? { value: body as T } : undefined;
  };
}

/**
 * Undefined for a text that no URL carries as one segment: dots alone are a step in the path,
 * encoded or not, and half a surrogate pair has no encoding.
 */
function pathSegment(text: string): string | undefined {
  if (/^\.{1,2}$/.test(text)) return undefined;
  try {
    return encodeURIComponent(text);
  } catch {
    return undefined;
  }
}
