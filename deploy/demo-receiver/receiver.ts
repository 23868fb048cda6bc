import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { timingSafeEqual } from 'node:crypto';
import { webhookCredentials } from '../demo/demo-tenants.ts';
import { judgeWebhook } from './judge-webhook.ts';
import { createReceivedStore } from './received-store.ts';

/**
 * `POST /webhook/<tenant>` follows the receiver rules of interface 6.1; `GET /received/<tenant>`
 * lists what came and what was granted, with `?newest=<n>` only the last n deliveries.
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
    if (req.method === 'POST' && place === 'webhook') {
      return void receive(req, res, tenantId).catch((error: unknown) => fail(req, res, error));
    }
    notFound(res);
  });

  async function receive(req: IncomingMessage, res: ServerResponse, tenantId: string) {
    if (!hasCredentials(req, settings.webhookKey, tenantId)) {
      res.setHeader('www-authenticate', 'Basic realm="webhook"');
      return answer(res, 401, { message: 'credentials are missing or wrong' });
    }
    const body = await readJson(req);
    const judgement = judgeWebhook(body);
    if (judgement.verdict === 'bad') return answer(res, 400, { message: judgement.reason });
    if (judgement.verdict === 'ignored') return answer(res, 200, { ignored: true });
    const duplicate = store.add(tenantId, { headers: shownHeaders(req), body }, judgement.grant);
    answer(res, 200, { duplicate });
  }
}

function hasCredentials(req: IncomingMessage, webhookKey: string, tenantId: string): boolean {
  const { username, password } = webhookCredentials(webhookKey, tenantId);
  const expected = Buffer.from(
    `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`,
  );
  const given = Buffer.from(req.headers.authorization ?? '');
  return given.length === expected.length && timingSafeEqual(given, expected);
}

function shownHeaders(req: IncomingMessage): Record<string, string> {
  const shown: Record<string, string> = {};
  for (const [name, value] of Object.entries(req.headers)) {
    shown[name] = name === 'authorization' ? 'Basic <redacted>' : String(value);
  }
  return shown;
}

/** The parsed body; undefined when it is not JSON or longer than any webhook. */
async function readJson(req: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of req as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes <= bodyLimitBytes) chunks.push(chunk);
  }
  if (bytes > bodyLimitBytes) return undefined;
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8'));
  } catch {
    return undefined;
  }
}

const bodyLimitBytes = 65_536;

function fail(req: IncomingMessage, res: ServerResponse, error: unknown): void {
  // The sender left in mid-body: nobody is left to answer.
  if (!req.complete) return void res.destroy();
  console.error('demo-receiver:', error);
  answer(res, 500, { message: 'the receiver failed' });
}

function notFound(res: ServerResponse): void {
  answer(res, 404, { message: 'not found' });
}

function answer(res: ServerResponse, status: number, body: unknown): void {
  res.writeHead(status, { 'content-type': 'application/json' });
  res.end(`${JSON.stringify(body)}\n`);
}
