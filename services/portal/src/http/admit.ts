import type { IncomingMessage } from 'node:http';
import type { AdminRoute } from '@tributary/contracts/admin/admin-route';
import { needsRole, hasRight, type RoleRight, rolesWith } from '@tributary/contracts/admin/rights';
import { equalInConstantTime } from '@tributary/runtime/secrets';
import { type Caller, maySomewhere, roleIn, type Session } from '../accounts/domain/caller.ts';
import { Refusal } from './refusal.ts';
import { noSuchTenant } from './route.ts';

/** In the header that a change with a cookie needs. */
export const csrfHeader = 'x-csrf-token';

/**
 * Whether a route is for whoever asks. A tenant in which they are nothing does not exist for them.
 *
 * @throws {Refusal} UNAUTHORIZED, FORBIDDEN, NOT_FOUND, CONFIRMATION_REQUIRED
 */
export function admit(
  route: AdminRoute,
  asked: {
    req: IncomingMessage;
    caller: Caller;
    params: Readonly<Record<string, string>>;
    now: Date;
  },
): void {
  const { req, caller, params, now } = asked;
  const { right } = route;
  if (right === 'none') {
    // A look, or where a provider sends the browser back to.
    if (route.method === 'GET') return;
    return refuseOtherSite(req, { mayBeUnsaid: true });
  }
  if (caller.kind === 'nobody') throw unauthorized();
  const { session } = caller;
  if (session !== undefined && route.method !== 'GET') refuseForged(req, session);
  if (needsRole(right)) admitRole(right, caller, params['tenantId']);
  else if (session === undefined) {
    const detail = 'Only people who are signed in can do this; a token has no account.';
    throw new Refusal('FORBIDDEN', { detail });
  }
  if (route.confirmed && session !== undefined && session.confirmedUntil <= now) {
    throw new Refusal('CONFIRMATION_REQUIRED');
  }
}

export function unauthorized(): Refusal {
  return new Refusal('UNAUTHORIZED', {
    detail: 'Sign in, or send an API token: Authorization: Bearer <API_TOKEN>.',
  });
}

function admitRole(right: RoleRight, caller: Caller, tenantId: string | undefined): void {
  if (tenantId === undefined) {
    if (!maySomewhere(caller, right)) throw missing(right);
    return;
  }
  const role = roleIn(caller, tenantId);
  if (role === undefined) throw noSuchTenant();
  if (!hasRight(role, right)) throw missing(right);
}

export function missing(right: RoleRight): Refusal {
  const detail = `This requires the right "${right}", which these roles have: ${rolesWith(right).join(', ')}.`;
  return new Refusal('FORBIDDEN', { detail });
}

/** A change with a cookie comes from a page of our own, and from one that was shown the token. */
function refuseForged(req: IncomingMessage, session: Session): void {
  refuseOtherSite(req, { mayBeUnsaid: false });
  const token = req.headers[csrfHeader];
  if (typeof token === 'string' && equalInConstantTime(token, session.csrfToken)) return;
  const detail = `A change with a cookie requires the header ${csrfHeader}: see csrfToken of the session.`;
  throw new Refusal('FORBIDDEN', { detail });
}

/** By what browsers say of where a request comes from, which no page can change. */
function refuseOtherSite(req: IncomingMessage, { mayBeUnsaid }: { mayBeUnsaid: boolean }): void {
  const { origin, host, 'sec-fetch-site': site } = req.headers;
  if (site === undefined && origin === undefined && mayBeUnsaid) return;
  const isOwn = site === undefined ? isOwnOrigin(origin, host) : site === 'same-origin';
  if (isOwn) return;
  throw new Refusal('FORBIDDEN', {
    detail: 'A change with a cookie is accepted only from pages of this host.',
  });
}

function isOwnOrigin(origin: string | undefined, host: string | undefined): boolean {
  const url = origin === undefined ? null : URL.parse(origin);
  return url !== null && host !== undefined && url.host === host.toLowerCase();
}
