import type { IncomingMessage, ServerResponse } from 'node:http';
import { sendProblem } from '@tributary/http/problem-response';
import { assignRequestId, requestIdOf } from '@tributary/http/request-id';
import type { RequestLimits } from '@tributary/http/request-limits';
import type { App } from '@tributary/http/server';
import type { Logger } from '@tributary/runtime/logger';
import { isTransientPostgresError } from '@tributary/runtime/postgres';
import { isAssetPath } from './assets-route.ts';
import { answerOrigin } from './cors.ts';
import { configPath } from './config-route.ts';
import { sessionPath } from './session-route.ts';

type Route = (req: IncomingMessage, res: ServerResponse, path: string) => Promise<void>;

/** Names of routes as metrics and log lines show them; never a path with somebody's code in it. */
export type RouteName = 'asset' | 'session' | 'campaign-config' | 'none';

/** The public listener: two scripts, and what they ask. */
export function createPublicApp(options: {
  assetsRoute: Route;
  sessionRoute: Route;
  configRoute: Route;
  refuseFlood: RequestLimits<'widget'>['refuseFlood'];
  /** Called when a request comes. */
  observe: (route: RouteName, res: ServerResponse) => void;
  logger: Logger;
}): App {
  const { assetsRoute, sessionRoute, configRoute, refuseFlood, observe, logger } = options;

  function find(path: string): [RouteName, Route] {
    if (isAssetPath(path)) return ['asset', assetsRoute];
    if (path === sessionPath) return ['session', limited(sessionRoute)];
    if (path === configPath) return ['campaign-config', limited(configRoute)];
    return ['none', notFound];
  }

  function limited(route: Route): Route {
    return async (req, res, path) => {
      // So that the page can read the refusal, too.
      answerOrigin(req, res);
      if (!refuseFlood('widget', req, res)) await route(req, res, path);
    };
  }

  return async (req, res) => {
    assignRequestId(req, res);
    const path = pathOf(req);
    const [name, route] = find(path);
    observe(name, res);
    try {
      await route(req, res, path);
    } catch (error) {
      fail(res, error);
    }
  };

  function fail(res: ServerResponse, error: unknown): void {
    const requestId = requestIdOf(res);
    if (isTransientPostgresError(error) || isRetryable(error)) {
      logger.warn('what is known cannot be read now', { requestId, error });
      return sendProblem(res, 'SERVICE_UNAVAILABLE');
    }
    logger.error('a request failed', { requestId, error });
    sendProblem(res, 'INTERNAL_ERROR');
  }
}

async function notFound(_req: IncomingMessage, res: ServerResponse): Promise<void> {
  sendProblem(res, 'NOT_FOUND', { detail: 'There is nothing at this path.' });
}

function isRetryable(error: unknown): boolean {
  return error instanceof Error && 'retryable' in error && error.retryable === true;
}

/** Undecoded, without the query. */
function pathOf(req: IncomingMessage): string {
  const url = req.url ?? '';
  const query = url.indexOf('?');
  return query === -1 ? url : url.slice(0, query);
}
