import { accountRoutes as accountsDeclared } from '@tributary/contracts/admin/accounts';
import { type AdminRoute, isChange, type Method } from '@tributary/contracts/admin/admin-route';
import { rights } from '@tributary/contracts/admin/rights';
import { signInPath, singleSignOnPath } from '@tributary/contracts/admin/sign-in-path';
import { expressPath } from '@tributary/contracts/admin/route-path';
import { ReadModelMissing } from '@tributary/generations/host-read-models';
import type { ReadModel } from '@tributary/generations/start-read-model';
import { sendJson, sendProblem } from '@tributary/http/problem-response';
import { createTokenCheck } from '@tributary/http/fixed-tokens';
import type { RequestLimits } from '@tributary/http/request-limits';
import type { RequestObserver } from '@tributary/http/request-observer';
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
import type { Office } from '../accounts/commands/office.ts';
import type { Caller } from '../accounts/domain/caller.ts';
import { accessKeyRoutes } from './access-key-routes.ts';
import { accountRoutes } from './account-routes.ts';
import { admit, unauthorized } from './admit.ts';
import { approvalRoutes } from './approval-routes.ts';
import { auditRoutes } from './audit-routes.ts';
import { createAudited } from './audited.ts';
import { balanceRoutes } from './balance-routes.ts';
import { actionOf } from './before-and-after.ts';
import { campaignCheckRoutes, campaignRoutes } from './campaign-routes.ts';
import { changeRoutes } from './change-routes.ts';
import type { ChangeStreams } from './change-streams.ts';
import { codeRoutes } from './code-routes.ts';
import { deadLetterRoutes } from './dead-letter-routes.ts';
import { domainRoutes } from './domain-routes.ts';
import { erasureRoutes } from './erasure-routes.ts';
import { eventRoutes } from './event-routes.ts';
import { explainRoutes } from './explain-routes.ts';
import { countRoutes } from './count-routes.ts';
import { type HealthSources, healthRoutes } from './health-routes.ts';
import { historyRoutes } from './history-routes.ts';
import {
  createIdentify,
  createSessionCookie,
  createSignOnCookie,
  fromOf,
  type SessionCookie,
} from './identify.ts';
import { deliveryRoutes } from './delivery-routes.ts';
import { keyRoutes } from './key-routes.ts';
import { createOwnEventHandler, ownEventPath } from './own-event.ts';
import { csvFormOf, sendCsv } from './list-as-csv.ts';
import { ClientGone, readJson, readOptionalJson } from './read-json.ts';
import { processorItemRoutes } from './processor-item-routes.ts';
import { processorRoutes } from './processor-routes.ts';
import { passkeyRoutes } from './passkey-routes.ts';
import { peopleRoutes } from './people-routes.ts';
import { previewRoutes } from './preview-routes.ts';
import { Refusal } from './refusal.ts';
import { replayRoutes } from './replay-routes.ts';
import { requestRoutes } from './request-routes.ts';
import { rewardActionRoutes } from './reward-action-routes.ts';
import { rewardRoutes } from './reward-routes.ts';
import type { AdminRequest, Answer, ServedRoute } from './route.ts';
import { type SecondPerson, withSecondPerson } from './second-person.ts';
import { singleSignOnRoutes } from './single-sign-on-routes.ts';
import { sendAnswer } from './send-answer.ts';
import { tenantRoutes } from './tenant-routes.ts';
import { tryRoutes } from './try-routes.ts';
import { webhookRoutes } from './webhook-routes.ts';
import { userRoutes } from './user-routes.ts';
import { whenPublished } from './when-published.ts';
import { widgetRoutes } from './widget-routes.ts';

const { acceptInvitation } = accountsDeclared;

/**
 * The admin API as an express app. Every answer is JSON: a result or a problem document. The public
 * documentation and the pages are served beside it, to anybody.
 */
