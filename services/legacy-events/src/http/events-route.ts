import type { Admission, Admit } from '@tributary/http/admission';
import { authorizationOf } from '@tributary/http/bearer';
import { readBody } from '@tributary/http/body-reader';
import { bodyLimitBytes } from '@tributary/http/json-body';
import { sendJson } from '@tributary/http/problem-response';
import { requestIdOf } from '@tributary/http/request-id';
import type { CurrentVerifier } from '@tributary/http/tokens';
import type { Clock } from '@tributary/runtime/clock';
import type { IdSource } from '@tributary/runtime/ids';
import type { Logger } from '@tributary/runtime/logger';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { parseRawJson } from '../domain/raw-json.ts';
import { readLegacyEvent } from '../domain/read-legacy-event.ts';
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
  backdatingWindowDays: number;
}): EventsRoute {
  const { verifyBearer, admit, storeEvent, clock, ids, logger, metrics, backdatingWindowDays } =
    options;

  return async (req, res) => {
    const caller = await verifyBearer(authorizationOf(req));
    if (!caller) {
      res.setHeader('WWW-Authenticate', 'Bearer');
      return refuse(res, 401, 'a valid bearer token is needed');
    }
    if (req.method !== 'POST') {
      res.setHeader('Allow', 'POST');
      return refuse(res, 405, 'only POST is allowed');
    }
    const admission = admit(caller.tenantId);
    if (admission.outcome !== 'admitted') return refuseUnread(res, admission);
    const receivedAt = clock.now();
    const read = await readBody(req, { limitBytes: bodyLimitBytes });
    if (read.outcome === 'aborted') return;
    if (read.outcome === 'too-large') {
      return refuse(res, 413, `the body is larger than ${bodyLimitBytes} bytes`);
    }
    if (read.outcome === 'no-room') return refuseForNow(res);
    const body = parseRawJson(read.bytes);
    if (body === undefined) return refuseUnreadable(req, res);

    const eventId = ids.uuidv7(receivedAt.getTime());
    const { tenantId } = caller;
    const reading = readLegacyEvent(body, { eventId, tenantId, receivedAt, backdatingWindowDays });
    if (reading.outcome === 'refused') return refuse(res, 400, reading.message);
    metrics.unknownFields(reading.unknownFields);

    const stored = await storeEvent(reading.event, reading.person);
    if (stored.outcome === 'refused') {
      logger.warn('an event was not acknowledged', {
        requestId: requestIdOf(res),
        eventId,
        tenantId,
        error: stored.cause,
      });
      return refuseForNow(res);
    }
    sendJson(res, 200, { success: true });
  };

  /** The header alone refuses nothing: old clients write `Content-Encoding: utf-8`. */
  function refuseUnreadable(req: IncomingMessage, res: ServerResponse): void {
    if (req.headers['content-encoding'] === undefined) {
      return refuse(res, 400, 'the body is not JSON in UTF-8');
    }
    refuse(res, 415, 'the body is not JSON in UTF-8; send it without a Content-Encoding');
  }

  function refuseUnread(
    res: ServerResponse,
    admission: Exclude<Admission, { outcome: 'admitted' }>,
  ): void {
    metrics.refused(admission.outcome);
    if (admission.outcome === 'suspended') {
      return refuse(res, 403, 'the tenant of this token is suspended; nothing was stored');
    }
    res.setHeader('Retry-After', String(admission.retryAfterSeconds));
    refuse(res, 429, 'more events came than this tenant may send; send the event again later');
  }

  function refuseForNow(res: ServerResponse): void {
    res.setHeader('Retry-After', '1');
    refuse(res, 503, 'the service is not available now; send the event again');
  }

  function refuse(res: ServerResponse, status: number, message: string): void {
    logger.info('refused', { requestId: requestIdOf(res), status });
    sendJson(res, status, { message });
  }
}
