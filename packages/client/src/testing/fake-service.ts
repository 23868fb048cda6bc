import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { createTributaryClient, type TributaryClientOptions } from '../client.ts';

/** One request as it came. */
export type Seen = {
  method: string;
  path: string;
  headers: IncomingMessage['headers'];
  body: string;
};

/** What happens to one request. */
export type Turn = (res: ServerResponse, seen: Seen) => void;

/**
 * A server that plays the service, and what stands before it, by a script: each request takes the
 * next turn, and when there is none, the usual answer.
 */
export async function startService() {
  const api = { turns: [] as Turn[], seen: [] as Seen[] };
  const token = { turns: [] as Turn[], seen: [] as Seen[] };

  const server = createServer((req, res) => {
    void text(req).then((body) => {
      const { method = '', url = '', headers } = req;
      const seen = { method, path: url, headers, body };
      const place = url === '/token' ? token : api;
      place.seen.push(seen);
      const usual = place === token ? issueToken(token.seen.length) : acceptEvent;
      (place.turns.shift() ?? usual)(res, seen);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  return {
    baseUrl,
    /** Turns and requests of POST /token, and of everything else. */
    token,
    api,
    reset() {
      for (const place of [api, token]) place.turns.length = place.seen.length = 0;
    },
    client: (more: Partial<TributaryClientOptions> = {}) =>
      createTributaryClient({ baseUrl, accessKeyId: 'ak-1', secretAccessKey: secret, ...more }),
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

export type FakeService = Awaited<ReturnType<typeof startService>>;

export const secret = 'secret-access-key-of-the-test';

export function json(status: number, body: object, headers: Record<string, string> = {}): Turn {
  return (res) => {
    res.writeHead(status, { 'content-type': 'application/json', ...headers });
    res.end(JSON.stringify(body));
  };
}

export function problem(
  status: number,
  code: string,
  more: { headers?: Record<string, string>; errors?: object[] } = {},
): Turn {
  const { headers = {}, ...members } = more;
  const type = `urn:tributary:problem:${code.toLowerCase().replaceAll('_', '-')}`;
  const body = { type, title: 'A title', status, detail: 'A detail.', instance: 'r1', code };
  return json(status, { ...body, ...members }, headers);
}

/** `token-1`, `token-2`, … */
export function issueToken(n: number, expiresIn = 18_000): Turn {
  return json(201, { accessToken: `token-${n}`, expiresIn });
}

export const accepted = {
  eventId: '01a1fe03-c8aa-7571-a42e-072a6930b333',
  receivedAt: '2026-11-21T12:10:23.274Z',
};
const acceptEvent = json(202, accepted);

/** Cuts the connection without an answer. */
export const reset: Turn = (res) => void res.socket?.resetAndDestroy();

/** Answers never. */
export const silence: Turn = () => undefined;

export const purchase = {
  ucc: 'MiYK421SmMb',
  occurredAt: '2026-11-01T10:00:00Z',
  newUser: { id: 'user-17' },
  currency: 'EUR',
  invoiceId: 'inv-17',
  amount: 4900,
  subscription: { interval: 'monthly' },
} as const;

/** What a call rejects with. */
export async function rejection(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => {
      throw new Error('it did not reject');
    },
    (error: unknown) => error,
  );
}

/** A deadline as it holds on this machine now; this package knows nothing of the test kit. */
export function patiently(deadlineMs: number): number {
  return Math.ceil(deadlineMs * Number(process.env['TRIBUTARY_TEST_PATIENCE'] || 1));
}
