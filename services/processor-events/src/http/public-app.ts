import { sendProblem } from '@tributary/http/problem-response';
import { requestIdOf, requestIds } from '@tributary/http/request-id';
import type { Logger } from '@tributary/runtime/logger';
import express, { type ErrorRequestHandler, type Express } from 'express';
import type { ReceiveRoute } from './receive-route.ts';

/** One path, where Stripe sends its events. */
export function createPublicApp({
  receiveRoute,
  logger,
}: {
  receiveRoute: ReceiveRoute;
  logger: Logger;
}): Express {
  const app = express();
  app.disable('x-powered-by');
  app.enable('case sensitive routing');
  app.enable('strict routing');
  app.use(requestIds);
  app.all('/processor/stripe/:connectionId', receiveRoute);
  app.use((_req, res) => sendProblem(res, 'NOT_FOUND'));

  const onError: ErrorRequestHandler = (error: unknown, _req, res, _next) => {
    if (isUndecodable(error)) return sendProblem(res, 'NOT_FOUND');
    logger.error('a request failed', { requestId: requestIdOf(res), error });
    sendProblem(res, 'INTERNAL_ERROR');
  };
  app.use(onError);
  return app;
}

/** A path with an escape that stands for no text. */
function isUndecodable(error: unknown): boolean {
  return (error as { status?: unknown } | null)?.status === 400;
}
