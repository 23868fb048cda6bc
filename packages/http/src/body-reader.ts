import type { IncomingMessage } from 'node:http';
import { receiveBody } from './body-room.ts';
import { inviteBody } from './expect-continue.ts';

export type BodyOutcome =
  | { outcome: 'read'; bytes: Buffer }
  /** The rest is not read; the answer should close the connection (see end-answer.ts). */
  | { outcome: 'too-large' }
  /** The process holds as many bodies as it may (see body-room.ts): 503. The rest is not read. */
  | { outcome: 'no-room' }
  /** The caller went away, or the server cut off a body that came too slowly. Nobody is left. */
  | { outcome: 'aborted' };

/**
 * The whole body, up to `limitBytes`. A body that is announced larger is refused before its first
 * byte, one that turns out larger at the first byte too many. Never rejects.
 */
export function readBody(
  req: IncomingMessage,
  { limitBytes }: { limitBytes: number },
): Promise<BodyOutcome> {
  if (announcedBytes(req) > limitBytes) return Promise.resolve({ outcome: 'too-large' });
  if (req.destroyed) return Promise.resolve({ outcome: 'aborted' });
  inviteBody(req);

  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let length = 0;

    const settle = (result: BodyOutcome) => {
      reception.end();
      req.off('data', onData).off('end', onEnd).off('close', onGone).off('error', onGone);
      resolve(result);
    };
    const onData = (chunk: Buffer) => {
      length += chunk.length;
      if (length > limitBytes) giveUp({ outcome: 'too-large' });
      else if (!reception.take(chunk.length)) giveUp({ outcome: 'no-room' });
      else chunks.push(chunk);
    };
    const giveUp = (result: BodyOutcome) => {
      req.pause();
      settle(result);
    };
    const reception = receiveBody(req, () => giveUp({ outcome: 'no-room' }));
    const onEnd = () => settle({ outcome: 'read', bytes: joined(chunks, length) });
    // `close` follows `end` in every good case; coming first, it means that the rest is missing.
    const onGone = () => settle({ outcome: 'aborted' });

    req.on('data', onData).on('end', onEnd).on('close', onGone).on('error', onGone);
  });
}

/** What Content-Length says; 0 when it says nothing, as for a chunked body. */
export function announcedBytes(req: IncomingMessage): number {
  return Number(req.headers['content-length'] ?? 0);
}

function joined(chunks: readonly Buffer[], length: number): Buffer {
  const [only] = chunks;
  return chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks, length);
}
