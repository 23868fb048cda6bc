import type { IncomingMessage, ServerResponse } from 'node:http';
import { sendProblem } from '@tributary/http/problem-response';
import { assignRequestId, requestIdOf } from '@tributary/http/request-id';
import type { RequestLimits } from '@tributary/http/request-limits';
import type { TraceRequest } from '@tributary/http/request-traces';
import type { App } from '@tributary/http/server';
import type { Logger } from '@tributary/runtime/logger';
import { isTransientPostgresError } from '@tributary/runtime/postgres';
import express from 'express';
import { activeLinksPath } from './active-link-route.ts';
import { eventsPath } from './event-route.ts';
import { referralCodesPath } from './referral-code-route.ts';

type Route = (req: IncomingMessage, res: ServerResponse, path: string) => Promise<void>;

/** Names of routes as metrics and log lines show them; never a path with somebody's code in it. */
export type RouteName = 'event' | 'token' | 'referral-code' | 'active-link' | 'none';

/**
 * The public listener. Events and look-ups are answered before express: its routing costs more
 * than all of our own work on an event. Everything else goes through express.
 */
export function createPublicApp(options: {
  eventRoute: Route;
  tokenRoute: Route;
  referralCodeRoute: Route;
  activeLinkRoute: Route;
  refuseFlood: RequestLimits<'token'>['refuseFlood'];
  /** Absent where traces are off. */
  traceEvent?: TraceRequest;
  /** Called when a request comes; the function given is called when its answer is out. */
  observe: (route: RouteName, res: ServerResponse) => void;
  logger: Logger;
}): App {
  const { eventRoute, tokenRoute, referralCodeRoute, activeLinkRoute, refuseFlood } = options;
  const { observe, traceEvent, logger } = options;

  const run = (name: RouteName, route: Route, req: IncomingMessage, res: ServerResponse) => {
    observe(name, res);
    route(req, res, pathOf(req)).catch((error: unknown) => fail(res, error));
  };

  const rest = express();
  rest.disable('x-powered-by');
  rest.enable('case sensitive routing');
  rest.enable('strict routing');
  rest.all('/token', (req, res) => {
    if (!refuseFlood('token', req, res)) run('token', tokenRoute, req, res);
  });
  rest.use((req, res) => run('none', notFound, req, res));
  rest.use(((error, _req, res, _next) => fail(res, error)) satisfies express.ErrorRequestHandler);

  function fail(res: ServerResponse, error: unknown): void {
    const requestId = requestIdOf(res);
    if (isTransientPostgresError(error)) {
      logger.warn('the database cannot be used now', { requestId, error });
      return sendProblem(res, 'SERVICE_UNAVAILABLE');
    }
    logger.error('a request failed', { requestId, error });
    sendProblem(res, 'INTERNAL_ERROR');
  }

  return (req, res) => {
    assignRequestId(req, res);
    const url = req.url ?? '';
    if (url.startsWith(eventsPath) || isBelowV2(url)) {
      traceEvent?.(req, res);
      return run('event', eventRoute, req, res);
    }
    // First: a code may be called `active-link`, but has nothing below it.
    if (url.startsWith(activeLinksPath)) return run('active-link', activeLinkRoute, req, res);
    if (url.startsWith(referralCodesPath)) return run('referral-code', referralCodeRoute, req, res);
    rest(req, res);
  };
}

function notFound(_req: IncomingMessage, res: ServerResponse): Promise<void> {
  sendProblem(res, 'NOT_FOUND', { detail: 'There is nothing at this path.' });
  return Promise.resolve();
}

/** Everything of version 2 answers like its events do: 401 first, then 404 UNKNOWN_EVENT_TYPE. */
function isBelowV2(url: string): boolean {
  return url === '/v2' || url.startsWith('/v2/') || url.startsWith('/v2?');
}

/** Undecoded, without the query. */
function pathOf(req: IncomingMessage): string {
  const url = req.url ?? '';
  const query = url.indexOf('?');
  return query === -1 ? url : url.slice(0, query);
}
