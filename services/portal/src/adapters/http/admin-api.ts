import { sendJson, sendProblem } from '@tributary/http/problem-response';
import { requestIdOf, requestIds } from '@tributary/http/request-id';
import type { Logger } from '@tributary/runtime/logger';
import { isTransientPostgresError } from '@tributary/runtime/postgres';
import express, {
  type Express,
  type NextFunction,
  type Request,
  type RequestHandler,
  type Response,
} from 'express';
import type { Deployment } from '../../commands/deployment.ts';
import { accessKeyRoutes } from './access-key-routes.ts';
import { campaignRoutes } from './campaign-routes.ts';
import { codeRoutes } from './code-routes.ts';
import { createOperatorCheck } from './operator-tokens.ts';
import { ClientGone, readJson, readOptionalJson } from './read-json.ts';
import { Refusal } from './refusal.ts';
import type { AdminRequest, Method, Route } from './route.ts';
import { tenantRoutes } from './tenant-routes.ts';

/**
 * The admin API as an express app. Every answer is JSON: a result or a problem document. The public
 * documentation is served beside it, to anybody.
 */
export function createAdminApi(options: {
  deployment: Deployment;
  docs: RequestHandler;
  operatorTokens: readonly string[];
  logger: Logger;
}): Express {
  const { deployment, docs, operatorTokens, logger } = options;
  const isOperator = createOperatorCheck(operatorTokens);
  const app = express();
  app.disable('x-powered-by').set('query parser', false);
  app.enable('case sensitive routing').enable('strict routing');

  app.use(requestIds);
  app.use('/api', (req, res, next) => {
    // Answers hold secrets; no cache on the way may keep one.
    res.setHeader('Cache-Control', 'no-store');
    if (isOperator(req.headers.authorization)) return next();
    throw new Refusal('UNAUTHORIZED', {
      detail: 'Send an operator token: Authorization: Bearer <OPERATOR_TOKEN>.',
    });
  });
  for (const route of [
    ...tenantRoutes(deployment),
    ...accessKeyRoutes(deployment),
    ...campaignRoutes(deployment),
    ...codeRoutes(deployment),
  ]) {
    app.all(route.path, (req, res) => answer(route, req, res, logger));
  }
  app.use('/docs', docs);
  app.use(() => {
    throw new Refusal('NOT_FOUND');
  });
  app.use((error: unknown, _req: Request, res: Response, _next: NextFunction) => {
    refuse(error, res, logger);
  });
  return app;
}

async function answer(route: Route, req: Request, res: Response, logger: Logger): Promise<void> {
  const handler = route.methods[req.method as Method];
  if (handler === undefined) {
    const allow = Object.keys(route.methods).join(', ');
    throw new Refusal('NOT_FOUND', { allow, detail: `This path takes ${allow} only.` });
  }
  const { status, body } = await handler(toAdminRequest(req));
  sendJson(res, status, body);
  if (req.method !== 'GET') {
    const { tenantId } = req.params;
    const requestId = requestIdOf(res);
    logger.info('catalog request', {
      method: req.method,
      route: route.path,
      tenantId,
      status,
      requestId,
    });
  }
}

function toAdminRequest(req: Request): AdminRequest {
  return {
    param(name) {
      const value = req.params[name];
      return typeof value === 'string' ? value : '';
    },
    json: () => readJson(req),
    optionalJson: () => readOptionalJson(req),
  };
}

function refuse(error: unknown, res: Response, logger: Logger): void {
  if (error instanceof ClientGone) return void res.destroy();
  if (error instanceof Refusal) return sendProblem(res, error.code, error.about);
  // A path that cannot be decoded names nothing.
  if (error instanceof URIError) return sendProblem(res, 'NOT_FOUND');
  const requestId = requestIdOf(res);
  if (isTransientPostgresError(error)) {
    logger.warn('the database cannot be used now', { error, requestId });
    return sendProblem(res, 'SERVICE_UNAVAILABLE');
  }
  logger.error('a request failed', { error, requestId });
  sendProblem(res, 'INTERNAL_ERROR');
}
