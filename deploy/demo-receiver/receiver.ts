import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { rewardWebhook } from '../../packages/client/src/webhook.ts';
import { webhookCredentials } from '../demo/demo-tenants.ts';
import { createReceivedStore } from './received-store.ts';

/**
 * `POST /webhook/<tenant>` is a customer's endpoint as `@tributary/client/webhook` makes it;
 * `GET /received/<tenant>` lists what came and what was granted, with `?newest=<n>` only the last n
 * deliveries. (The client is named by its path: its package name leads to what was built of it.)
 */
export function createReceiver(settings: { webhookKey: string; file: string | undefined }): Server {
  const store = createReceivedStore(settings.file);

  return createServer((req, res) => {
    // By hand: a path that begins with `//` would be a host to URL.
    const [pathname = '', query = ''] = (req.url ?? '/').split('?', 2);
    const searchParams = new URLSearchParams(query);
    const [, place, tenantId, rest] = pathname.split('/');
    if (req.method === 'GET' && place === 'readyz') return answer(res, 200, { ok: true });
    if (tenantId === undefined || tenantId === '' || rest !== undefined) return notFound(res);
    if (req.method === 'GET' && place === 'received') {
      return answer(res, 200, store.of(tenantId, Number(searchParams.get('newest') ?? Infinity)));
    }
    if (req.method === 'POST' && place === 'webhook') return receive(req, res, tenantId);
    notFound(res);
  });

  function receive(req: IncomingMessage, res: ServerResponse, tenantId: string): void {
    const handle = rewardWebhook({
      ...webhookCredentials(settings.webhookKey, tenantId),
      grant({ payload, ...grant }) {
        const delivery = { headers: shownHeaders(req), body: payload };
        return store.add(tenantId, delivery, grant) ? 'repeated' : 'granted';
      },
    });
    void handle(req, res);
  }
}

function shownHeaders(req: IncomingMessage): Record<string, string> {
  const shown: Record<string, string> = {};
  for (const [name, value] of Object.entries(req.headers)) {
    shown[name] = name === 'authorization' ? 'Basic <redacted>' : String(value);
  }
  return shown;
}

function notFound(res: ServerResponse): void {
  answer(res, 404, { message: 'not found' });
}

function answer(res: ServerResponse, status: number, body: unknown): void {
  res.writeHead(status, { 'content-type': 'application/json' });
  res.end(`${JSON.stringify(body)}\n`);
}
