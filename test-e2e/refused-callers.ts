import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { eventually } from '@tributary/testkit/eventually';
import { expect } from 'chai';
import { createAdminClient } from '../deploy/demo/admin-client.ts';
import type { Demo } from '../deploy/demo/demo-file.ts';
import { edgeLimits } from '../deploy/edge/edge-limits.ts';
import { type Answer, call } from './calls.ts';

/** Tokens of callers that are refused whatever they send. */
export type RefusedTokens = {
  /** Its tenant is suspended: 403. */
  suspended: string;
  /** Its tenant may send one event a second: 429 from the second on. */
  limited: string;
};

export async function refusedTokens(demo: Demo): Promise<RefusedTokens> {
  const admin = createAdminClient({ baseUrl: demo.baseUrl, token: demo.adminToken });
  const newToken = async (tenantId: string): Promise<string> => {
    await admin.call('POST', '/api/tenants', { tenantId, name: tenantId });
    const pair = await admin.call<object>('POST', `/api/tenants/${tenantId}/access-keys`, {});
    const { accessKeyId, secretAccessKey } = pair as Record<string, string>;
    const body = { accessKeyId, secretAccessKey };
    return eventually(async () => {
      const answer = await call(`${demo.baseUrl}/token`, { method: 'POST', body });
      expect(answer.status).to.equal(201);
      return (answer.body as { accessToken: string }).accessToken;
    });
  };
  const suspended = await newToken('openapi-suspended');
  const limited = await newToken('openapi-limited');
  await admin.call('POST', '/api/tenants/openapi-suspended/suspend', {});
  const limit = { eventsPerSecond: 1 };
  await admin.call('PUT', '/api/tenants/openapi-limited/events-per-second', limit);
  for (const path of ['/v2/events/signup-created', '/events']) {
    for (const [token, status] of [[suspended, 403] as const, [limited, 429] as const]) {
      const ask = () => call(demo.baseUrl + path, { method: 'POST', token, body: {} });
      await eventually(async () => {
        const answer = await oneOfMany(ask, status);
        expect(answer.status, path).to.equal(status);
      });
    }
  }
  return { suspended, limited };
}

/** So many at once that a second is not over before the limit of a second is met. */
export async function oneOfMany(ask: () => Promise<Answer>, status: number): Promise<Answer> {
  const answers = await Promise.all(Array.from({ length: 5 }, ask));
  return answers.find((answer) => answer.status === status) ?? answers[0]!;
}

/**
 * An address of this machine that has as many requests under way at the edge as one may have. One
 * that the edge gives up, as it does after 20 s, is begun anew.
 */
export function busyAddress(baseUrl: string) {
  const localAddress = '127.0.0.7';
  const { hostname, port, host } = new URL(baseUrl);
  const head = `POST /token HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\n`;
  const sockets = new Set<Socket>();
  let left = false;
  function begin(): void {
    const socket = connect({ host: hostname, port: Number(port), localAddress });
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => {
      sockets.delete(socket);
      if (!left) begin();
    });
    socket.resume().write(`${head}Content-Length: 9\r\n\r\n{`);
  }
  for (let n = 0; n < edgeLimits({}).requestsPerAddress; n += 1) begin();

  async function post(path: string, body: unknown): Promise<Answer> {
    const headers = { 'content-type': 'application/json' };
    const asking = request(baseUrl + path, { method: 'POST', localAddress, headers });
    asking.end(JSON.stringify(body));
    const [answer] = (await once(asking, 'response')) as [IncomingMessage];
    const chunks = (await answer.toArray()) as Buffer[];
    const entries = Object.entries(answer.headers).map(([name, value]) => [name, String(value)]);
    return {
      status: answer.statusCode ?? 0,
      headers: new Headers(entries as [string, string][]),
      body: JSON.parse(Buffer.concat(chunks).toString('utf8')) as unknown,
    };
  }

  return {
    post,
    leave() {
      left = true;
      for (const socket of sockets) socket.destroy();
    },
  };
}
