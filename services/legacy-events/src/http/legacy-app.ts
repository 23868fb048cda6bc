import { type RefusalForm, sendJson } from '@tributary/http/problem-response';
import { requestIdOf, requestIds } from '@tributary/http/request-id';
import type { RequestObserver } from '@tributary/http/request-observer';
import type { Logger } from '@tributary/runtime/logger';
import express, { type ErrorRequestHandler, type Express } from 'express';
import type { EventsRoute } from './events-route.ts';

/**
 * The form of this endpoint's errors (interface 4.4, design 8), also of what was no request yet.
 */
export const messageForm: RefusalForm = ({ detail }) => ({
  contentType: 'application/json',
  body: JSON.stringify({ message: detail }),
});

/** One path; whatever else comes is answered in this endpoint's own form, {message}. */
export function createLegacyApp(options: {
  eventsRoute: EventsRoute;
  logger: Logger;
  observe: RequestObserver<'event' | 'none'>;
}): Express {
  const { eventsRoute, logger, observe } = options;
  const app = express();
  app.disable('x-powered-by');
  app.enable('case sensitive routing');
  app.enable('strict routing');
  app.use(requestIds);
  app.use((req, res, next) => {
    observe(req.path === '/events' ? 'event' : 'none', res);
    next();
  });
  app.all('/events', eventsRoute);
  app.use((_req, res) => {
    sendJson(res, 404, { message: 'there is nothing at this path; events go to POST /events' });
  });

  const onError: ErrorRequestHandler = (error: unknown, _req, res, _next) => {
    logger.error('a request failed', { requestId: requestIdOf(res), error });
    sendJson(res, 500, { message: 'an internal error occurred' });
  };
  app.use(onError);
  return app;
}
