import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';

/** A receiver that is spoken to in bytes, for what no HTTP server would do. */
export type RawServer = {
  origin: string;
  port: number;
  /** Whole requests as they came, in order. */
  requests: string[];
  connections: () => number;
  /** Bytes that were handed to the operating system. */
  bytesWritten: () => number;
  stop(): Promise<void>;
};

/** `answer` is called once a whole request is there, with its number (0, 1, …). */
export async function startRawServer(
  answer: (socket: Socket, request: number) => void,
  { host = '127.0.0.1', port = 0 }: { host?: string; port?: number } = {},
): Promise<RawServer> {
  const sockets = new Set<Socket>();
  const requests: string[] = [];
  let connections = 0;

  const server = createServer((socket) => {
    connections += 1;
    sockets.add(socket);
    // A client that has read enough closes; what was still to be said is lost then.
    socket.on('error', () => undefined);
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
      for (let end = endOfRequest(text); end > 0; end = endOfRequest(text)) {
        requests.push(text.slice(0, end));
        text = text.slice(end);
        answer(socket, requests.length - 1);
      }
    });
  });
  server.listen(port, host);
  await once(server, 'listening');
  const address = server.address() as AddressInfo;
  return {
    origin: `http://${address.family === 'IPv6' ? `[${host}]` : host}:${address.port}`,
    port: address.port,
    requests,
    connections: () => connections,
    bytesWritten: () => [...sockets].reduce((sum, socket) => sum + socket.bytesWritten, 0),
    async stop() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Answers `200` with a body, and keeps the connection. */
export function answerOk(socket: Socket, body = '{}'): void {
  socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
}

/** Writes chunks without end, as fast as they are taken. */
export function flood(socket: Socket, chunk: Buffer): void {
  const write = () => {
    while (!socket.destroyed && socket.write(chunk));
  };
  socket.on('drain', write);
  write();
}

function endOfRequest(text: string): number {
  const head = text.indexOf('\r\n\r\n');
  if (head < 0) return 0;
  const length = Number(/content-length: ([0-9]+)/i.exec(text.slice(0, head))?.[1] ?? 0);
  return text.length >= head + 4 + length ? head + 4 + length : 0;
}
