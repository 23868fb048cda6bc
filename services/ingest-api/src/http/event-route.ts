import type { IncomingMessage, ServerResponse } from 'node:http';
import { isV2EventType, v2Events } from '@tributary/contracts/public/v2-events';
import type { Admit } from '@tributary/http/admission';
import { authorizationOf } from '@tributary/http/bearer';
import { sendJson, sendProblem } from '@tributary/http/problem-response';
import { spanOf } from '@tributary/http/request-traces';
import type { CurrentVerifier } from '@tributary/http/tokens';
import type { NoteRefusals } from './note-refusals.ts';
import type { Submission } from '../commands/accept-event.ts';
import type { Acceptance } from '../domain/acceptance.ts';
import { requestKey } from '../domain/idempotency-key.ts';
import type { EventPlaces } from './event-places.ts';
import { sendNotAdmitted } from './not-admitted.ts';
import { readJson, sendViolations } from './read-json.ts';

export const eventsPath = '/v2/events/';

/**
 * POST /v2/events/<type>, for every row of the v2 event table, in the precedence of design 8: 401,
 * 404, 405, 403 (suspended), 429, 415, 413, 400 MALFORMED_JSON, 422, 400 IDEMPOTENCY_KEY_CONFLICT,
 * 409, 503. The 503 of overload alone comes earlier, before the body (decision 82).
 */
export function createEventRoute(options: {
  /** Who sends: from the access token and from nothing else (design 5, step 1). */
  verifyBearer: CurrentVerifier;
  /** Before the body is read: what is refused costs nothing more. */
  admit: Admit;
  noteRefusals: NoteRefusals;
  places: EventPlaces;
  /** Called for each request that is refused because there are too many. */
  onShed: (res: ServerResponse) => void;
  accept: (submission: Submission) => Promise<Acceptance>;
  /** For metrics and the log; never shown to the caller. */
  onAcceptance: (acceptance: Acceptance, res: ServerResponse) => void;
}): (req: IncomingMessage, res: ServerResponse, path: string) => Promise<void> {
  const { verifyBearer, admit, noteRefusals, places, accept, onAcceptance } = options;

  function shed(res: ServerResponse): void {
    options.onShed(res);
    sendProblem(res, 'SERVICE_UNAVAILABLE', { retryAfterSeconds: 1, detail: overloaded });
  }

  return async (req, res, path) => {
    const caller = await verifyBearer(authorizationOf(req));
    if (!caller) return sendProblem(res, 'UNAUTHORIZED');
    const eventType = path.startsWith(eventsPath) ? path.slice(eventsPath.length) : '';
    noteRefusals(req, res, caller, `${eventsPath}${isV2EventType(eventType) ? eventType : '*'}`);
    if (!isV2EventType(eventType)) return sendProblem(res, 'UNKNOWN_EVENT_TYPE');
    if (req.method !== 'POST') {
      const detail = 'Send events with POST.';
      return sendProblem(res, 'UNKNOWN_EVENT_TYPE', { allow: 'POST', detail });
    }

    const admission = admit(caller.tenantId);
    if (admission.outcome !== 'admitted') return sendNotAdmitted(res, admission);
    // Before the body and again behind it: many may have been sending theirs at once.
    if (places.isFull()) return shed(res);

    const reading = await readJson(req, res, v2Events[eventType].read);
    if (!reading) return;
    const bodyKey = reading.outcome === 'valid' ? reading.body.idempotencyKey : undefined;
    const key = requestKey(keyHeaderLines(req), bodyKey);
    const keyViolation = key.outcome === 'invalid' ? key.violation : undefined;
    if (reading.outcome === 'invalid') return sendViolations(res, reading, keyViolation);
    if (key.outcome === 'invalid') {
      return sendViolations(res, { violations: [key.violation], truncated: false });
    }
    if (key.outcome === 'conflict') return sendProblem(res, 'IDEMPOTENCY_KEY_CONFLICT');

    const leave = places.take();
    if (!leave) return shed(res);
    try {
      const acceptance = await accept({
        ...caller,
        eventType,
        body: reading.body,
        idempotencyKey: key.outcome === 'key' ? key.key : undefined,
        span: spanOf(res),
      });
      onAcceptance(acceptance, res);
      sendAcceptance(res, acceptance);
    } finally {
      leave();
    }
  };
}

function sendAcceptance(res: ServerResponse, acceptance: Acceptance): void {
  switch (acceptance.outcome) {
    case 'accepted':
      return sendJson(res, 202, acceptance.accepted);
    case 'key-conflict':
      return sendProblem(res, 'IDEMPOTENCY_CONFLICT');
    case 'unavailable':
      return sendProblem(res, 'SERVICE_UNAVAILABLE', {
        retryAfterSeconds: 1,
        detail: `${unavailable[acceptance.because]} Try again with the same idempotency key.`,
      });
    default:
      return acceptance satisfies never;
  }
}

const overloaded =
  'More events came than can be accepted now; this request stored nothing. Try again with the same idempotency key.';

const unavailable = {
  log: 'The event could not be written durably now; it may or may not have been stored.',
  idempotency: 'The idempotency key cannot be checked now; nothing was stored.',
};

/** Each line by itself and byte by byte: node joins repeated headers and reads bytes as latin1. */
function keyHeaderLines(req: IncomingMessage): Buffer[] {
  if (req.headers['idempotency-key'] === undefined) return [];
  const lines: Buffer[] = [];
  for (let i = 0; i < req.rawHeaders.length; i += 2) {
    if (req.rawHeaders[i]!.toLowerCase() === 'idempotency-key') {
      lines.push(Buffer.from(req.rawHeaders[i + 1]!, 'latin1'));
    }
  }
  return lines;
}
