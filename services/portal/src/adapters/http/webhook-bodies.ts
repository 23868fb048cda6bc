import { Type } from '@sinclair/typebox';
import { type Environment, judgeWebhookUrl } from '../../domain/addresses.ts';
import { createBodyReader } from './body.ts';
import { anyText, basicUsername, printableText } from './fields.ts';
import { instant, judgeInstant, toUtc } from './instant.ts';

/** Request bodies about a tenant's webhook. */
const closed = { additionalProperties: false };
const by = printableText(255);

export function createWebhookReader(environment: Environment) {
  return createBodyReader(
    Type.Object(
      {
        url: Type.String({ maxLength: 2048, expected: 'an address of up to 2048 characters' }),
        username: Type.Optional(basicUsername()),
        password: Type.Optional(printableText(255)),
      },
      closed,
    ),
    ({ url }) => (url === undefined ? [] : judgeWebhookUrl(url, '/url', environment)),
  );
}

/** Whoever stops an endpoint says why: others will want to know. */
export const readStopBody = createBodyReader(Type.Object({ by, reason: anyText(1_000) }, closed));

export const readResumeBody = createBodyReader(
  Type.Object({ by, reason: Type.Optional(anyText(1_000)) }, closed),
);

const readRotate = createBodyReader(
  Type.Object({ overlapHours: Type.Optional(Type.Integer({ minimum: 0, maximum: 720 })) }, closed),
);

export function readRotateBody(body: unknown): { overlapHours: number } {
  const { overlapHours = 24 } = readRotate(body);
  return { overlapHours };
}

const readRecover = createBodyReader(
  Type.Object(
    { by, note: Type.Optional(anyText(1_000)), since: instant(), until: Type.Optional(instant()) },
    closed,
  ),
  ({ since, until }) => [
    ...(since === undefined ? [] : judgeInstant(since, '/since')),
    ...(until === undefined ? [] : judgeInstant(until, '/until')),
  ],
);

/** Times as UTC with milliseconds. */
export function readRecoverBody(body: unknown) {
  const { since, until, ...said } = readRecover(body);
  return { ...said, since: toUtc(since), ...(until !== undefined && { until: toUtc(until) }) };
}
