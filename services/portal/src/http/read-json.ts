import { parseStrictJson } from '@tributary/contracts/strict-json';
import { readJsonBody } from '@tributary/http/json-body';
import type { IncomingMessage } from 'node:http';
import { Refusal } from './refusal.ts';

/** The client is gone; there is nobody left to answer. */
export class ClientGone extends Error {}

/**
 * The JSON of a request body.
 *
 * @throws {Refusal} 415, 413 or 400
 */
export async function readJson(req: IncomingMessage): Promise<unknown> {
  const reading = await readJsonBody(req, parseStrictJson);
  if (reading.outcome === 'refused') throw new Refusal(reading.code, reading.about);
  if (reading.outcome === 'aborted') throw new ClientGone('the client left before its body ended');
  return reading.value;
}

/** For requests that need no body: none at all is an empty object. */
export async function readOptionalJson(req: IncomingMessage): Promise<unknown> {
  const { 'content-length': length = '0', 'transfer-encoding': encoding } = req.headers;
  return length === '0' && encoding === undefined ? {} : readJson(req);
}