export function createAdminApi(options: {
  deployment: Deployment;
  proofs: ProofFinder;
  services: OtherServices;
  readModel: ReadModel;
  deadLetters: DeadLetterLog;
  changes: ChangeStreams;
  health: HealthSources;
  /** As checkExport is told in tests. */
  settleMs?: number;
  /** Verifies access tokens; whether their key is still active is asked elsewhere. */
  verifyBearer: BearerVerifier;
  docs: RequestHandler[];
  /** Where they were built. */
  pages: RequestHandler | undefined;
  office: Office;
  operatorTokens: readonly string[];
  /** Where people sign in, before anything is looked at. */
  refuseFlood: RequestLimits<'sign-in'>['refuseFlood'];
  /** Cookies for plain http, too, and links that sign in: on a developer's machine only. */
  insecureCookies: boolean;
  secondPerson: SecondPerson;
  observe: RequestObserver<string>;
  logger: Logger;
}): Express {
  const { deployment, office, readModel, verifyBearer, refuseFlood, logger } = options;
  const insecure = options.insecureCookies;
  const cookie = createSessionCookie({ insecure });
  const signOnCookie = createSignOnCookie({ insecure });
  const isBootstrap = createTokenCheck(options.operatorTokens);
  const identify = createIdentify({ office, isBootstrap, cookie });
  const app = express();
  app.disable('x-powered-by').set('query parser', false);
  app.enable('case sensitive routing').enable('strict routing');

  app.use(requestIds);
  app.use((_req, res, next) => {
    options.observe(() => routeOf(res), res);
    next();
  });
  app.use([signInPath, acceptInvitation.path], (req, res, next) => {
    const isLook = req.method !== 'POST' && !req.originalUrl.startsWith(singleSignOnPath);
    if (isLook || !refuseFlood('sign-in', req, res)) next();
  });
  // The one path that customers ask with their access tokens, so before the others.
  const accounts = deployment.pool;
  const ownEvent = createOwnEventHandler({ accounts, readModel, identify, verifyBearer });
  app.all(ownEventPath, named('own-event'), ownEvent);
  app.use('/api', (_req, res, next) => {
    // Answers hold secrets; no cache on the way may keep one.
    res.setHeader('Cache-Control', 'no-store');
    next();
  });
  const routes = operatorRoutes(options);
  const byRoute = new Map(routes.map((served) => [served.route, served]));
  const audited = createAudited({ office, logger, find: (route) => byRoute.get(route)! });
  for (const [path, methods] of byPath(routes)) {
    app.all(expressPath(path), async (req, res) => {
      if (req.method in methods) nameRoute(res, `${req.method} ${path}`);
      const caller = await identify(req);
      const served = servedBy(methods, req.method, caller);
      const { route } = served;
      const params = req.params as Record<string, string>;
      const admitted = (asking: Caller) => {
        admit(route, { req, caller: asking, params, now: office.clock.now() });
        return asking;
      };
      const stillAdmitted = async () => admitted(await identify(req));
      const remainsAdmitted = async () => admitted(await identify(req, { isSeen: false }));
      const admission = { stillAdmitted, remainsAdmitted, signOn: signOnCookie.read(req) };
      const request = { ...toAdminRequest(req, res), params, caller, ...admission };
      const answer = await audited(served, request, () => void admitted(caller));
      setCookies(res, answer, { session: cookie, signOn: signOnCookie });
      if (answer.status === 303) res.setHeader('Location', locationOf(answer));
      if (answer.stream !== undefined) return answer.stream(res);
      const csv = answer.status === 200 ? csvFormOf(served, req) : undefined;
      if (csv === undefined) await sendAnswer(res, served, answer);
      else await sendCsv(res, csv, answer, { served, request, logger });
      if (isChange(route)) logChange(logger, route, request, answer.status);
    });
  }
  app.use('/api', async (req) => {
    if ((await identify(req)).kind === 'nobody') throw unauthorized();
    throw new Refusal('NOT_FOUND');
  });
  app.use('/docs', named('docs'), options.docs);
  if (options.pages !== undefined) app.use(named('pages'), options.pages, named('none'));
  app.use(() => {
    throw new Refusal('NOT_FOUND');
  });
  app.use((error: unknown, _req: Request, res: Response, _next: NextFunction) => {
    refuse(error, res, logger);
  });
  return app;
}

