import { once } from 'node:events';
import { createConnection, type Socket } from 'node:net';

/** A caller that writes whatever bytes, whenever it likes, and sees how its connection ends. */
export type ByteStream = {
  socket: Socket;
  /** One byte per character. */
  send(text: string): void;
  /** All that has come so far. */
  received(): Buffer;
  /** Resolves when the other side has closed, cleanly or by a reset. */
  closed: Promise<{ reset: boolean }>;
};

export async function openByteStream(port: number): Promise<ByteStream> {
  const socket = createConnection(port, '127.0.0.1');
  const chunks: Buffer[] = [];
  let reset = false;
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  socket.on('error', () => (reset = true));
  const closed = new Promise<{ reset: boolean }>((resolve) => {
    socket.on('close', () => resolve({ reset }));
  });
  await once(socket, 'connect');
  const send = (text: string) => {
    if (socket.writable) socket.write(Buffer.from(text, 'latin1'));
  };
  return { socket, send, received: () => Buffer.concat(chunks), closed };
}
