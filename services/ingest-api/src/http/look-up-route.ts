import type { IncomingMessage, ServerResponse } from 'node:http';
import { authorizationOf } from '@tributary/http/bearer';
import { sendJson, sendProblem } from '@tributary/http/problem-response';
import type { CurrentVerifier } from '@tributary/http/tokens';
import { sendNotAdmitted } from './not-admitted.ts';
import type { NoteRefusals } from './note-refusals.ts';
import { decodeSegment } from './path-segment.ts';

/**
 * GET (and HEAD) of one thing by the last segment of its path, in the precedence of design 8: 401,
 * 404 for a segment that can name nothing, 405, 403 while the tenant is suspended, 404 for what it
 * does not have.
 */
export function createLookUpRoute(options: {
  verifyBearer: CurrentVerifier;
  isSuspended: (tenantId: string) => boolean;
  noteRefusals: NoteRefusals;
  /** Everything before the segment. */
  prefix: string;
  find: (tenantId: string, name: string) => Promise<object | undefined>;
  /** What the 404 says; the same for what never existed and for another tenant's. */
  missing: string;
}): (req: IncomingMessage, res: ServerResponse, path: string) => Promise<void> {
  const { verifyBearer, isSuspended, noteRefusals, prefix, find, missing } = options;

  return async (req, res, path) => {
    const caller = await verifyBearer(authorizationOf(req));
    if (!caller) return sendProblem(res, 'UNAUTHORIZED');
    noteRefusals(req, res, caller, `${prefix}*`);
    const name = decodeSegment(path.slice(prefix.length));
    if (name === undefined) return sendProblem(res, 'NOT_FOUND', { detail: missing });
    if (req.method !== 'GET' && req.method !== 'HEAD') {
      const detail = 'Read this path with GET.';
      return sendProblem(res, 'NOT_FOUND', { allow: 'GET, HEAD', detail });
    }
    if (isSuspended(caller.tenantId)) return sendNotAdmitted(res, { outcome: 'suspended' });
    const found = await find(caller.tenantId, name);
    if (!found) return sendProblem(res, 'NOT_FOUND', { detail: missing });
    // It holds now: a code may be disabled and a campaign stopped at any moment.
    res.setHeader('Cache-Control', 'no-store');
    sendJson(res, 200, found);
  };
}
