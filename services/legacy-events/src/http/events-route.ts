import type { RefusedField } from '@tributary/contracts/refusal-record';
import type { RefusalRecorder } from '@tributary/event-log/refusal-recorder';
import type { Admission, Admit } from '@tributary/http/admission';
import { authorizationOf } from '@tributary/http/bearer';
import { readBody } from '@tributary/http/body-reader';
import { bodyLimitBytes } from '@tributary/http/json-body';
import { sendJson } from '@tributary/http/problem-response';
import { requestIdOf } from '@tributary/http/request-id';
import type { Caller, CurrentVerifier } from '@tributary/http/tokens';
import type { Clock } from '@tributary/runtime/clock';
import type { IdSource } from '@tributary/runtime/ids';
import type { Logger } from '@tributary/runtime/logger';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { parseRawJson } from '../domain/raw-json.ts';
import { readLegacyEvent } from '../domain/read-legacy-event.ts';
import { violationOf } from '../domain/violation-of.ts';
import type { LegacyMetrics } from '../metrics.ts';
import type { StoreEvent } from '../log/store-event.ts';

export type EventsRoute = (req: IncomingMessage, res: ServerResponse) => Promise<void>;

/**
 * `/events` (interface 4.4). The order of refusals is that of design 8: 401 before the body is
 * read, 405, 403 (suspended), 429, 413 and 503 (no room) before it is parsed, 400 (415 when it came
 * encoded), 503. 200 is sent only after the log has acknowledged the records. Content-Type is not
 * looked at: old clients send any.
 */
export function createEventsRoute(options: {
  verifyBearer: CurrentVerifier;
  /** Before the body is read: what is refused costs nothing more. */
  admit: Admit;
  storeEvent: StoreEvent;
  clock: Clock;
  ids: IdSource;
  logger: Logger;
  metrics: LegacyMetrics;
  /** What is refused to a tenant that is known. */
  refusals: Pick<RefusalRecorder, 'note'>;
  backdatingWindowDays: number;
}): EventsRoute {
  const { verifyBearer, admit, storeEvent, clock, ids, logger, metrics } = options;
  const { refusals, backdatingWindowDays } = options;

  return async (req, res) => {
    const caller = await verifyBearer(authorizationOf(req));
    if (!caller) {
      res.setHeader('WWW-Authenticate', 'Bearer');
      return refuse(res, 401, 'a valid bearer token is needed');
    }
    const answer = { req, res, caller };
    if (req.method !== 'POST') {
      res.setHeader('Allow', 'POST');
      return refuseTo(answer, 405, 'only POST is allowed');
    }
    const admission = admit(caller.tenantId);
    if (admission.outcome !== 'admitted') return refuseUnread(answer, admission);
    const receivedAt = clock.now();
    const read = await readBody(req, { limitBytes: bodyLimitBytes });
    if (read.outcome === 'aborted') return;
    if (read.outcome === 'too-large') {
      return refuseTo(answer, 413, `the body is larger than ${bodyLimitBytes} bytes`);
    }
    if (read.outcome === 'no-room') return refuseForNow(answer);
    const body = parseRawJson(read.bytes);
    if (body === undefined) return refuseUnreadable(answer);

    const eventId = ids.uuidv7(receivedAt.getTime());
    const { tenantId } = caller;
    const receipt = { ...caller, eventId, receivedAt, backdatingWindowDays };
    const reading = readLegacyEvent(body, receipt);
    if (reading.outcome === 'refused') {
      return refuseTo(answer, 400, reading.message, [violationOf(reading.message)]);
    }
    metrics.unknownFields(reading.unknownFields);

    const stored = await storeEvent(reading.event, reading.person);
    if (stored.outcome === 'refused') {
      logger.warn('an event was not acknowledged', {
        requestId: requestIdOf(res),
        eventId,
        tenantId,
        error: stored.cause,
      });
      return refuseForNow(answer);
    }
    sendJson(res, 200, { success: true });
  };

  /** The header alone refuses nothing: old clients write `Content-Encoding: utf-8`. */
  function refuseUnreadable(answer: Known): void {
    if (answer.req.headers['content-encoding'] === undefined) {
      return refuseTo(answer, 400, 'the body is not JSON in UTF-8');
    }
    refuseTo(answer, 415, 'the body is not JSON in UTF-8; send it without a Content-Encoding');
  }

  function refuseUnread(
    answer: Known,
    admission: Exclude<Admission, { outcome: 'admitted' }>,
  ): void {
    metrics.refused(admission.outcome);
    if (admission.outcome === 'suspended') {
      return refuseTo(answer, 403, 'the tenant of this token is suspended; nothing was stored');
    }
    answer.res.setHeader('Retry-After', String(admission.retryAfterSeconds));
    refuseTo(
      answer,
      429,
      'this tenant has sent more events than it may; send the event again later',
    );
  }

  function refuseForNow(answer: Known): void {
    answer.res.setHeader('Retry-After', '1');
    refuseTo(answer, 503, 'the service is not available now; send the event again');
  }

  /** Now it is known whose request it is: they can find out why it was refused. */
  function refuseTo(
    { req, res, caller }: Known,
    status: number,
    message: string,
    violations: readonly RefusedField[] = [],
  ): void {
    const route = `${req.method === 'POST' ? 'POST' : '*'} /events`;
    refusals.note({ ...caller, route, status, violations });
    refuse(res, status, message);
  }

  function refuse(res: ServerResponse, status: number, message: string): void {
    logger.info('refused', { requestId: requestIdOf(res), status });
    sendJson(res, status, { message });
  }
}

/** A request of somebody whose token holds. */
type Known = { req: IncomingMessage; res: ServerResponse; caller: Caller };
