import type { ServerResponse } from 'node:http';
import { announcedBytes } from './body-reader.ts';
import { isUninvited } from './expect-continue.ts';

// An answer may be ready while the request's body is still on its way: 401 comes before the body is
// read, 413 instead of it. A small rest is read and dropped, and the connection lives on. With a
// large or unknown rest, or at the end of the listener, the connection ends with the answer, and
// here is the difficulty: closing a socket that has unread bytes makes the system send a reset,
// which can overtake the answer and destroy it at the other side. So the answer is written whole,
// then input is dropped for a bounded number of bytes and time, and only then the connection is
// closed.

const smallRestBytes = 64 * 1024;
const drainBytes = 1024 * 1024;
const drainMs = 1_000;

/**
 * Sends status, headers and the whole body. Does nothing when the caller is gone; destroys the
 * connection when an answer has already begun, as a half answer must not look like a whole one.
 */
export function endAnswer(
  res: ServerResponse,
  status: number,
  headers: Record<string, string | number>,
  body: string | Buffer,
): void {
  if (res.destroyed) return;
  if (res.headersSent) {
    res.destroy();
    return;
  }
  const withLength = { ...headers, 'Content-Length': Buffer.byteLength(body) };
  if (!mustClose(res)) {
    res.writeHead(status, withLength);
    res.end(body);
    // Node reads the rest by itself only when nobody has begun to read the body.
    if (!res.req.complete) res.req.resume();
    return;
  }
  res.writeHead(status, { ...withLength, Connection: 'close' });
  res.write(body);
  drainRequest(res, () => res.end());
}

function mustClose(res: ServerResponse): boolean {
  const { req } = res;
  if (req.complete) return false;
  if (res.getHeader('connection') === 'close') return true;
  if (req.headers['transfer-encoding'] !== undefined || isUninvited(req)) return true;
  return announcedBytes(req) > smallRestBytes;
}

function drainRequest({ req }: ServerResponse, done: () => void): void {
  let left = drainBytes;
  const finish = () => {
    clearTimeout(timer);
    req.off('data', onData).off('end', finish).off('close', finish).off('error', finish);
    done();
  };
  const onData = (chunk: Buffer) => {
    left -= chunk.length;
    if (left <= 0) finish();
  };
  const timer = setTimeout(finish, drainMs);
  req.on('data', onData).on('end', finish).on('close', finish).on('error', finish);
  req.resume();
}
