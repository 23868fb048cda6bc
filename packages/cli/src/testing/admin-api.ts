import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { runTributary } from '../run-tributary.ts';
import type { ProcessContext } from '../process-context.ts';

export type Reply = { status: number; body: object };

/** A real server that answers as an admin API would, and command lines that ask it. */
export async function startAdminApi() {
  const requests: string[] = [];
  const keys: string[] = [];
  let reply: (request: string) => Reply | Promise<Reply> = () => ({ status: 200, body: {} });
  const server = createServer((req, res) => {
    void text(req).then(async (body) => {
      const request = `${req.method} ${req.url}${body === '' ? '' : ` ${body}`}`;
      requests.push(request);
      const key = req.headers['idempotency-key'];
      if (key !== undefined) keys.push(Buffer.from(String(key), 'latin1').toString('utf8'));
      const { status, body: answer } = await reply(request);
      res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  return {
    url,
    /** What a command line says before it changes something here. */
    named: `System: ${url} (from TRIBUTARY_ADMIN_URL)\n`,
    requests,
    /** The idempotency keys that came, as a service reads them. */
    keys,
    replyWith(next: object | ((request: string) => Reply | Promise<Reply>)) {
      reply =
        typeof next === 'function' ? (next as typeof reply) : () => ({ status: 200, body: next });
    },
    async run(argv: readonly string[], more: Partial<ProcessContext> = {}) {
      const printed = { out: '', err: '' };
      const code = await runTributary({
        argv,
        env: { TRIBUTARY_ADMIN_URL: url, TRIBUTARY_ADMIN_TOKEN: 'token' },
        cwd: '/',
        input: (async function* () {})(),
        out: (line) => void (printed.out += `${line}\n`),
        err: (line) => void (printed.err += `${line}\n`),
        ...more,
      });
      return { code, ...printed };
    },
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

export type AdminApi = Awaited<ReturnType<typeof startAdminApi>>;