/** Every path but the one that takes the access token of a tenant, too. */
export function operatorRoutes({
  deployment,
  proofs,
  office,
  services,
  readModel,
  deadLetters,
  insecureCookies,
  secondPerson,
  changes,
  logger,
  health,
  settleMs,
}: {
  deployment: Deployment;
  proofs: ProofFinder;
  office: Office;
  services: OtherServices;
  readModel: ReadModel;
  deadLetters: DeadLetterLog;
  insecureCookies: boolean;
  secondPerson: SecondPerson;
  changes: ChangeStreams;
  logger: Logger;
  health: HealthSources;
  settleMs?: number;
}): ServedRoute[] {
  const find = (action: string): ServedRoute | undefined =>
    published.find(({ route }) => actionOf(route) === action);
  const settling = settleMs !== undefined && { settleMs };
  const routes: ServedRoute[] = [
    ...tenantRoutes({ deployment, office, processor: services.processor, readModel, ...settling }),
    ...accessKeyRoutes(deployment, readModel),
    ...campaignRoutes(deployment),
    ...codeRoutes(deployment, readModel),
    ...domainRoutes(deployment, proofs),
    ...widgetRoutes(deployment),
    ...erasureRoutes(deployment),
    ...singleSignOnRoutes(office, { hasLinks: insecureCookies }),
    ...accountRoutes(office),
    ...passkeyRoutes(office),
    ...approvalRoutes({ ...secondPerson, deployment, office, find }),
    ...peopleRoutes(deployment, office),
    ...auditRoutes(deployment, office, logger),
    ...webhookRoutes(deployment, services.webhookDispatcher),
    ...processorRoutes(deployment, services.processor),
    ...campaignCheckRoutes(deployment),
    ...tryRoutes(deployment, services),
    ...deliveryRoutes(deployment, services.webhookDispatcher),
    ...processorItemRoutes(deployment, services.processor, readModel),
    ...rewardActionRoutes(services.rewards),
    ...replayRoutes(deployment, services.replay),
    ...previewRoutes(deployment, services.replay),
    ...countRoutes(deployment, readModel),
    ...userRoutes(deployment, readModel),
    ...eventRoutes(deployment, readModel),
    ...rewardRoutes(deployment, readModel),
    ...balanceRoutes(deployment, readModel),
    ...explainRoutes(deployment, readModel),
    ...historyRoutes(deployment, readModel),
    ...deadLetterRoutes(readModel, deadLetters),
    ...changeRoutes(deployment, changes),
    ...requestRoutes(deployment, readModel),
    ...keyRoutes(deployment, office),
    ...healthRoutes(deployment, services.replay, health),
  ];
  for (const { route } of routes) {
    if (!rights.includes(route.right)) throw new Error(`${route.path} needs a right`);
  }
  const published: ServedRoute[] = routes.map((served) => whenPublished(deployment, served));
  return published.map((served) => withSecondPerson(secondPerson, deployment, office, served));
}

/** As metrics name it: never a path with somebody's id in it. */
function routeOf(res: Response): string {
  return (res.locals['route'] as string | undefined) ?? 'none';
}

function nameRoute(res: Response, route: string): void {
  res.locals['route'] = route;
}

const named =
  (route: string): RequestHandler =>
  (_req, res, next) => {
    nameRoute(res, route);
    next();
  };

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

/** @throws {Refusal} UNAUTHORIZED before it says anything of the path. */
function servedBy(methods: Methods, method: string, caller: Caller): ServedRoute {
  const served = methods[method as Method];
  if (served !== undefined) return served;
  if (caller.kind === 'nobody') throw unauthorized();
  const allow = Object.keys(methods).join(', ');
  throw new Refusal('NOT_FOUND', { allow, detail: `This path allows only ${allow}.` });
}

function logChange(
  logger: Logger,
  { method, path }: AdminRoute,
  { params: { tenantId }, requestId }: AdminRequest,
  status: number,
): void {
  logger.info('catalog request', {
    ...{ method, route: expressPath(path) },
    ...{ tenantId, status, requestId },
  });
}

function setCookies(
  res: Response,
  answer: Answer,
  cookies: { session: SessionCookie; signOn: SessionCookie },
): void {
  const { session, signOn } = answer;
  const texts = [
    ...(session === undefined ? [] : [cookies.session.write(session)]),
    ...(signOn === undefined ? [] : [cookies.signOn.write(signOn)]),
  ];
  if (texts.length > 0) res.setHeader('Set-Cookie', texts);
}

function locationOf({ body }: Answer): string {
  return (body as { location: string }).location;
}

function toAdminRequest(
  req: Request,
  res: Response,
): Omit<AdminRequest, 'params' | 'caller' | 'stillAdmitted' | 'remainsAdmitted' | 'signOn'> {
  return {
    search: searchOf(req.originalUrl),
    requestId: requestIdOf(res),
    from: fromOf(req),
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
  if (error instanceof Refusal) {
    const { location } = error.about;
    if (location === undefined) return sendProblem(res, error.code, error.about);
    res.setHeader('Location', location);
    return sendJson(res, 303, { location });
  }
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
