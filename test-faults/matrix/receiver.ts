import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Webhook } from './evidence.ts';

/**
 * How it treats a webhook: takes it, fails, never answers, or takes it and cuts the connection
 * before the answer is out.
 */
export type Manner = 'take' | 'fail' | 'hang' | 'take-and-reset';

export type Receiver = Awaited<ReturnType<typeof startReceiver>>;

/** The endpoints of all customers, each below its tenant's name; every webhook is written down. */
export async function startReceiver(authorizations: ReadonlyMap<string, string>) {
  const webhooks: Webhook[] = [];
  let manner: Manner = 'take';
  let unusual = 0;

  async function receive(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const tenantId = (req.url ?? '').split('/').at(-1) ?? '';
    const body = await text(req);
    const webhook: Webhook = {
      at: new Date().toISOString(),
      tenantId,
      authorized: req.headers.authorization === authorizations.get(tenantId),
      body,
    };
    webhooks.push(webhook);
    if (manner !== 'take') unusual += 1;
    switch (manner) {
      case 'take':
        webhook.status = 200;
        res.writeHead(200).end();
        break;
      case 'fail':
        webhook.status = 500;
        res.writeHead(500).end();
        break;
      case 'take-and-reset':
        req.socket.resetAndDestroy();
        break;
      case 'hang':
        break;
      default:
        manner satisfies never;
    }
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
    behave: (next: Manner) => void (manner = next),
    /** Webhooks that were not simply taken. */
    unusual: () => unusual,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
