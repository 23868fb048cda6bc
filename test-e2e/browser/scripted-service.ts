import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join, normalize } from 'node:path';
import { text } from 'node:stream/consumers';
import { startPageServer } from './page-server.ts';

const dist = join(import.meta.dirname, '../../services/widget/dist');

/** What is answered next: a status with a body, `hang` never, `reset` by cutting the connection. */
export type Scripted<Body> = { status: number; body: Body } | 'hang' | 'reset';

/**
 * The built scripts with answers that a spec decides: sessions for pictures, and what the real
 * service does not do on demand. Whatever can be seen of the real service is tested with the real
 * one.
 */
export async function startScriptedService() {
  const server = await startPageServer();
  const asked: { path: string; query: URLSearchParams; body: unknown }[] = [];
  const script = {
    session: { status: 503, body: {} } as Scripted<object>,
    campaignConfig: { status: 200, body: {} } as Scripted<object>,
    /** Answers instead of a file below dist. */
    assets: new Map<string, Scripted<string>>(),
  };

  server.onOther(async (req, res) => {
    const url = new URL(req.url ?? '/', 'http://service');
    if (!url.pathname.startsWith('/widget/')) return serveAsset(url.pathname, script.assets, res);
    if (req.method === 'OPTIONS') return void res.writeHead(204, cors(req)).end();
    const body = await text(req);
    asked.push({ path: url.pathname, query: url.searchParams, body: body && JSON.parse(body) });
    const isSession = url.pathname === '/widget/session';
    answer(isSession ? script.session : script.campaignConfig, cors(req), res);
  });
  return { origin: server.at('', '127.0.0.1'), script, asked, stop: server.stop };
}

function answer(scripted: Scripted<unknown>, headers: Record<string, string>, res: ServerResponse) {
  if (scripted === 'hang') return;
  if (scripted === 'reset') return void res.destroy();
  const { status, body } = scripted;
  const isText = typeof body === 'string';
  const type = isText ? 'text/javascript; charset=utf-8' : 'application/json';
  res.writeHead(status, { ...headers, 'content-type': type, 'cache-control': 'no-store' });
  res.end(isText ? body : JSON.stringify(body));
}

async function serveAsset(
  path: string,
  instead: Map<string, Scripted<string>>,
  res: ServerResponse,
): Promise<void> {
  const headers = { 'access-control-allow-origin': '*', 'timing-allow-origin': '*' };
  const scripted = instead.get(path);
  if (scripted !== undefined) return answer(scripted, headers, res);
  const bytes = await readFile(join(dist, normalize(path))).catch(() => undefined);
  if (bytes === undefined) return void res.writeHead(404, headers).end();
  res.writeHead(200, { ...headers, 'content-type': 'text/javascript; charset=utf-8' }).end(bytes);
}

function cors(req: IncomingMessage): Record<string, string> {
  return {
    'access-control-allow-origin': req.headers.origin ?? '*',
    'access-control-allow-headers': 'content-type',
    vary: 'Origin',
  };
}
