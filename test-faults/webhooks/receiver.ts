import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/** One request as it came in; `status` is what it was answered, as far as it was. */
export type Arrival = {
  tenantId: string;
  eventId: string;
  attempt: number;
  body: string;
  atMs: number;
  /** Earlier arrivals of the same event id. */
  nth: number;
  status?: number;
};

/** Answers a request: a status, headers with it, or nothing ever. */
export type Reply = number | { status: number; headers: Record<string, string> } | 'hang';
export type Behaviour = (arrival: Arrival) => Reply | Promise<Reply>;

export type Receiver = Awaited<ReturnType<typeof startReceiver>>;

/** The endpoints of all tenants in one server; each behaves as told, and accepts until told. */
export async function startReceiver() {
  const arrivals: Arrival[] = [];
  const counts = new Map<string, number>();
  const open = new Map<string, number>();
  const most = new Map<string, number>();
  const behaviours = new Map<string, Behaviour>();
  let behaviour: Behaviour = () => 200;

  const server = createServer((req, res) => {
    const tenantId = (req.url ?? '').split('/').at(-1) ?? '';
    let body = '';
    req.setEncoding('utf8');
    req.on('data', (chunk: string) => (body += chunk));
    req.on('end', () => {
      const { eventId } = JSON.parse(body) as { eventId: string };
      const nth = counts.get(eventId) ?? 0;
      counts.set(eventId, nth + 1);
      const attempt = Number(req.headers['x-tributary-attempt']);
      const arrival: Arrival = { tenantId, eventId, attempt, body, nth, atMs: performance.now() };
      arrivals.push(arrival);
      enter(tenantId, res);
      void answer(arrival, res);
    });
  });

  function enter(tenantId: string, res: ServerResponse): void {
    const now = (open.get(tenantId) ?? 0) + 1;
    open.set(tenantId, now);
    most.set(tenantId, Math.max(now, most.get(tenantId) ?? 0));
    res.once('close', () => open.set(tenantId, open.get(tenantId)! - 1));
  }

  async function answer(arrival: Arrival, res: ServerResponse): Promise<void> {
    const reply = await (behaviours.get(arrival.tenantId) ?? behaviour)(arrival);
    if (reply === 'hang') return;
    const { status, headers } = typeof reply === 'number' ? { status: reply, headers: {} } : reply;
    if (res.destroyed) return;
    arrival.status = status;
    res.writeHead(status, headers).end();
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    arrivals,
    urlOf: (tenantId: string) => `http://127.0.0.1:${port}/hooks/${tenantId}`,
    /** For tenants that have no behaviour of their own. */
    behave: (next: Behaviour) => void (behaviour = next),
    behaveFor: (tenantId: string, next: Behaviour) => void behaviours.set(tenantId, next),
    openNow: (tenantId: string) => open.get(tenantId) ?? 0,
    /** Most requests of a tenant that were open at one time, since the last look. */
    takeMostOpen(tenantId: string): number {
      const seen = most.get(tenantId) ?? 0;
      most.set(tenantId, open.get(tenantId) ?? 0);
      return seen;
    },
    forget: () => void arrivals.splice(0),
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The same, but after a while. */
export function slowly(ms: number, behaviour: Behaviour): Behaviour {
  return async (arrival) => {
    await delay(ms);
    return behaviour(arrival);
  };
}
