import { parseStrictJson } from '@tributary/contracts/strict-json';
import { readBody } from '@tributary/http/body-reader';
import type { IncomingMessage } from 'node:http';
import { Refusal } from './refusal.ts';

const limitBytes = 64 * 1024;

/** The client is gone; there is nobody left to answer. */
export class ClientGone extends Error {}

/**
 * The JSON of a request body, judged in the order of design 8, "Precedence".
 *
 * @throws {Refusal} 415, 413 or 400
 */
export async function readJson(req: IncomingMessage): Promise<unknown> {
  if (!isPlainJson(req)) {
    throw new Refusal('MALFORMED_JSON', {
      status: 415,
      detail: 'Send the body as Content-Type: application/json, in UTF-8 and without encoding.',
    });
  }
  const body = await readBody(req, { limitBytes });
  if (body.outcome === 'too-large') throw new Refusal('PAYLOAD_TOO_LARGE');
  if (body.outcome === 'aborted') throw new ClientGone('the client left before its body ended');
  const parsed = parseStrictJson(body.bytes);
  if (parsed.outcome === 'malformed')
    throw new Refusal('MALFORMED_JSON', { detail: parsed.detail });
  return parsed.value;
}

/** For requests that need no body: none at all is an empty object. */
export async function readOptionalJson(req: IncomingMessage): Promise<unknown> {
  const { 'content-length': length = '0', 'transfer-encoding': encoding } = req.headers;
  return length === '0' && encoding === undefined ? {} : readJson(req);
}

function isPlainJson({ headers }: IncomingMessage): boolean {
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') return false;
  return jsonType.test(headers['content-type'] ?? '');
}

const jsonType = /^application\/json\s*(;\s*charset\s*=\s*("utf-8"|utf-8)\s*)?;?\s*$/i;
