import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { connectTo } from '@tributary/event-log/testing';
import kafkajs from 'kafkajs';
import { serveQuestions } from '../webhooks/serve-questions.ts';

export type BareSettings = { kafkaBrokers: string; topic: string; signingSecret: string };

/** The library is a dependency of the service alone, so its types are not to be had here. */
const requireAsService = createRequire(
  new URL('../../services/processor-events/package.json', import.meta.url),
);
const { webhooks } = requireAsService('stripe') as {
  webhooks: { constructEvent: (body: Buffer, header: string, secret: string) => InvoicePaid };
};
type InvoicePaid = { id: string; data: { object: { customer: string } } };

/** Baseline, the usual way: the official library, and one awaited send of the body per request. */
serveQuestions<BareSettings>(async ({ kafkaBrokers, topic, signingSecret }) => {
  const producer = connectTo(kafkaBrokers).client.producer({
    createPartitioner: kafkajs.Partitioners.DefaultPartitioner,
    allowAutoTopicCreation: false,
  });
  await producer.connect();

  async function take(request: IncomingMessage): Promise<string> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    const header = String(request.headers['stripe-signature']);
    const event = webhooks.constructEvent(body, header, signingSecret);
    const messages = [{ key: event.data.object.customer, value: body }];
    await producer.send({ topic, acks: -1, messages });
    return JSON.stringify({ received: true, id: event.id });
  }

  const server = createServer((request, response) => {
    const answer = (status: number, text: string) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(text);
    take(request).then(
      (text) => answer(200, text),
      (error: unknown) => answer(400, JSON.stringify({ error: String(error) })),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { url: () => `http://127.0.0.1:${(server.address() as AddressInfo).port}/` };
});
