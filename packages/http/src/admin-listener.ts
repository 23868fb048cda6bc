import { setTimeout as delay } from 'node:timers/promises';
import type { Checks, Health } from '@tributary/runtime/component';
import type { Logger } from '@tributary/runtime/logger';
import express, {
  type Express,
  type NextFunction,
  type Request,
  type Response,
  type Router,
} from 'express';
import { createTokenCheck } from './fixed-tokens.ts';
import { createListener, type ListenerComponent } from './listener.ts';
import type { MetricsText } from './metrics.ts';
import { requestIds } from './request-id.ts';
import { sendJson, sendProblem } from './problem-response.ts';

/** What other services ask of this one (design 2); behind a token of its own. */
export type Internal = { tokens: readonly string[]; router: Router };

export type AdminOptions = {
  service: string;
  registry: MetricsText;
  /** As a function where they come and go. */
  checks: Checks | (() => Checks);
  internal?: Internal;
};

/**
 * The internal listener, never reachable through the edge:
 * - `/healthz` 200 while the process can answer at all; says nothing about its servers, as a
 *   restart would not bring those back;
 * - `/readyz` 200 or 503 with the state of every check, asked anew each time;
 * - `/metrics` for Prometheus;
 * - `/internal/…` what other services ask of this one, with the internal token.
 */
export function createAdminApp(options: AdminOptions): Express {
  const { service, registry, checks, internal } = options;
  const app = express();
  app.disable('x-powered-by');

  app.get('/healthz', (_req, res) => sendJson(res, 200, { service, ok: true }));

  app.get('/readyz', async (_req, res) => {
    const states = await runChecks(typeof checks === 'function' ? checks() : checks);
    const ok = Object.values(states).every((state) => state.ok);
    sendJson(res, ok ? 200 : 503, { service, ok, checks: states });
  });

  app.get('/metrics', async (_req, res) => {
    const text = await registry.metrics();
    res.writeHead(200, { 'Content-Type': registry.contentType });
    res.end(text);
  });

  if (internal) {
    const isKnown = createTokenCheck(internal.tokens);
    app.use('/internal', requestIds, (req, res, next) => {
      if (isKnown(req.headers.authorization)) return next();
      sendProblem(res, 'UNAUTHORIZED', {
        detail: 'Send the internal token: Authorization: Bearer <INTERNAL_TOKEN>.',
      });
    });
    app.use('/internal', internal.router);
  }

  app.use((_req, res) => sendProblem(res, 'NOT_FOUND'));
  // A path that cannot be decoded names nothing; what else fails here has no words for the caller.
  app.use((error: unknown, _req: Request, res: Response, _next: NextFunction) => {
    sendProblem(res, error instanceof URIError ? 'NOT_FOUND' : 'INTERNAL_ERROR');
  });
  return app;
}

/** Serves it on a port of its own. No check of its own: it is what reports the others. */
export function createAdminListener(
  settings: { host: string; adminPort: number; internalTokens?: readonly string[] },
  options: Omit<AdminOptions, 'internal'> & { logger: Logger },
  router?: Router,
): Omit<ListenerComponent, 'health'> {
  const { host, adminPort: port, internalTokens: tokens = [] } = settings;
  const app = createAdminApp({ ...options, ...(router && { internal: { tokens, router } }) });
  const { start, stop } = createListener({ host, port }, { app, logger: options.logger });
  return { start, stop };
}

/** A check that does not answer must not take the answer about the others with it. */
const checkTimeoutMs = 2_000;

/** What every check says now. */
export async function runChecks(checks: Checks): Promise<Record<string, Health>> {
  const names = Object.keys(checks);
  const states = await Promise.all(names.map((name) => runCheck(checks[name]!)));
  return Object.fromEntries(names.map((name, i) => [name, states[i]!]));
}

async function runCheck(check: () => Health | Promise<Health>): Promise<Health> {
  const late = new AbortController();
  const timeout = delay(checkTimeoutMs, undefined, { signal: late.signal }).then(
    () => ({ ok: false, detail: `no answer within ${checkTimeoutMs} ms` }),
    () => ({ ok: false }),
  );
  try {
    return await Promise.race([check(), timeout]);
  } catch (error) {
    return { ok: false, detail: error instanceof Error ? error.message : 'the check failed' };
  } finally {
    late.abort();
  }
}
