import type { IncomingMessage, ServerResponse } from 'node:http';
import { isTraceparent, type Tracer, type TraceSpan } from '@tributary/runtime/tracer';
import { requestIdOf } from './request-id.ts';

/** Begins the span of a request if it is drawn; it ends with the answer. */
export type TraceRequest = (req: IncomingMessage, res: ServerResponse) => void;

const spans = new WeakMap<ServerResponse, TraceSpan>();

/**
 * Draws a share of the requests, by itself and of whatever the caller says: a `traceparent` places
 * the span in the caller's trace, but neither its flag nor its id, which callers choose, has a say
 * in whether there is one.
 */
export function createTraceRequest(options: {
  tracer: Tracer;
  /** From 0 to 1. */
  share: number;
  /** As in `/things/{id}`; never the path itself. */
  route: string;
  random?: () => number;
}): TraceRequest {
  const { tracer, share, route, random = Math.random } = options;
  return (req, res) => {
    if (random() >= share) return;
    const { traceparent } = req.headers;
    const method = req.method ?? '';
    const span = tracer.begin(`${method} ${route}`, {
      kind: 'server',
      requestId: requestIdOf(res) ?? '',
      parent: isTraceparent(traceparent) ? traceparent : undefined,
      attributes: { 'http.request.method': method, 'http.route': route },
    });
    spans.set(res, span);
    res.once('close', () => {
      const status = { 'http.response.status_code': res.statusCode };
      const isFailed = !res.writableFinished || res.statusCode >= 500;
      span.end({ attributes: res.headersSent ? status : {}, isFailed });
    });
  };
}

/** That of this request; most have none. */
export function spanOf(res: ServerResponse): TraceSpan | undefined {
  return spans.get(res);
}
