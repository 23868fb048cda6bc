import { sendProblem } from '@tributary/http/problem-response';
import { requestIdOf, requestIds } from '@tributary/http/request-id';
import type { RequestObserver } from '@tributary/http/request-observer';
import type { Logger } from '@tributary/runtime/logger';
import express, { type ErrorRequestHandler, type Express } from 'express';
import type { ReceiveRoute } from './receive-route.ts';

/** One path, where Stripe sends its events. */
export function createPublicApp({
  receiveRoute,
  observe,
  logger,
}: {
  receiveRoute: ReceiveRoute;
  observe: RequestObserver<'stripe-event' | 'none'>;
  logger: Logger;
}): Express {
  const app = express();
  app.disable('x-powered-by');
  app.enable('case sensitive routing');
  app.enable('strict routing');
  app.use(requestIds);
  app.all('/processor/stripe/:connectionId', async (req, res) => {
    observe('stripe-event', res);
    await receiveRoute(req, res);
  });
  app.use((_req, res) => {
    observe('none', res);
    sendProblem(res, 'NOT_FOUND');
  });

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
