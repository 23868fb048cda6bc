import { randomUUID } from 'node:crypto';
import type { AuditOutcome } from '@tributary/contracts/admin/audit';
import { type AdminRoute, isChange } from '@tributary/contracts/admin/admin-route';
import { identifierPattern } from '@tributary/contracts/admin/text-fields';
import { type AuditDesk, endEntry, keepEntry } from '../accounts/commands/audit-list.ts';
import { type BegunEntry, dropEntry, openEntry } from '../accounts/db/audit-entries.ts';
import type { AuditEntry } from '../accounts/domain/audit-record.ts';
import { roleIn } from '../accounts/domain/caller.ts';
import type { Logger } from '@tributary/runtime/logger';
import { isTransientPostgresError } from '@tributary/runtime/postgres';
import { actionOf, type Look, lookOf } from './before-and-after.ts';
import { ClientGone } from './read-json.ts';
import { redact } from './redact.ts';
import { Refusal, statusOf } from './refusal.ts';
import type { AdminRequest, Answer, ServedRoute } from './route.ts';

/**
 * Answers a request so that the audit list has every change exactly once, however it ends, and each
 * look at what is secret or personal. A change is noted before it is made: a process that dies in
 * between leaves that note, and nobody has to wonder who asked.
 */
export function createAudited(options: {
  office: AuditDesk;
  logger: Logger;
  find: (route: AdminRoute) => ServedRoute;
}) {
  const { office, logger, find } = options;
  return async (served: ServedRoute, request: AdminRequest, admit: () => void): Promise<Answer> => {
    const { route } = served;
    if (!isChange(route)) {
      admit();
      const answer = await served.handle(request);
      if (route.audited) await keepEntry(office, ended(begin(office, route, request), answer));
      return answer;
    }
    const begun = begin(office, route, request);
    try {
      admit();
    } catch (error) {
      if (isOfSomebody(request, error)) await keepEntry(office, failed(begun, error));
      throw error;
    }
    return change(served, request, begun);
  };

  async function change(served: ServedRoute, request: AdminRequest, begun: BegunEntry) {
    const look = lookOf(served.route);
    const noted = noting(request);
    await openEntry(office.pool, begun);
    const asked = () => askedOf(served.route, noted.json());
    let before: unknown = null;
    let answer: Answer;
    try {
      before = look && (await lookAt(look, request));
      answer = await served.handle(noted.request);
    } catch (error) {
      const entry = { ...failed(begun, error), asked: asked(), before };
      const end = isWorthKeeping(request, error)
        ? endEntry(office, entry)
        : dropEntry(office.pool, entry.entryId);
      // A refusal is told even where it cannot be kept; the note is, then.
      await end.catch(() => undefined);
      throw error;
    }
    // It was made, and its answer may hold what is shown once. What cannot be kept of it now stays
    // noted, and becomes an entry whose outcome is unknown.
    const unkept = (error: unknown) => {
      const { requestId } = request;
      logger.error('the entry of a change is not whole', {
        error,
        action: begun.action,
        requestId,
      });
      return null;
    };
    const after = look && (await lookAt(look, request).catch(unkept));
    const entry = { ...ended(begun, answer), asked: asked(), before, after };
    await endEntry(office, entry).catch(unkept);
    return answer;
  }

  async function lookAt({ route, pick }: Look, request: AdminRequest): Promise<unknown> {
    try {
      const { body } = await find(route).handle({ ...request, search: '' });
      return redact(pick(body as never));
    } catch (error) {
      // Nothing is there yet, or any more.
      if (error instanceof Refusal) return null;
      throw error;
    }
  }
}

function isOfSomebody({ caller }: AdminRequest, error: unknown): boolean {
  return caller.kind !== 'nobody' && error instanceof Refusal;
}

/**
 * What strangers ask would fill the list, but for wrong passwords, of which there are not many.
 * What fails in another way may have changed something before.
 */
function isWorthKeeping({ caller }: AdminRequest, error: unknown): boolean {
  if (caller.kind !== 'nobody') return true;
  if (error instanceof ClientGone) return false;
  return !(error instanceof Refusal) || error.code === 'UNAUTHORIZED';
}

function begin(
  { clock }: Pick<AuditDesk, 'clock'>,
  route: AdminRoute,
  request: AdminRequest,
): BegunEntry {
  const { caller, from, requestId, params } = request;
  const { tenantId, ...target } = params;
  // A tenant in which they are nothing is not told what strangers tried there.
  // What is no id is no tenant's, whoever asks.
  const isTheirs = isTenantId(tenantId) && roleIn(caller, tenantId) !== undefined;
  return {
    entryId: randomUUID(),
    at: clock.now(),
    actor: caller.actor,
    action: actionOf(route),
    tenantId: isTheirs ? tenantId : null,
    target: redact(isTheirs ? target : { ...params }) as Record<string, string>,
    address: from.address,
    requestId: requestId ?? null,
  };
}

function ended(begun: BegunEntry, { status, body, actor, target }: Answer): AuditEntry {
  const { tenantId } = (body ?? {}) as { tenantId?: unknown };
  return {
    ...begun,
    actor: actor ?? begun.actor,
    target: { ...begun.target, ...(redact(target ?? {}) as Record<string, string>) },
    tenantId: begun.tenantId ?? (isTenantId(tenantId) ? tenantId : null),
    status,
    outcome: 'done',
    ...nothing,
  };
}

function isTenantId(value: unknown): value is string {
  return typeof value === 'string' && identifierPattern.test(value);
}

function failed(begun: BegunEntry, error: unknown): AuditEntry {
  const status = statusOfError(error);
  const outcome: AuditOutcome = status < 500 ? 'refused' : 'failed';
  return { ...begun, status, outcome, ...nothing };
}

const nothing = { asked: null, before: null, after: null };

function statusOfError(error: unknown): number {
  if (error instanceof Refusal) return statusOf(error);
  return isTransientPostgresError(error) ? 503 : 500;
}

/** The request, and what its body turned out to be. */
function noting(request: AdminRequest) {
  let json: unknown = null;
  const note = async (reading: Promise<unknown>) => (json = await reading);
  return {
    json: () => json,
    request: {
      ...request,
      json: () => note(request.json()),
      optionalJson: () => note(request.optionalJson()),
    },
  };
}

/** A member of no known name may hold anything, also a secret whose name is misspelt. */
function askedOf(route: AdminRoute, json: unknown): unknown {
  if (json === null) return null;
  if (typeof json !== 'object' || Array.isArray(json)) return 'undeclared';
  const declared = route.body?.properties ?? {};
  const members = Object.entries(json).map(([name, value]) => [
    name,
    Object.hasOwn(declared, name) ? (value as unknown) : 'undeclared',
  ]);
  return redact(Object.fromEntries(members), personalOf(route));
}

/** A name is a person's in one body, and a campaign's or a token's in others. */
function personalOf(route: AdminRoute): ReadonlySet<string> {
  return new Set(actionOf(route) === 'acceptInvitation' ? ['name'] : []);
}
