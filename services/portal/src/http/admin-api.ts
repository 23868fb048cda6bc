import type { Method } from '@tributary/contracts/admin/admin-route';
import { signInPath } from '@tributary/contracts/admin/sign-in-path';
import { expressPath } from '@tributary/contracts/admin/route-path';
import { ReadModelMissing } from '@tributary/generations/host-read-models';
import type { ReadModel } from '@tributary/generations/start-read-model';
import { sendJson, sendProblem } from '@tributary/http/problem-response';
import { createTokenCheck } from '@tributary/http/fixed-tokens';
import type { RequestLimits } from '@tributary/http/request-limits';
import { requestIdOf, requestIds } from '@tributary/http/request-id';
import type { BearerVerifier } from '@tributary/http/tokens';
import type { Logger } from '@tributary/runtime/logger';
import { isTransientPostgresError } from '@tributary/runtime/postgres';
import express, {
  type Express,
  type NextFunction,
  type Request,
  type RequestHandler,
  type Response,
} from 'express';
import type { DeadLetterLog } from '../console/commands/act-on-dead-letter.ts';
import { CatalogBehind } from '../catalog/commands/change-catalog.ts';
import type { Deployment } from '../catalog/commands/deployment.ts';
import type { ProofFinder } from '../catalog/endpoint/find-proof.ts';
import type { OtherServices } from '../console/commands/try-event.ts';
import { accessKeyRoutes } from './access-key-routes.ts';
import { balanceRoutes } from './balance-routes.ts';
import { campaignCheckRoutes, campaignRoutes } from './campaign-routes.ts';
import { codeRoutes } from './code-routes.ts';
import { deadLetterRoutes } from './dead-letter-routes.ts';
import { domainRoutes } from './domain-routes.ts';
import { erasureRoutes } from './erasure-routes.ts';
import { eventRoutes } from './event-routes.ts';
import { explainRoutes } from './explain-routes.ts';
import { deliveryRoutes } from './delivery-routes.ts';
import { keyRoutes } from './key-routes.ts';
import { createOwnEventHandler, ownEventPath } from './own-event.ts';
import { ClientGone, readJson, readOptionalJson } from './read-json.ts';
import { processorItemRoutes } from './processor-item-routes.ts';
import { processorRoutes } from './processor-routes.ts';
import { previewRoutes } from './preview-routes.ts';
import { Refusal } from './refusal.ts';
import { replayRoutes } from './replay-routes.ts';
import { rewardActionRoutes } from './reward-action-routes.ts';
import { rewardRoutes } from './reward-routes.ts';
import type { AdminRequest, ServedRoute } from './route.ts';
import { tenantRoutes } from './tenant-routes.ts';
import { tryRoutes } from './try-routes.ts';
import { webhookRoutes } from './webhook-routes.ts';
import { whenPublished } from './when-published.ts';
import { widgetRoutes } from './widget-routes.ts';

/**
 * The admin API as an express app. Every answer is JSON: a result or a problem document. The public
 * documentation is served beside it, to anybody.
 */
