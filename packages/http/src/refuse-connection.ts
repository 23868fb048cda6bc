import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Bag } from '@tributary/runtime/bag';
import type { Logger } from '@tributary/runtime/logger';
import { connectionRefusal } from './client-error.ts';
import type { RefusalForm } from './problem-response.ts';
import { requestIdOf } from './request-id.ts';

/**
 * What happens to a connection whose input cannot be read any further. It ends in every case; what
 * is answered depends on how far its last request had come.
 */
export function createConnectionRefuser(options: {
  underWay: Pick<Bag<ServerResponse>, 'items'>;
  unread: WeakSet<Duplex>;
  logger: Logger;
  form: RefusalForm;
}) {
  const { underWay, unread, logger, form } = options;
  const refused = new WeakSet<Duplex>();

  return (error: { code?: string | undefined }, socket: Duplex): void => {
    // Input that follows the first error is an error again.
    if (refused.has(socket)) return;
    refused.add(socket);
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy();
      return;
    }
    const unanswered = underWay.items.find((res) => res.socket === socket);
    if (unanswered?.headersSent || (!unanswered && unread.has(socket))) {
      // Its answer was written whole, see end-answer.ts; only what came after it is bad.
      closeWith(socket);
    } else if (unanswered?.req.complete) {
      // Rubbish after a whole request: that request gets its own answer, and no other.
      closeAfter(unanswered);
    } else {
      const { requestId, status, text } = connectionRefusal(
        error.code,
        form,
        unanswered && requestIdOf(unanswered),
      );
      logger.info('refused', { requestId, status, because: error.code });
      closeWith(socket, text);
    }
  };
}

/** The connection ends with the answer to this request. */
export function closeAfter(res: ServerResponse): void {
  if (!res.headersSent) res.setHeader('Connection', 'close');
}

/** Time for the other side to read the answer while it may still be sending. */
const lingerMs = 1_000;

/** Writes the answer and closes. Input that still comes is dropped meanwhile, see end-answer.ts. */
function closeWith(socket: Duplex, text = ''): void {
  // The other side may be gone before it has read it, which concerns nobody.
  socket.on('error', () => undefined);
  socket.end(text);
  socket.resume();
  const timer = setTimeout(() => socket.destroy(), lingerMs);
  socket.once('close', () => clearTimeout(timer));
}
