import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { Webhook } from './evidence.ts';

/**
 * What is done with a webhook that was read: a whole answer, maybe after a while; one whose body
 * has no end, slowly (`drips`) or as fast as it is read (`floods`); none (`hang`); or the
 * connection is reset.
 */
export type Reply =
  | 'hang'
  | 'reset'
  | {
      status: number;
      headers?: Record<string, string>;
      afterMs?: number;
      body?: 'drips' | 'floods';
    };

export type Receiver = Awaited<ReturnType<typeof startReceiver>>;

const taken: Reply = { status: 200 };

/** The endpoints of all customers, each below its tenant's name; every webhook is written down. */
export async function startReceiver(authorizations: ReadonlyMap<string, string>) {
  const webhooks: Webhook[] = [];
  let reply: Reply = taken;
  let underWay = 0;
  let givenUp = 0;

  async function receive(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const tenantId = (req.url ?? '').split('/').at(-1) ?? '';
    underWay += 1;
    res.once('close', () => {
      underWay -= 1;
      if (!res.writableFinished) givenUp += 1;
    });
    const body = await text(req);
    const webhook: Webhook = {
      at: new Date().toISOString(),
      tenantId,
      authorized: req.headers.authorization === authorizations.get(tenantId),
      body,
    };
    webhooks.push(webhook);
    await reactTo(webhook, res, reply);
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
    /** From now on webhooks are treated so. */
    behave: (next: Reply) => void (reply = next),
    /** From now on they are answered 200 again. */
    take: () => void (reply = taken),
    /** Webhooks whose answer has not ended. */
    underWay: () => underWay,
    /** Those whose connection ended before their answer did. */
    givenUp: () => givenUp,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Writes down the status when the sender has it, or has as much of the body as it wants. */
async function reactTo(webhook: Webhook, res: ServerResponse, reply: Reply): Promise<void> {
  if (reply === 'hang') return;
  if (reply === 'reset') return void res.socket?.resetAndDestroy();
  const { status, headers = {}, afterMs = 0, body } = reply;
  if (afterMs > 0) await delay(afterMs);
  // Who has gone meanwhile gets no answer.
  if (res.destroyed) return;
  if (body !== 'drips') webhook.status = status;
  res.writeHead(status, headers);
  if (body === undefined) return void res.end();
  const answer = body === 'drips' ? endless(' ', 100) : endless(' '.repeat(64 * 1024), 0);
  // It is over when the sender has gone.
  await pipeline(answer, res).catch(() => undefined);
}

async function* endless(part: string, everyMs: number): AsyncGenerator<string> {
  for (;;) {
    yield part;
    await delay(everyMs);
  }
}