export function createAdminApi(options: {
  deployment: Deployment;
  proofs: ProofFinder;
  services: OtherServices;
  readModel: ReadModel;
  deadLetters: DeadLetterLog;
  /** Verifies access tokens; whether their key is still active is asked elsewhere. */
  verifyBearer: BearerVerifier;
  docs: RequestHandler;
  operatorTokens: readonly string[];
  /** Where people sign in, before anything is looked at. */
  refuseFlood: RequestLimits<'sign-in'>['refuseFlood'];
  logger: Logger;
}): Express {
  const { deployment, readModel, verifyBearer, docs, operatorTokens } = options;
  const { refuseFlood, logger } = options;
  const isOperator = createTokenCheck(operatorTokens);
  const app = express();
  app.disable('x-powered-by').set('query parser', false);
  app.enable('case sensitive routing').enable('strict routing');

  app.use(requestIds);
  app.use(signInPath, (req, res, next) => {
    if (!refuseFlood('sign-in', req, res)) next();
  });
  // The one path that customers ask too, so before the door that only operators pass.
  const accounts = deployment.pool;
  app.all(ownEventPath, createOwnEventHandler({ accounts, readModel, isOperator, verifyBearer }));
  app.use('/api', (req, res, next) => {
    // Answers hold secrets; no cache on the way may keep one.
    res.setHeader('Cache-Control', 'no-store');
    if (isOperator(req.headers.authorization)) return next();
    throw new Refusal('UNAUTHORIZED', {
      detail: 'Send an operator token: Authorization: Bearer <OPERATOR_TOKEN>.',
    });
  });
  for (const [path, methods] of byPath(operatorRoutes(options))) {
    app.all(expressPath(path), (req, res) => answer(methods, req, res, logger));
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

/** Every path that takes an operator token and nothing else. */
export function operatorRoutes({
  deployment,
  proofs,
  services,
  readModel,
  deadLetters,
}: {
  deployment: Deployment;
  proofs: ProofFinder;
  services: OtherServices;
  readModel: ReadModel;
  deadLetters: DeadLetterLog;
}): ServedRoute[] {
  const routes = [
    ...tenantRoutes(deployment),
    ...accessKeyRoutes(deployment),
    ...campaignRoutes(deployment),
    ...codeRoutes(deployment),
    ...domainRoutes(deployment, proofs),
    ...widgetRoutes(deployment),
    ...erasureRoutes(deployment),
    ...webhookRoutes(deployment, services.webhookDispatcher),
    ...processorRoutes(deployment, services.processor),
    ...campaignCheckRoutes(deployment),
    ...tryRoutes(deployment, services),
    ...deliveryRoutes(deployment, services.webhookDispatcher),
    ...processorItemRoutes(deployment, services.processor, readModel),
    ...rewardActionRoutes(services.rewards),
    ...replayRoutes(deployment, services.replay),
    ...previewRoutes(deployment, services.replay),
    ...eventRoutes(deployment, readModel),
    ...rewardRoutes(deployment, readModel),
    ...balanceRoutes(deployment, readModel),
    ...explainRoutes(deployment, readModel),
    ...deadLetterRoutes(readModel, deadLetters),
    ...keyRoutes(deployment),
  ];
  return routes.map((served) => whenPublished(deployment, served));
}

type Methods = Partial<Record<Method, ServedRoute>>;

/**
 * In the order of the routes: one that takes any text comes behind those with a word in its place.
 */
function byPath(routes: readonly ServedRoute[]): Map<string, Methods> {
  const paths = new Map<string, Methods>();
  for (const served of routes) {
    const { path, method } = served.route;
    paths.set(path, { ...paths.get(path), [method]: served });
  }
  return paths;
}

async function answer(
  methods: Methods,
  req: Request,
  res: Response,
  logger: Logger,
): Promise<void> {
  const served = methods[req.method as Method];
  if (served === undefined) {
    const allow = Object.keys(methods).join(', ');
    throw new Refusal('NOT_FOUND', { allow, detail: `This path takes ${allow} only.` });
  }
  const { status, body } = await served.handle(toAdminRequest(req, res));
  sendJson(res, status, body);
  if (req.method !== 'GET') {
    const { tenantId } = req.params;
    const requestId = requestIdOf(res);
    logger.info('catalog request', {
      method: req.method,
      route: expressPath(served.route.path),
      tenantId,
      status,
      requestId,
    });
  }
}

function toAdminRequest(req: Request, res: Response): AdminRequest {
  return {
    params: req.params as Record<string, string>,
    search: searchOf(req.originalUrl),
    requestId: requestIdOf(res),
    json: () => readJson(req),
    optionalJson: () => readOptionalJson(req),
  };
}

function searchOf(url: string): string {
  const mark = url.indexOf('?');
  return mark === -1 ? '' : url.slice(mark + 1);
}

function refuse(error: unknown, res: Response, logger: Logger): void {
  if (error instanceof ClientGone) return void res.destroy();
  if (error instanceof Refusal) return sendProblem(res, error.code, error.about);
  // A path that cannot be decoded names nothing.
  if (error instanceof URIError) return sendProblem(res, 'NOT_FOUND');
  const requestId = requestIdOf(res);
  if (error instanceof ReadModelMissing) return sendProblem(res, 'SERVICE_UNAVAILABLE');
  if (error instanceof CatalogBehind) {
    logger.warn(error.message, { requestId });
    return sendProblem(res, 'SERVICE_UNAVAILABLE', { detail: `${error.message}.` });
  }
  if (isTransientPostgresError(error)) {
    logger.warn('the database cannot be used now', { error, requestId });
    return sendProblem(res, 'SERVICE_UNAVAILABLE');
  }
  logger.error('a request failed', { error, requestId });
  sendProblem(res, 'INTERNAL_ERROR');
}
