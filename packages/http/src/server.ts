import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { createLinkedSet } from '@tributary/runtime/linked-set';
import type { Logger } from '@tributary/runtime/logger';
import { openAcceptors } from './acceptors.ts';
import { createBodyRoom } from './body-room.ts';
import { connectMethod } from './client-error.ts';
import { closeAfter, createConnectionRefuser } from './refuse-connection.ts';
import { holdInvitation } from './expect-continue.ts';
import { problemForm, type RefusalForm, sendProblem } from './problem-response.ts';
import { formMistake } from './request-form.ts';
import { assignRequestId, requestIdOf } from './request-id.ts';

/** An express app, or any function of node's own form; what it throws is answered with a 500. */
export type App = (req: IncomingMessage, res: ServerResponse) => void | Promise<void>;

export type Listener = {
  /** The one chosen by the system when `port` was 0. */
  port: number;
  /**
   * Drains: each connection is closed with its next answer, until none is left or `drainMs` is
   * over. A connection that is kept and idle may be about to bring a request, which the caller may
   * not send again. Then it accepts no more connections, lets every request that has arrived be
   * answered (with `Connection: close`), closes what is idle, and after `stopTimeoutMs` whatever is
   * left.
   */
  stop(): Promise<void>;
};

/** Starts serving. Rejects when the port cannot be had. */
export async function listen(options: {
  app: App;
  host: string;
  port: number;
  logger: Logger;
  /** For a whole request with its body; then 408. */
  requestTimeoutMs?: number;
  /** For its headers alone; then 408. */
  headersTimeoutMs?: number;
  stopTimeoutMs?: number;
  /** For how long kept connections may still be used at stop, of its timeout. Default: 0. */
  drainMs?: number;
  /** For all requests under way together; beyond it 503, see body-room.ts. */
  maxBodyBytesUnderWay?: number;
  /** Bodies that have come in part; beyond it the slow ones get 503, see body-room.ts. */
  maxBodiesComing?: number;
  /** Further ones are closed as they come. */
  maxConnections?: number;
  /** How many connections can be accepted in one turn of the event loop, see acceptors.ts. */
  acceptsPerTurn?: number;
  /** The form of what the listener refuses by itself. */
  refusalForm?: RefusalForm;
}): Promise<Listener> {
  const { app, host, port, logger, stopTimeoutMs = 15_000, drainMs = 0 } = options;
  const form = options.refusalForm ?? problemForm;
  const { requestTimeoutMs = 20_000, headersTimeoutMs = 10_000 } = options;
  const { maxBodyBytesUnderWay = 32 * 1024 * 1024, maxConnections = 10_000 } = options;
  const { maxBodiesComing = 600, acceptsPerTurn = 1 } = options;
  const bodyRoom = createBodyRoom({ maxBytes: maxBodyBytesUnderWay, maxComing: maxBodiesComing });
  const underWay = createLinkedSet<ServerResponse>();
  /** Connections whose last request is answered and has not come whole. */
  const unread = new WeakSet<Duplex>();
  let stopping = false;
  let closing = false;
  let connections = 0;

  const server = createServer({
    maxHeaderSize: 16 * 1024,
    requestTimeout: requestTimeoutMs,
    headersTimeout: Math.min(headersTimeoutMs, requestTimeoutMs),
    connectionsCheckingInterval: Math.min(1_000, headersTimeoutMs, requestTimeoutMs),
    // Longer than the edge keeps an idle connection (30 s), so that it is never us who closes one
    // at the moment when it is used again.
    keepAliveTimeout: 75_000,
    requireHostHeader: false,
  });
  const onRequest = (req: IncomingMessage, res: ServerResponse) => {
    underWay.add(res);
    bodyRoom.admit(req, res);
    unread.delete(req.socket);
    res.once('close', () => {
      underWay.delete(res);
      if (!req.complete) unread.add(req.socket);
      if (closing) setImmediate(() => server.closeIdleConnections());
    });
    // Node gives up parsing behind an upgrade; what follows it would be lost silently.
    if (stopping || req.headers.upgrade !== undefined) closeAfter(res);
    void handle(app, req, res, { logger, form });
  };
  server.on('connection', (socket) => {
    connections += 1;
    socket.once('close', () => (connections -= 1));
  });
  server.on('request', onRequest);
  server.on('checkContinue', (req, res) => {
    holdInvitation(req, res);
    onRequest(req, res);
  });
  // Other expectations are none of ours: the request is answered as if they were not there.
  server.on('checkExpectation', onRequest);
  const refuseConnection = createConnectionRefuser({ underWay, unread, logger, form });
  server.on('clientError', refuseConnection);
  server.on('connect', (_req, socket) => refuseConnection({ code: connectMethod }, socket));
  const acceptors = await openAcceptors(server, {
    ...{ host, port, acceptsPerTurn, maxConnections },
    onDrop: createDropWarning(logger, maxConnections),
    onError: (error) => logger.error('http listener failed', { error }),
  });

  const stop = async (): Promise<void> => {
    stopping = true;
    for (const res of underWay) closeAfter(res);
    const begunAt = performance.now();
    const spentMs = () => performance.now() - begunAt;
    const longest = Math.min(drainMs, stopTimeoutMs);
    while (connections > 0 && spentMs() < longest) await elapsed(10);
    bodyRoom.stop();
    closing = true;
    const closed = acceptors.close();
    await Promise.race([closed, untilQuiet(() => stopTimeoutMs - spentMs())]);
    if (underWay.size > 0) logger.warn('requests cut off at stop', { count: underWay.size });
    server.closeAllConnections();
    await closed;
  };

  /**
   * Until all is answered, and nothing has come for a moment. Answered connections close by
   * themselves then; those that have sent nothing, or half of their headers, would not.
   */
  async function untilQuiet(leftMs: () => number): Promise<void> {
    do {
      const answered = Promise.all([...underWay].map((res) => once(res, 'close')));
      await Promise.race([answered, elapsed(Math.max(0, leftMs()))]);
      await elapsed(Math.max(0, Math.min(200, leftMs())));
    } while (underWay.size > 0 && leftMs() > 0);
  }

  let stopped: Promise<void> | undefined;
  return { port: acceptors.port, stop: () => (stopped ??= stop()) };
}

