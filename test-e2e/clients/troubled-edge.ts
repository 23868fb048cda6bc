import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export type Trouble = 'expired-token' | 'busy' | 'always-busy' | 'lost-answer';

/** One request to report an event, as it came. */
export type Report = { key: string; token: string; body: string; atMs: number };

export type TroubledEdge = Awaited<ReturnType<typeof startTroubledEdge>>;

/**
 * Stands before the service and makes the trouble that a user id of an event is marked with, once
 * or always. The first token it hands out is over at once.
 */
export async function startTroubledEdge(target: string, troubles: ReadonlyMap<string, Trouble>) {
  const reports = new Map<string, Report[]>();
  const tokens: string[] = [];

  async function forward(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const body = await text(req);
    const headers = headersOf(req);
    const { user, trouble } = troubleOf(req, body);
    const earlier = reports.get(user) ?? [];
    if (req.url?.startsWith('/v2/')) reports.set(user, [...earlier, reportOf(req, body)]);
    if (trouble === 'always-busy' || (trouble === 'busy' && earlier.length === 0)) {
      return busy(res, trouble === 'busy' ? '1' : '0');
    }
    if (trouble === 'expired-token' && earlier.length === 0) headers['authorization'] += 'x';
    const answer = await fetch(`${target}${req.url}`, {
      method: req.method!,
      headers,
      redirect: 'manual',
      ...(req.method === 'GET' ? {} : { body }),
    });
    let content = await answer.text();
    if (trouble === 'lost-answer' && earlier.length === 0) {
      return void res.socket?.resetAndDestroy();
    }
    if (req.url === '/token') {
      const issued = JSON.parse(content) as { accessToken: string; expiresIn: number };
      content = JSON.stringify(tokens.length === 0 ? { ...issued, expiresIn: 0 } : issued);
      tokens.push(issued.accessToken);
    }
    const type = answer.headers.get('content-type') ?? 'text/plain';
    res.writeHead(answer.status, { 'content-type': type }).end(content);
  }

  function troubleOf(req: IncomingMessage, body: string) {
    if (!req.url?.startsWith('/v2/')) return { user: '', trouble: undefined };
    const user = (JSON.parse(body) as { newUser: { id: string } }).newUser.id;
    return { user, trouble: troubles.get(user) };
  }

  const server = createServer((req, res) => {
    forward(req, res).catch((error: unknown) => res.writeHead(500).end(String(error)));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    tokens,
    reportsOf: (user: string) => reports.get(user) ?? [],
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function headersOf(req: IncomingMessage): Record<string, string> {
  const { host: _host, connection: _connection, ...headers } = req.headers;
  return headers as Record<string, string>;
}

function reportOf(req: IncomingMessage, body: string): Report {
  const key = Buffer.from(String(req.headers['idempotency-key']), 'latin1').toString('utf8');
  return { key, token: req.headers.authorization ?? '', body, atMs: performance.now() };
}

function busy(res: ServerResponse, retryAfter: string): void {
  const problem = {
    type: 'urn:tributary:problem:service-unavailable',
    ...{ title: 'The service is not available', status: 503 },
    ...{ detail: 'Try again.', code: 'SERVICE_UNAVAILABLE' },
  };
  res.writeHead(503, { 'content-type': 'application/problem+json', 'retry-after': retryAfter });
  res.end(JSON.stringify(problem));
}
