import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A customer's webhook endpoint that remembers everything it was sent. */
export type WebhookSink = {
  url: string;
  received: {
    eventId: string;
    rewardId: string;
    body: string;
    headers: IncomingHttpHeaders;
    atMs: number;
  }[];
  stop(): Promise<void>;
};

export async function startWebhookSink(): Promise<WebhookSink> {
  const received: WebhookSink['received'] = [];
  const server = createServer((req, res) => {
    let body = '';
    req.setEncoding('utf8');
    req.on('data', (chunk: string) => (body += chunk));
    req.on('end', () => {
      const payload = JSON.parse(body) as { eventId: string; data: { rewardId: string } };
      const { eventId, data } = payload;
      const { headers } = req;
      received.push({ eventId, rewardId: data.rewardId, body, headers, atMs: performance.now() });
      res.writeHead(200).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/webhook`,
    received,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
