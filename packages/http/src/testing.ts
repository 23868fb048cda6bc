import { once } from 'node:events';
import { createConnection, type Socket } from 'node:net';
import { createLogger } from '@tributary/runtime/logger';
import { type App, listen, type Listener } from './server.ts';

/** Starts an app, on a port of the system's choice unless one is given. */
export function serve(
  app: App,
  options: Partial<Parameters<typeof listen>[0]> = {},
): Promise<Listener> {
  const logger = createLogger({ service: 'test', level: 'silent' });
  return listen({ app, host: '127.0.0.1', port: 0, logger, ...options });
}

export type RawConnection = {
  socket: Socket;
  send(text: string): void;
  /** All that has come so far. */
  received(): string;
  /** Resolves when the other side has closed, cleanly or by a reset. */
  closed: Promise<{ reset: boolean }>;
};

/** A client that speaks bytes, for what an HTTP client would not do. */
export async function connectRaw(port: number): Promise<RawConnection> {
  const socket = createConnection(port, '127.0.0.1');
  let text = '';
  let reset = false;
  socket.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
  socket.on('error', () => (reset = true));
  const closed = new Promise<{ reset: boolean }>((resolve) => {
    socket.on('close', () => resolve({ reset }));
  });
  await once(socket, 'connect');
  return { socket, send: (bytes) => void socket.write(bytes), received: () => text, closed };
}

/** The parts of one whole answer. */
export function parseAnswer(text: string): {
  status: number;
  headers: Record<string, string>;
  body: string;
} {
  const [head = '', ...rest] = text.split('\r\n\r\n');
  const [statusLine = '', ...lines] = head.split('\r\n');
  const headers = lines.map((line) => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
  });
  return {
    status: Number(statusLine.split(' ')[1]),
    headers: Object.fromEntries(headers) as Record<string, string>,
    body: rest.join('\r\n\r\n'),
  };
}
