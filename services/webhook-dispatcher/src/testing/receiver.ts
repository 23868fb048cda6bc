import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A customer's endpoint for specs: remembers what came and answers as told. */
export type Received = {
  eventId: string;
  method: string;
  path: string;
  headers: IncomingMessage['headers'];
  rawBody: Buffer;
};

export type Answer = (res: ServerResponse, received: Received) => void | Promise<void>;

export type Receiver = {
  url: string;
  received: Received[];
  /** Requests open now and the most at any time, by event id. */
  mostAtOnce: Map<string, number>;
  answerWith(answer: Answer): void;
  stop(): Promise<void>;
};

export const accept: Answer = (res) => void res.writeHead(200).end('{}');

/** Answers of one event id in turn; the last one stays. */
export function inTurn(...answers: Answer[]): Answer {
  const counts = new Map<string, number>();
  return (res, received) => {
    const count = counts.get(received.eventId) ?? 0;
    counts.set(received.eventId, count + 1);
    return answers[Math.min(count, answers.length - 1)]!(res, received);
  };
}

export function status(statusCode: number, headers: Record<string, string> = {}): Answer {
  return (res) => void res.writeHead(statusCode, headers).end();
}

export async function startReceiver(): Promise<Receiver> {
  const received: Received[] = [];
  const openNow = new Map<string, number>();
  const mostAtOnce = new Map<string, number>();
  let answer: Answer = accept;

  async function handle(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const rawBody = Buffer.concat(await req.toArray());
    const entry: Received = {
      eventId: eventIdOf(rawBody),
      method: req.method ?? '',
      path: req.url ?? '',
      headers: req.headers,
      rawBody,
    };
    received.push(entry);
    count(entry.eventId, 1);
    res.once('close', () => count(entry.eventId, -1));
    await answer(res, entry);
  }

  function count(eventId: string, change: 1 | -1): void {
    const now = (openNow.get(eventId) ?? 0) + change;
    openNow.set(eventId, now);
    mostAtOnce.set(eventId, Math.max(now, mostAtOnce.get(eventId) ?? 0));
  }

  const server = createServer((req, res) => {
    handle(req, res).catch((error: unknown) => res.destroy(error as Error));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    mostAtOnce,
    answerWith: (next) => (answer = next),
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function eventIdOf(body: Buffer): string {
  try {
    return (JSON.parse(body.toString()) as { eventId?: string }).eventId ?? '';
  } catch {
    return '';
  }
}
