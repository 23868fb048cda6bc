import type { ProblemCode } from '@tributary/contracts/problem';
import type { Examples } from './event-docs.ts';
import { problemExample } from './examples.ts';
import type { Json } from './json-schema.ts';
import { legacyErrorExample } from './legacy-examples.ts';
import { schemaRef } from './schemas.ts';

/** Headers of answers, by the name in `components.headers`. */
const headerNames = {
  RequestId: 'X-Request-Id',
  RetryAfter: 'Retry-After',
  WwwAuthenticate: 'WWW-Authenticate',
  Allow: 'Allow',
  NoStore: 'Cache-Control',
} as const;
type HeaderComponent = keyof typeof headerNames;

export const headers: Record<HeaderComponent, Json> = {
  RequestId: {
    description: 'The id of this request, which is in our log too. Quote it to support.',
    required: true,
    schema: { type: 'string' },
  },
  RetryAfter: {
    description: 'Seconds to wait before the same request is sent again.',
    required: true,
    schema: { type: 'integer', minimum: 0 },
  },
  WwwAuthenticate: { required: true, schema: { const: 'Bearer' } },
  Allow: {
    description: 'The methods that this path takes.',
    required: true,
    schema: { type: 'string' },
  },
  NoStore: { schema: { const: 'no-store' } },
};

export function jsonResponse(
  description: string,
  schema: string,
  examples: Examples,
  more: HeaderComponent[] = [],
): Json {
  const content = { 'application/json': { schema: schemaRef(schema), examples } };
  return { description, headers: headersOf('RequestId', ...more), content };
}

/** A problem document with the codes that are possible here, and no other. */
export function problemResponse(options: {
  status: number | undefined;
  description: string;
  codes: readonly ProblemCode[];
  examples: Examples;
  headers?: HeaderComponent[];
}): Json {
  const { status, description, codes, examples, headers: more = [] } = options;
  const narrowed = {
    properties: {
      ...(status !== undefined && { status: { const: status } }),
      code: { enum: codes },
    },
  };
  const base = codes.includes('NOT_FOUND') ? 'GeneralProblem' : 'Problem';
  const schema = { allOf: [schemaRef(base), narrowed] };
  return {
    description,
    headers: headersOf('RequestId', ...more),
    content: { 'application/problem+json': { schema, examples } },
  };
}

function headersOf(...names: HeaderComponent[]): Json {
  const entries = names.map((name) => [
    headerNames[name],
    { $ref: `#/components/headers/${name}` },
  ]);
  return Object.fromEntries(entries) as Json;
}

/** The problem of one code, with its own status. */
function problem(
  code: ProblemCode,
  status: number,
  description: string,
  more: { headers?: HeaderComponent[]; detail?: string } = {},
): Json {
  const { headers: named = [], detail } = more;
  const examples = problemExample(code, { status, ...(detail !== undefined && { detail }) });
  return problemResponse({ status, description, codes: [code], examples, headers: named });
}

function legacyError(description: string, message: string, more: HeaderComponent[] = []): Json {
  return jsonResponse(description, 'LegacyError', legacyErrorExample(message), more);
}

const refusedAtTheDoor =
  'The request was refused before it was looked at: 408 it came too slowly, 414 its path or 431 its ' +
  'headers are longer than 16 KiB, 400 or 411 it is not well-formed HTTP, 429 too many requests of ' +
  'its address are under way.';

