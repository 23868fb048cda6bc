import type { IncomingMessage } from 'node:http';
import type { ProblemCode } from '@tributary/contracts/problem';
import { readBody } from './body-reader.ts';
import { isPlainJson } from './media-type.ts';

/** What a body may have unless a route says less (design 8). */
export const bodyLimitBytes = 64 * 1024;

export type JsonRefusal = {
  outcome: 'refused';
  code: ProblemCode;
  about: { status?: number; detail?: string };
};

type Malformed = { outcome: 'malformed'; detail: string };

/**
 * The part of the precedence that all JSON bodies share (design 8): 415, 413, 400 MALFORMED_JSON;
 * 503 when there is no room for the body; otherwise what `read` made of the bytes.
 */
export async function readJsonBody<R extends { outcome: string }>(
  req: IncomingMessage,
  read: (bytes: Buffer) => R | Malformed,
  limitBytes = bodyLimitBytes,
): Promise<Exclude<R, Malformed> | JsonRefusal | { outcome: 'aborted' }> {
  if (!isPlainJson(req)) {
    const detail = 'Send Content-Type: application/json in UTF-8, without a Content-Encoding.';
    return { outcome: 'refused', code: 'MALFORMED_JSON', about: { status: 415, detail } };
  }
  const body = await readBody(req, { limitBytes });
  if (body.outcome === 'aborted') return body;
  if (body.outcome === 'too-large') {
    const detail = `The body may have at most ${limitBytes} bytes.`;
    return { outcome: 'refused', code: 'PAYLOAD_TOO_LARGE', about: { detail } };
  }
  if (body.outcome === 'no-room') {
    return { outcome: 'refused', code: 'SERVICE_UNAVAILABLE', about: {} };
  }
  const reading = read(body.bytes);
  if (!isMalformed(reading)) return reading as Exclude<R, Malformed>;
  return { outcome: 'refused', code: 'MALFORMED_JSON', about: { detail: reading.detail } };
}

function isMalformed(reading: { outcome: string }): reading is Malformed {
  return reading.outcome === 'malformed';
}
