import { once } from 'node:events';
import type { ProblemCode } from '@tributary/contracts/problem';
import type { Violation } from '@tributary/contracts/violation';
import type { Logger } from '@tributary/runtime/logger';
import { isTransientPostgresError } from '@tributary/runtime/postgres';
import express, { type Request, type Response, type Router } from 'express';
import { readBody } from './body-reader.ts';
import type { MetricsRegistry } from './metrics.ts';
import { sendJson, sendProblem } from './problem-response.ts';
import { requestIdOf } from './request-id.ts';
import { createRequestTimer } from './request-observer.ts';

/** One thing that other services ask of this one; `path` is what follows `/internal`. */
export type InternalRoute = {
  method: 'GET' | 'POST';
  path: string;
  /** More at the same time are refused with 503; absent: any number. */
  atOnce?: number;
  answer(request: InternalRequest): Promise<InternalReply>;
};

export type InternalRequest = {
  /** A decoded path parameter; empty when there is none. */
  param(name: string): string;
  query: URLSearchParams;
  /**
   * The body of a POST; undefined without one. Callers are ours, yet what they send is validated.
   */
  json: unknown;
  /** Aborted when the caller has left, or has the whole answer. */
  signal: AbortSignal;
};

export type InternalReply =
  | { status: number; body: unknown }
  | { lines: (write: WriteLines) => Promise<void> }
  | InternalProblem;

export type InternalProblem = {
  problem: ProblemCode;
  detail?: string;
  errors?: readonly Violation[];
};

/**
 * Writes a part of a long answer, 200 with lines of JSON, and resolves when there is room for more.
 * When `lines` throws, the connection is broken off: callers know an answer is whole by its last
 * line, which such an answer does not have. Once the caller has left, writing rejects.
 */
export type WriteLines = (part: string | Uint8Array) => Promise<void>;

/**
 * The routes as the router that {@link startAdminListener} serves under `/internal`. A database
 * that cannot be used now, or that another transaction keeps busy, is a 503; what is not understood
 * is a 500 with its cause in the log.
 */
export function createInternalRouter(
  routes: readonly InternalRoute[],
  { logger, registry }: { logger: Logger; registry?: MetricsRegistry },
): Router {
  const observe = registry && createRequestTimer(registry);
  const router = express.Router({ caseSensitive: true, strict: true });
  for (const route of routes) {
    const method = route.method === 'GET' ? 'get' : 'post';
    let underWay = 0;
    router[method](route.path, async (req, res) => {
      observe?.(`${route.method} /internal${route.path}`, res);
      if (underWay >= (route.atOnce ?? Infinity)) return sendProblem(res, 'SERVICE_UNAVAILABLE');
      underWay += 1;
      try {
        await handle(route, req, res, logger);
      } finally {
        underWay -= 1;
      }
    });
  }
  return router;
}

/**
 * Between services, where lists of records travel; far above what a caller of the edge may send.
 */
const bodyLimitBytes = 8 * 1024 * 1024;

async function handle(
  route: InternalRoute,
  req: Request,
  res: Response,
  logger: Logger,
): Promise<void> {
  const left = new AbortController();
  res.once('close', () => left.abort());
  try {
    const json = route.method === 'POST' ? await readJson(req) : undefined;
    const given = await route.answer({
      param: (name) => textOf(req.params[name]),
      query: new URL(req.originalUrl, 'http://internal').searchParams,
      json,
      signal: left.signal,
    });
    if ('lines' in given) return await sendLines(res, given.lines, left.signal);
    if ('problem' in given) return sendProblem(res, given.problem, given);
    sendJson(res, given.status, given.body);
  } catch (error) {
    if (error instanceof Gone) return void res.destroy();
    if (error instanceof NotReadable) return sendProblem(res, error.code);
    const about = { route: route.path, error, requestId: requestIdOf(res) };
    if (left.signal.aborted) return logger.info('the caller of an internal request left', about);
    if (isTransientPostgresError(error)) {
      logger.warn('an internal request found the database busy or away', about);
      return sendProblem(res, 'SERVICE_UNAVAILABLE');
    }
    logger.error('an internal request failed', about);
    sendProblem(res, 'INTERNAL_ERROR');
  }
}

async function sendLines(
  res: Response,
  lines: (write: WriteLines) => Promise<void>,
  left: AbortSignal,
): Promise<void> {
  if (!left.aborted) {
    res.writeHead(200, { 'Content-Type': 'application/x-ndjson', 'Cache-Control': 'no-store' });
  }
  await lines(async (part) => {
    left.throwIfAborted();
    if (!res.write(part)) await once(res, 'drain', { signal: left });
  });
  res.end();
}

async function readJson(req: Request): Promise<unknown> {
  const body = await readBody(req, { limitBytes: bodyLimitBytes });
  if (body.outcome === 'aborted') throw new Gone();
  if (body.outcome === 'too-large') throw new NotReadable('PAYLOAD_TOO_LARGE');
  if (body.outcome === 'no-room') throw new NotReadable('SERVICE_UNAVAILABLE');
  if (body.bytes.length === 0) return undefined;
  try {
    return JSON.parse(body.bytes.toString('utf8'));
  } catch {
    throw new NotReadable('MALFORMED_JSON');
  }
}

/** The caller left before its body ended. */
class Gone extends Error {}

class NotReadable extends Error {
  readonly code: ProblemCode;
  constructor(code: ProblemCode) {
    super(code);
    this.code = code;
  }
}

function textOf(value: string | string[] | undefined): string {
  return typeof value === 'string' ? value : '';
}
