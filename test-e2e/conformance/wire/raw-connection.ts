import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { patiently } from '@tributary/testkit/patience';
import { type RawAnswer, readAnswer } from './raw-answer.ts';

export type RawConnection = {
  /** Sends one request and reads its answer; the next one goes over the same connection. */
  exchange(bytes: Uint8Array, options?: { toHead?: boolean }): Promise<RawAnswer>;
  close(): void;
};

const answerLimitMs = patiently(30_000);

/**
 * One caller that keeps its connection as long as the other side does. Bytes that arrive when no
 * answer is due fail the next exchange: they would have been read as somebody's answer.
 */
export function createRawConnection(host: string, port: number): RawConnection {
  let open: Socket | undefined;

  async function socket(): Promise<Socket> {
    if (open && !open.destroyed && !open.readableEnded) return open;
    open = connect({ host, port, noDelay: true });
    open.on('error', () => undefined); // told by the exchange that it meets
    await once(open, 'connect');
    return open;
  }

  return {
    async exchange(bytes, { toHead = false } = {}) {
      const carrier = await socket();
      carrier.write(bytes);
      const answer = await nextAnswer(carrier, toHead);
      // nginx may close after the answer to a body that it has not read, whatever it said of the
      // connection (RFC 9112, 9.6); what came next on it would find nobody.
      if (!answer.keepAlive || answer.status === 413) carrier.destroy();
      return answer;
    },
    close: () => open?.destroy(),
  };
}

function nextAnswer(socket: Socket, toHead: boolean): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    let received: Buffer = Buffer.alloc(0);
    const settle = (run: () => void) => {
      clearTimeout(timer);
      socket.off('data', onData).off('close', onClose);
      run();
    };
    const fail = (error: Error) =>
      settle(() => {
        socket.destroy();
        reject(error);
      });
    const onClose = () => fail(new Error(`closed after ${received.length} bytes of an answer`));
    const onData = (chunk: Buffer) => {
      received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
      try {
        const read = readAnswer(received, toHead);
        if (!read) return;
        if (read.length < received.length) throw new Error('bytes after the answer');
        settle(() => resolve(read.answer));
      } catch (error) {
        fail(error as Error);
      }
    };
    const timer = setTimeout(() => fail(new Error('no answer in time')), answerLimitMs);
    socket.on('data', onData).on('close', onClose);
  });
}
