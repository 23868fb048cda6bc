import { readFileSync } from 'node:fs';
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
import {
  createMetrics,
  createServiceRegistry,
  gauge,
  measuredBy,
  mergedMetrics,
  type MetricsRegistry,
  type MetricsText,
} from './metrics.ts';
import { requestIds } from './request-id.ts';
import { sendJson, sendProblem } from './problem-response.ts';

/** What other services ask of this one (design 2); behind a token of its own. */
export type Internal = { tokens: readonly string[]; router: Router };

export type AdminOptions = {
  service: string;
  registry: MetricsText;
  /** As a function where they come and go. */
  checks: Checks | (() => Checks);
  /** Absent: nothing works while any check fails. */
  losses?: Losses;
  /** For how long it waits for all checks to pass once, before it is ready without some of them. */
  settleMs?: number;
  internal?: Internal;
};

/**
 * What does not work while the check of that name fails; of others nothing that callers notice.
 * With `everything` the process is not ready then, and nobody sends it requests.
 */
export type Losses = Readonly<Record<string, string>>;
export const everything = 'everything';

/**
 * The internal listener, never reachable through the edge:
 * - `/healthz` 200 while the process can answer at all; says nothing about its servers, as a
 *   restart would not bring those back;
 * - `/readyz` 200 while the process can serve something, else 503; with the state of every check,
 *   asked anew each time, and what does not work while it fails. Right after its start all checks
 *   must have passed once, so that a rollout replaces nobody by a process that still has to look
 *   around; but not for ever, as a server may be away. `/readyz?all` is 200 only while all checks
 *   pass, for who waits until everything works;
 * - `/metrics` for Prometheus;
 * - `/internal/…` what other services ask of this one, with the internal token.
 */
export function createAdminApp(options: AdminOptions): Express {
  const { service, registry, losses, internal, settleMs = 30_000 } = options;
  const startedMs = performance.now();
  let hasSettled = false;
  const checks = () => (typeof options.checks === 'function' ? options.checks() : options.checks);
  const own = createOwnMetrics(service, checks);
  const metrics = mergedMetrics(() => [registry, own]);
  const app = express();
  app.disable('x-powered-by');

  app.get('/healthz', (_req, res) => sendJson(res, 200, { service, ok: true }));

  app.get('/readyz', async (req, res) => {
    const states = await runChecks(checks());
    const isWhole = Object.values(states).every((state) => state.ok);
    hasSettled ||= isWhole || performance.now() - startedMs > settleMs;
    const mayLack = losses !== undefined && hasSettled && !('all' in req.query);
    const ok = mayLack ? neededOf(losses).every((name) => states[name]?.ok === true) : isWhole;
    sendJson(res, ok ? 200 : 503, { service, ok, checks: withLosses(states, losses) });
  });

  app.get('/metrics', async (_req, res) => {
    const text = await metrics.metrics();
    res.writeHead(200, { 'Content-Type': metrics.contentType });
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

function neededOf(losses: Losses): string[] {
  return Object.keys(losses).filter((name) => losses[name] === everything);
}

type ShownHealth = Health & { lost?: string };

function withLosses(
  states: Record<string, Health>,
  losses: Losses = {},
): Record<string, ShownHealth> {
  const entries = Object.entries(states).map(([name, state]): [string, ShownHealth] => {
    const lost = losses[name];
    return [name, state.ok || lost === undefined ? state : { ...state, lost }];
  });
  return Object.fromEntries(entries);
}

/** What every service has. */
function createOwnMetrics(service: string, checks: () => Checks): MetricsRegistry {
  const registry = createServiceRegistry(service);
  const { tributary_build_info: build } = createMetrics(registry, {
    tributary_build_info: gauge('Always 1; the labels say what runs.', ['version', 'node']),
    tributary_dependency_up: measuredBy(
      'dependency',
      'Whether the check of that name at /readyz passes: 1 or 0.',
      async () => {
        const states = Object.entries(await runChecks(checks()));
        return Object.fromEntries(states.map(([name, { ok }]) => [name, Number(ok)]));
      },
    ),
  });
  build.set({ version, node: process.versions.node }, 1);
  return registry;
}

const { version } = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
) as { version: string };

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