/** The cause goes to the log, the answer is the same whatever it was. */
async function handle(
  app: App,
  req: IncomingMessage,
  res: ServerResponse,
  { logger, form }: { logger: Logger; form: RefusalForm },
): Promise<void> {
  try {
    const mistake = formMistake(req);
    if (mistake !== undefined) {
      assignRequestId(req, res);
      closeAfter(res);
      logger.info('refused', { requestId: requestIdOf(res), status: 400 });
      return sendProblem(res, 'MALFORMED_JSON', { detail: mistake, form });
    }
    req.url = originForm(req.url ?? '/');
    await app(req, res);
  } catch (error) {
    logger.error('request failed', { requestId: requestIdOf(res), error });
    sendProblem(res, 'INTERNAL_ERROR', { form });
  }
}

/** A target with scheme and host (RFC 9112 3.2.2) as the path that it names here. */
function originForm(target: string): string {
  const authority = /^https?:\/\/[^/?#]*/i.exec(target)?.[0];
  if (authority === undefined) return target;
  const rest = target.slice(authority.length);
  return rest.startsWith('/') ? rest : `/${rest}`;
}

/** A connection too many comes with many others: one line per ten seconds is enough. */
function createDropWarning(logger: Logger, maxConnections: number): () => void {
  let warnedAt = -Infinity;
  return () => {
    if (performance.now() - warnedAt < 10_000) return;
    warnedAt = performance.now();
    logger.warn('connections are closed as they come: there are too many', { maxConnections });
  };
}

/** A timer that keeps no process alive. */
function elapsed(ms: number): Promise<void> {
  return delay(ms, undefined, { ref: false });
}
