import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Webhook } from './evidence.ts';

export type Receiver = Awaited<ReturnType<typeof startReceiver>>;

/** The endpoints of all customers, each below its tenant's name; every webhook is written down. */
export async function startReceiver(authorizations: ReadonlyMap<string, string>) {
  const webhooks: Webhook[] = [];
  let status = 200;
  let refused = 0;

  async function receive(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const tenantId = (req.url ?? '').split('/').at(-1) ?? '';
    const body = await text(req);
    const webhook: Webhook = {
      at: new Date().toISOString(),
      tenantId,
      authorized: req.headers.authorization === authorizations.get(tenantId),
      body,
      status,
    };
    webhooks.push(webhook);
    if (status !== 200) refused += 1;
    res.writeHead(status).end();
  }

  const server = createServer((req, res) => {
    // A body that is cut off in the middle is no webhook.
    receive(req, res).catch(() => res.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    webhooks,
    urlOf: (tenantId: string) => `http://127.0.0.1:${port}/hooks/${tenantId}`,
    /** From now on webhooks are answered 500. */
    fail: () => void (status = 500),
    /** From now on they are answered 200 again. */
    take: () => void (status = 200),
    /** Webhooks that were answered 500. */
    refused: () => refused,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
