import { readBody } from '@tributary/http/body-reader';
import { bodyLimitBytes } from '@tributary/http/json-body';
import { sendJson } from '@tributary/http/problem-response';
import { requestIdOf } from '@tributary/http/request-id';
import type { Caller } from '@tributary/http/tokens';
import type { Clock } from '@tributary/runtime/clock';
import type { IdSource } from '@tributary/runtime/ids';
import type { Logger } from '@tributary/runtime/logger';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { parseRawJson } from '../../domain/raw-json.ts';
import { readLegacyEvent } from '../../domain/read-legacy-event.ts';
import type { LegacyMetrics } from '../../metrics.ts';
import type { StoreEvent } from '../log/store-event.ts';

/**
 * `POST /events` (interface 4.4). The order of refusals: 401 before the body is read, 413 before it
 * is parsed, 400, 503. 200 is sent only after the log has acknowledged the records.
 */
export function createPostEvent(options: {
  verifyBearer: (authorizationHeader: string | undefined) => Caller | undefined;
  storeEvent: StoreEvent;
  clock: Clock;
  ids: IdSource;
  logger: Logger;
  metrics: LegacyMetrics;
  backdatingWindowDays: number;
}): (req: IncomingMessage, res: ServerResponse) => Promise<void> {
  const { verifyBearer, storeEvent, clock, ids, logger, metrics, backdatingWindowDays } = options;

  return async (req, res) => {
    const caller = verifyBearer(req.headers.authorization);
    if (!caller) {
      res.setHeader('WWW-Authenticate', 'Bearer');
      return answer(res, 401, 'a valid bearer token is needed');
    }
    const receivedAt = clock.now();
    const read = await readBody(req, { limitBytes: bodyLimitBytes });
    if (read.outcome === 'aborted') return;
    if (read.outcome === 'too-large') {
      return answer(res, 413, `the body is larger than ${bodyLimitBytes} bytes`);
    }
    const body = parseRawJson(read.bytes);
    if (body === undefined) return answer(res, 400, 'the body is not JSON');

    const eventId = ids.uuidv7(receivedAt.getTime());
    const { tenantId } = caller;
    const reading = readLegacyEvent(body, { eventId, tenantId, receivedAt, backdatingWindowDays });
    if (reading.outcome === 'refused') return answer(res, 400, reading.message);
    metrics.unknownFields(reading.unknownFields);

    const stored = await storeEvent(reading.event, reading.person);
    if (stored.outcome === 'refused') {
      logger.warn('an event was not acknowledged', {
        requestId: requestIdOf(res),
        eventId,
        tenantId,
        error: stored.cause,
      });
      res.setHeader('Retry-After', '1');
      return answer(res, 503, 'the service is not available now; send the event again');
    }
    metrics.answered(200);
    sendJson(res, 200, { success: true });
  };

  function answer(res: ServerResponse, status: number, message: string): void {
    metrics.answered(status);
    logger.info('refused', { requestId: requestIdOf(res), status });
    sendJson(res, status, { message });
  }
}
