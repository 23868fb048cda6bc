import { createServer, type AddressInfo, type Socket } from 'node:net';
import { serveQuestions } from './serve-questions.ts';
import type { Arrivals, SinkSettings } from './sink.ts';

/**
 * The receiver of all deliveries. It reads just as much of HTTP as one client at a time on a
 * connection needs, so that it takes little of the two cores that senders and servers share; in
 * earnest it would be on another machine.
 */
serveQuestions<SinkSettings>(async ({ endpoints, hangMs }) => {
  let arrivals: Arrivals = [];
  const seen = new Set<string>();

  function receive(socket: Socket, head: string, body: string): void {
    const at = body.indexOf(eventIdMark) + eventIdMark.length;
    const eventId = body.slice(at, at + 36);
    arrivals.push([eventId, nowMs()]);
    seen.add(eventId);
    if (head.startsWith('POST /hang')) setTimeout(() => socket.write(answer()), hangMs);
    else socket.write(answer());
  }

  const ports: number[] = [];
  for (let n = 0; n < endpoints; n++) {
    const server = createServer({ noDelay: true }, (socket) => {
      let text = '';
      socket.on('error', () => socket.destroy());
      socket.on('data', (chunk) => {
        text += chunk.toString('latin1');
        for (;;) {
          const headEnd = text.indexOf('\r\n\r\n');
          if (headEnd < 0) return;
          const head = text.slice(0, headEnd);
          const end = headEnd + 4 + Number(contentLength.exec(head)?.[1] ?? 0);
          if (text.length < end) return;
          receive(socket, head, text.slice(headEnd + 4, end));
          text = text.slice(end);
        }
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', 4_096, resolve));
    ports.push((server.address() as AddressInfo).port);
  }

  return {
    ports: () => ports,
    /** How many different ones have come. */
    count: () => seen.size,
    /** All requests since the last time, and forgets them. */
    takeArrivals() {
      const taken = arrivals;
      arrivals = [];
      seen.clear();
      return taken;
    },
  };
});

const eventIdMark = '"eventId":"';
const contentLength = /content-length: *(\d+)/i;
const answerBody = '{"received":true}';

/** The headers that a small server of Node sends. */
function answer(): string {
  const now = Date.now();
  if (now - dateAt > 1_000) [dateAt, date] = [now, new Date(now).toUTCString()];
  return (
    'HTTP/1.1 200 OK\r\ncontent-type: application/json; charset=utf-8\r\n' +
    `content-length: ${answerBody.length}\r\ndate: ${date}\r\n` +
    `connection: keep-alive\r\nkeep-alive: timeout=5\r\n\r\n${answerBody}`
  );
}

let date = '';
let dateAt = 0;

/** The machine's monotonic clock, which all processes share. */
function nowMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
