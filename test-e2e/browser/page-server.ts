import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type HostedPage = { html: string; headers?: Record<string, string> };
export type Handler = (req: IncomingMessage, res: ServerResponse) => unknown;

export type PageServer = {
  port: number;
  /** `localhost` with the port, what a customer registers. */
  host: string;
  origin: string;
  /** Gives the address of the page, at another host name of this machine when one is said. */
  page(path: string, page: HostedPage, hostname?: string): string;
  /** Answers a path by hand. */
  on(path: string, handler: Handler): string;
  /** Answers every path that has no page. */
  onOther(handler: Handler): void;
  at(path: string, hostname?: string): string;
  stop(): Promise<void>;
};

/** A customer's web site: another origin than the assets', with whatever pages a spec gives it. */
export async function startPageServer(): Promise<PageServer> {
  const handlers = new Map<string, Handler>();
  let other: Handler = (_req, res) => void res.writeHead(404).end();
  const server = createServer((req, res) => {
    const path = new URL(req.url ?? '/', 'http://page').pathname;
    // Browsers ask every site for its icon and say so in the console when there is none.
    if (path === '/favicon.ico') return void res.writeHead(204).end();
    (handlers.get(path) ?? other)(req, res);
  });
  server.listen(0);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const at = (path: string, hostname = 'localhost') => `http://${hostname}:${port}${path}`;

  return {
    port,
    host: `localhost:${port}`,
    origin: at(''),
    page(path, { html, headers = {} }, hostname) {
      handlers.set(path, (_req, res) => {
        res.writeHead(200, { 'content-type': 'text/html; charset=utf-8', ...headers }).end(html);
      });
      return at(path, hostname);
    },
    on(path, handler) {
      handlers.set(path, handler);
      return at(path);
    },
    onOther: (handler) => void (other = handler),
    at,
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
