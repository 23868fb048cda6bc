import type { IncomingMessage, ServerResponse } from 'node:http';
import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { endAnswer } from '@tributary/http/end-answer';
import type { Answer, ServedRoute } from './route.ts';

/**
 * Answers with JSON. What was looked at has a weak entity tag of all that it says but `asOf`, which
 * moves on by itself: who has it already is told so, and up to when that is true (`As-Of`). Nobody
 * keeps it on the way, and no browser does: whoever asks again says what they have.
 */
export async function sendAnswer(
  res: ServerResponse,
  { route }: ServedRoute,
  { status, body }: Answer,
): Promise<void> {
  const { req } = res;
  const headers: Record<string, string> = { 'Content-Type': 'application/json' };
  if (route.method !== 'GET' || status !== 200) {
    return endAnswer(res, status, headers, JSON.stringify(body));
  }
  headers['Vary'] = route.csv ? 'Accept, Accept-Encoding' : 'Accept-Encoding';
  const { asOf, ...rest } = body as { asOf?: unknown };
  if (typeof asOf === 'string') headers['As-Of'] = asOf;
  headers['ETag'] = `W/"${hash('sha256', JSON.stringify(rest), 'base64url').slice(0, 27)}"`;
  if (isKnown(req, headers['ETag'])) {
    const { 'Content-Type': _, ...known } = headers;
    res.writeHead(304, known).end();
    return;
  }
  const text = JSON.stringify(body);
  if (text.length < worthwhile || !acceptsGzip(req)) return endAnswer(res, 200, headers, text);
  const packed = await promisify(gzip)(text, { level: 5 });
  endAnswer(res, 200, { ...headers, 'Content-Encoding': 'gzip' }, packed);
}

/** Below, a packet is a packet. */
const worthwhile = 1_400;

export function acceptsGzip({ headers }: IncomingMessage): boolean {
  const accepted = String(headers['accept-encoding'] ?? '').toLowerCase();
  const gzipped = /(?:^|,)\s*(?:gzip|x-gzip)\s*(?:;\s*q=([0-9.]+))?\s*(?:,|$)/.exec(accepted);
  return gzipped !== null && (gzipped[1] === undefined || Number(gzipped[1]) > 0);
}

function isKnown({ headers }: IncomingMessage, tag: string): boolean {
  const known = headers['if-none-match'];
  if (known === undefined) return false;
  return known.split(',').some((one) => one.trim() === tag || one.trim() === '*');
}
