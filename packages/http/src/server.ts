import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '@tributary/runtime/logger';
import { refuseConnection } from './client-error.ts';
import { sendProblem } from './problem-response.ts';
import { requestIdOf } from './request-id.ts';

/** An express app, or any function of node's own form; what it throws is answered with a 500. */
export type App = (req: IncomingMessage, res: ServerResponse) => void | Promise<void>;

export type Listener = {
  /** The one chosen by the system when `port` was 0. */
  port: number;
  /**
   * Accepts no more connections, lets every request that has arrived be answered (with
   * `Connection: close`), closes what is idle, and after `stopTimeoutMs` whatever is left.
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
}): Promise<Listener> {
  const { app, host, port, logger, stopTimeoutMs = 15_000 } = options;
  const { requestTimeoutMs = 30_000, headersTimeoutMs = 10_000 } = options;
  const underWay = new Set<ServerResponse>();
  let stopping = false;

  const server = createServer({
    maxHeaderSize: 16 * 1024,
    requestTimeout: requestTimeoutMs,
    headersTimeout: Math.min(headersTimeoutMs, requestTimeoutMs),
    connectionsCheckingInterval: Math.min(1_000, headersTimeoutMs, requestTimeoutMs),
    // Longer than the edge keeps an idle connection (60 s), so that it is never us who closes one
    // at the moment when it is used again.
    keepAliveTimeout: 75_000,
  });
  server.on('request', (req, res) => {
    underWay.add(res);
    res.once('close', () => {
      underWay.delete(res);
      if (stopping) setImmediate(() => server.closeIdleConnections());
    });
    if (stopping) closeAfter(res);
    void handle(app, req, res, logger);
  });
  server.on('clientError', createClientErrorHandler(underWay));
  await startListening(server, host, port);
  server.on('error', (error) => logger.error('http listener failed', { error }));

  const stop = async (): Promise<void> => {
    stopping = true;
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    for (const res of underWay) closeAfter(res);
    const answered = Promise.all([...underWay].map((res) => once(res, 'close')));
    await Promise.race([closed, answered, elapsed(stopTimeoutMs)]);
    if (underWay.size > 0) logger.warn('requests cut off at stop', { count: underWay.size });
    // Answered connections now close by themselves. Those that have sent nothing, or half of their
    // headers, would not: there is no request to answer on them.
    else await Promise.race([closed, elapsed(200)]);
    server.closeAllConnections();
    await closed;
  };

  let stopped: Promise<void> | undefined;
  const { port: boundPort } = server.address() as AddressInfo;
  return { port: boundPort, stop: () => (stopped ??= stop()) };
}

/** The cause goes to the log, the answer is the same whatever it was. */
async function handle(
  app: App,
  req: IncomingMessage,
  res: ServerResponse,
  logger: Logger,
): Promise<void> {
  try {
    await app(req, res);
  } catch (error) {
    logger.error('request failed', { requestId: requestIdOf(res), error });
    sendProblem(res, 'INTERNAL_ERROR');
  }
}

function startListening(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

function closeAfter(res: ServerResponse): void {
  if (!res.headersSent) res.setHeader('Connection', 'close');
}

/** A timer that keeps no process alive. */
function elapsed(ms: number): Promise<void> {
  return delay(ms, undefined, { ref: false });
}

function createClientErrorHandler(underWay: ReadonlySet<ServerResponse>) {
  const refused = new WeakSet<Duplex>();

  return (error: NodeJS.ErrnoException, socket: Duplex): void => {
    // Input that follows the first error is an error again.
    if (refused.has(socket)) return;
    refused.add(socket);
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy();
      return;
    }
    const unanswered = [...underWay].find((res) => res.socket === socket);
    if (unanswered?.headersSent) {
      socket.destroy();
    } else if (unanswered?.req.complete) {
      // Rubbish after a whole request: that request gets its own answer, and no other.
      closeAfter(unanswered);
    } else {
      refuseConnection(socket, error.code);
    }
  };
}
