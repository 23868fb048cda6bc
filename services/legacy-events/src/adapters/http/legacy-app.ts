import { sendJson } from '@tributary/http/problem-response';
import { requestIdOf, requestIds } from '@tributary/http/request-id';
import type { Logger } from '@tributary/runtime/logger';
import express, { type ErrorRequestHandler, type Express } from 'express';
import type { createPostEvent } from './post-event.ts';

/** One path; whatever else comes is answered in this endpoint's own form, {message}. */
export function createLegacyApp(options: {
  postEvent: ReturnType<typeof createPostEvent>;
  logger: Logger;
}): Express {
  const { postEvent, logger } = options;
  const app = express();
  app.disable('x-powered-by');
  app.enable('case sensitive routing');
  app.enable('strict routing');
  app.use(requestIds);
  app.post('/events', postEvent);
  app.all('/events', (_req, res) => {
    res.setHeader('Allow', 'POST');
    sendJson(res, 405, { message: 'only POST is allowed' });
  });
  app.use((_req, res) => {
    sendJson(res, 404, { message: 'there is nothing at this path; events go to POST /events' });
  });

  const onError: ErrorRequestHandler = (error: unknown, _req, res, _next) => {
    logger.error('a request failed', { requestId: requestIdOf(res), error });
    if (!res.headersSent) sendJson(res, 500, { message: 'an internal error occurred' });
    else res.destroy();
  };
  app.use(onError);
  return app;
}
