import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { isRequestId } from '@tributary/runtime/ids';

/**
 * Names this request in the answer (`X-Request-Id`), so that a caller's report leads to the log
 * line. What the edge has chosen is kept when it has a harmless form; it is a label, never trusted.
 */
export function assignRequestId(req: IncomingMessage, res: ServerResponse): string {
  const offered = req.headers[header];
  const requestId = isRequestId(offered) ? offered : randomUUID();
  res.setHeader(header, requestId);
  return requestId;
}

/** The id that {@link assignRequestId} gave this request. */
export function requestIdOf(res: ServerResponse): string | undefined {
  const value = res.getHeader(header);
  return typeof value === 'string' ? value : undefined;
}

/** {@link assignRequestId} as express middleware; first of all, so that every answer has the id. */
export function requestIds(req: IncomingMessage, res: ServerResponse, next: () => void): void {
  assignRequestId(req, res);
  next();
}

const header = 'x-request-id';