/** `components.responses`: every refusal, once. */
export const responses = {
  BadEventRequest: problemResponse({
    status: 400,
    description:
      'The body cannot be read as JSON, or the keys in header and body differ. Nothing is stored.',
    codes: ['MALFORMED_JSON', 'IDEMPOTENCY_KEY_CONFLICT'],
    examples: {
      ...problemExample('MALFORMED_JSON'),
      ...problemExample('IDEMPOTENCY_KEY_CONFLICT'),
    },
  }),
  MalformedJson: problem('MALFORMED_JSON', 400, 'The body cannot be read as JSON.'),
  Unauthorized: problem('UNAUTHORIZED', 401, 'No valid access token.', {
    headers: ['WwwAuthenticate'],
  }),
  Suspended: problem(
    'UNAUTHORIZED',
    403,
    'The tenant of the token is suspended. Nothing is stored; ask the operator.',
    { detail: 'The tenant of this token is suspended; nothing was stored.' },
  ),
  TooManyRequests: problem(
    'SERVICE_UNAVAILABLE',
    429,
    'More than the tenant, or this address, may send. Nothing is stored. Wait for `Retry-After` ' +
      'seconds, then send the same again with the same key.',
    {
      headers: ['RetryAfter'],
      detail:
        'More events came than this tenant may send; nothing was stored. Send it again later.',
    },
  ),
  WrongKeyPair: problem('UNAUTHORIZED', 401, 'The key pair is wrong, whichever part of it.', {
    headers: ['WwwAuthenticate'],
    detail: 'The access key pair is not valid.',
  }),
  UnknownEventType: problem(
    'UNKNOWN_EVENT_TYPE',
    404,
    'What a misspelled path gets: no event type has this name.',
  ),
  UnknownCode: problem('NOT_FOUND', 404, 'There is no such code: treat it as an invalid one.', {
    detail: 'There is no such referral code.',
  }),
  NoActiveLink: problem('NOT_FOUND', 404, 'The user has no code that is valid now.', {
    detail: 'This user has no active referral code.',
  }),
  EventsArePosted: problem('UNKNOWN_EVENT_TYPE', 405, 'What another method than POST gets.', {
    headers: ['Allow'],
    detail: 'Send events with POST.',
  }),
  WrongMethod: problem('NOT_FOUND', 405, 'What another method gets.', { headers: ['Allow'] }),
  IdempotencyConflict: problem(
    'IDEMPOTENCY_CONFLICT',
    409,
    'The key was used with another body within 72 hours. Nothing is stored.',
  ),
  PayloadTooLarge: problem('PAYLOAD_TOO_LARGE', 413, 'The body is larger than 64 KiB.'),
  UnsupportedMediaType: problem(
    'MALFORMED_JSON',
    415,
    'Another media type than application/json, another charset than UTF-8, or a Content-Encoding.',
    { detail: 'Send Content-Type: application/json in UTF-8, without a Content-Encoding.' },
  ),
  InternalError: problem('INTERNAL_ERROR', 500, 'A mistake of ours. Send the same again, once.'),
  ServiceUnavailable: problem(
    'SERVICE_UNAVAILABLE',
    503,
    'Not now. Wait for `Retry-After` seconds, then send the same again with the same key.',
    { headers: ['RetryAfter'] },
  ),
  RefusedAtTheDoor: problemResponse({
    status: undefined,
    description: refusedAtTheDoor,
    codes: ['MALFORMED_JSON', 'PAYLOAD_TOO_LARGE', 'SERVICE_UNAVAILABLE'],
    examples: problemExample('PAYLOAD_TOO_LARGE', {
      status: 431,
      detail: 'The request headers are longer than 16 KiB.',
    }),
  }),
  LegacyRefused: legacyError(
    'Not a JSON object, a required field is missing, or a value cannot be read. Nothing is stored.',
    'payload.newUserId is missing',
  ),
  LegacyUnauthorized: legacyError('No valid access token.', 'a valid bearer token is needed', [
    'WwwAuthenticate',
  ]),
  LegacySuspended: legacyError(
    'The tenant of the token is suspended. Nothing is stored.',
    'the tenant of this token is suspended; nothing was stored',
  ),
  LegacyTooMany: legacyError(
    'More than the tenant, or this address, may send. Nothing is stored; send it again later.',
    'this tenant has sent more events than it may; send the event again later',
    ['RetryAfter'],
  ),
  LegacyWrongMethod: legacyError('What another method than POST gets.', 'only POST is allowed', [
    'Allow',
  ]),
  LegacyTooLarge: legacyError(
    'The body is larger than 64 KiB.',
    'the body is larger than 65536 bytes',
  ),
  LegacyInternalError: legacyError('A mistake of ours.', 'an internal error occurred'),
  LegacyEncoded: legacyError(
    'The body is compressed or otherwise encoded.',
    'the body is not JSON in UTF-8; send it without a Content-Encoding',
  ),
  LegacyUnavailable: legacyError(
    'Zero or one event is stored. Wait for `Retry-After` seconds, then send it again.',
    'the service is not available now; send the event again',
    ['RetryAfter'],
  ),
  LegacyRefusedAtTheDoor: legacyError(
    refusedAtTheDoor,
    'the request headers are longer than 16 KiB',
  ),
} satisfies Record<string, Json>;

export type ResponseName = keyof typeof responses;
