import { type V2EventType, v2Events } from '@tributary/contracts/public/v2-events';
import { curlSample } from './curl-sample.ts';
import { eventDocs, type Examples } from './event-docs.ts';
import {
  acceptedExamples,
  activeLinkExamples,
  invalidEventExample,
  invalidTokenRequestExample,
  referralCodeExamples,
  tokenExamples,
  tokenRequestExamples,
} from './examples.ts';
import type { Json } from './json-schema.ts';
import { legacyAcceptedExamples, legacyEventExamples } from './legacy-examples.ts';
import { jsonResponse, problemResponse, type ResponseName } from './responses.ts';
import { eventSchemaName, schemaRef } from './schemas.ts';

/** One row per operation of the public API; the document's `paths` are made of it. */
export type Operation = {
  path: string;
  method: 'get' | 'post';
  operationId: string;
  tag: 'Events' | 'Token' | 'Referral codes' | 'Legacy';
  summary: string;
  description: string;
  deprecated?: true;
  /** Only POST /token is asked without a token. */
  anonymous?: true;
  parameters?: readonly string[];
  request?: { schema: string; examples: Examples };
  /** Status → a response of its own, or the name of one that several share. */
  responses: Record<string, Json | ResponseName>;
};

const lookup: Record<string, ResponseName> = {
  '401': 'Unauthorized',
  '403': 'Suspended',
  '405': 'WrongMethod',
  '500': 'InternalError',
  '503': 'ServiceUnavailable',
  default: 'RefusedAtTheDoor',
};

export const operations: readonly Operation[] = [
  {
    path: '/token',
    method: 'post',
    operationId: 'createToken',
    tag: 'Token',
    summary: 'Exchange an access key pair for a token',
    description:
      'The key pair comes from the access-key area of the portal. Keep the token until `expiresIn` ' +
      'seconds are over, and ask for a new one then, or when a request is answered with 401.',
    anonymous: true,
    request: { schema: 'TokenRequest', examples: tokenRequestExamples },
    responses: {
      '201': jsonResponse('The token.', 'TokenResponse', tokenExamples, ['NoStore']),
      '400': 'MalformedJson',
      '401': 'WrongKeyPair',
      '405': 'WrongMethod',
      '413': 'PayloadTooLarge',
      '415': 'UnsupportedMediaType',
      '422': invalid('A field is missing or no string.', invalidTokenRequestExample()),
      '429': 'TooManyRequests',
      '500': 'InternalError',
      '503': 'ServiceUnavailable',
      default: 'RefusedAtTheDoor',
    },
  },
  ...(Object.keys(v2Events) as V2EventType[]).map(eventOperation),
  {
    path: '/referral-codes/{code}',
    method: 'get',
    operationId: 'getReferralCode',
    tag: 'Referral codes',
    summary: 'Look up a code',
    description:
      'Says whether a code is valid, who owns it and which campaign it belongs to. 404 means that ' +
      'the code does not exist (or is not yours): treat it as invalid, it is no failure. HEAD is ' +
      'answered alike, without the body.',
    parameters: ['Code'],
    responses: {
      '200': jsonResponse('The code exists.', 'ReferralCode', referralCodeExamples),
      '404': 'UnknownCode',
      ...lookup,
    },
  },
  {
    path: '/referral-codes/active-link/{productUserId}',
    method: 'get',
    operationId: 'getActiveLink',
    tag: 'Referral codes',
    summary: 'Fetch the active link of a user',
    description:
      'A valid code of the user and the invite link with it, for contextual sharing. HEAD is ' +
      'answered alike, without the body.',
    parameters: ['ProductUserId'],
    responses: {
      '200': jsonResponse('The user has a valid code.', 'ActiveLink', activeLinkExamples),
      '404': 'NoActiveLink',
      ...lookup,
    },
  },
  {
    path: '/events',
    method: 'post',
    operationId: 'createLegacyEvent',
    tag: 'Legacy',
    summary: 'Report an event, the old way',
    description:
      'Frozen, for integrations that exist; new ones use `/v2/events`. It reads by tolerance: ' +
      'unknown fields are ignored, numbers may be texts, a timestamp without an offset is UTC. It ' +
      'has no idempotency key and no problem documents. The business fact counts once across both ' +
      'endpoints, by `invoiceId` for a payment and by user for a signup.',
    deprecated: true,
    request: { schema: 'LegacyEvent', examples: legacyEventExamples },
    responses: {
      '200': jsonResponse('Durably written.', 'LegacyAccepted', legacyAcceptedExamples),
      '400': 'LegacyRefused',
      '401': 'LegacyUnauthorized',
      '403': 'LegacySuspended',
      '405': 'LegacyWrongMethod',
      '413': 'LegacyTooLarge',
      '415': 'LegacyEncoded',
      '429': 'LegacyTooMany',
      '500': 'LegacyInternalError',
      '503': 'LegacyUnavailable',
      default: 'LegacyRefusedAtTheDoor',
    },
  },
];

/** Every v2 event has the same answers; what it takes is in the contract's table. */
function eventOperation(type: V2EventType): Operation {
  const { summary, description, examples } = eventDocs[type];
  const schema = eventSchemaName(type);
  return {
    path: `/v2/events/${type}`,
    method: 'post',
    operationId: `create${schema}Event`,
    tag: 'Events',
    summary,
    description,
    parameters: ['IdempotencyKey'],
    request: { schema, examples },
    responses: {
      '202': jsonResponse(
        'Validated and durably written. Attribution and rewards run afterwards.',
        'Accepted',
        acceptedExamples,
      ),
      '400': 'BadEventRequest',
      '401': 'Unauthorized',
      '403': 'Suspended',
      '404': 'UnknownEventType',
      '405': 'EventsArePosted',
      '409': 'IdempotencyConflict',
      '413': 'PayloadTooLarge',
      '415': 'UnsupportedMediaType',
      '422': invalid(
        'The body breaks the contract; every violation is listed, up to 20. Nothing is stored.',
        invalidEventExample(type),
      ),
      '429': 'TooManyRequests',
      '500': 'InternalError',
      '503': 'ServiceUnavailable',
      default: 'RefusedAtTheDoor',
    },
  };
}

function invalid(description: string, examples: Examples): Json {
  return problemResponse({ status: 422, description, codes: ['VALIDATION_ERROR'], examples });
}

/** One operation as the document has it. */
export function toOperationObject(operation: Operation): Json {
  const { operationId, tag, summary, description, deprecated, anonymous } = operation;
  const { parameters = [], request } = operation;
  return {
    operationId,
    tags: [tag],
    summary,
    description,
    ...(deprecated && { deprecated }),
    ...(anonymous && { security: [] }),
    ...(parameters.length > 0 && {
      parameters: parameters.map((name) => ({ $ref: `#/components/parameters/${name}` })),
    }),
    ...(request && {
      requestBody: {
        required: true,
        content: {
          'application/json': { schema: schemaRef(request.schema), examples: request.examples },
        },
      },
    }),
    responses: Object.fromEntries(
      Object.entries(operation.responses).map(([status, response]) => [
        status,
        typeof response === 'string' ? { $ref: `#/components/responses/${response}` } : response,
      ]),
    ),
    'x-codeSamples': [curlSample(operation)],
  };
}
