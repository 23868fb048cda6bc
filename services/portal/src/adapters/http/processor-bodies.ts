import { Type } from '@sinclair/typebox';
import { ProcessorConnectionRecord } from '@tributary/contracts/catalog-record';
import { TaxPolicy } from '@tributary/contracts/processor-record';
import type { Violation } from '@tributary/contracts/violation';
import { createBodyReader } from './body.ts';
import { anyText, printableText } from './fields.ts';
import { instant, judgeInstant, toUtc } from './instant.ts';

/** Request bodies about connections to a payment processor and what came of them. */
const closed = { additionalProperties: false };
const by = printableText(255);

/** A publishable one (pk_…) is in web pages, and reads nothing. */
const apiKey = () =>
  Type.RegExp(/^(?:rk|sk)_(?:live|test)_\w{1,240}$/, {
    expected:
      'a restricted or secret key of Stripe, whole: rk_live_…, rk_test_…, sk_live_…, sk_test_…',
  });
const signingSecret = () =>
  Type.RegExp(/^[\x21-\x7e]{8,255}$/, {
    expected: 'the signing secret of an endpoint, such as whsec_…, without blanks',
  });

const apiVersion = () =>
  Type.RegExp(new RegExp(ProcessorConnectionRecord.properties.apiVersion.pattern ?? ''), {
    expected: "a version of Stripe's API, such as 2025-03-31.basil",
  });

export const readConnectBody = createBodyReader(
  Type.Object(
    {
      apiKey: apiKey(),
      apiVersion: Type.Optional(apiVersion()),
      taxPolicy: Type.Optional(TaxPolicy),
      signingSecret: Type.Optional(signingSecret()),
      endpointId: Type.Optional(
        Type.RegExp(/^\w{3,255}$/, { expected: 'the id of an endpoint at Stripe, such as we_…' }),
      ),
      by: Type.Optional(by),
    },
    closed,
  ),
  ({ endpointId, signingSecret: secret }) =>
    endpointId !== undefined && secret === undefined ? [secretMissing] : [],
);

const secretMissing: Violation = {
  pointer: '/signingSecret',
  code: 'REQUIRED',
  detail: 'must be given with endpointId: Stripe shows it for an endpoint that was made by hand',
};

const readRotate = createBodyReader(
  Type.Object(
    {
      overlapHours: Type.Optional(Type.Integer({ minimum: 0, maximum: 720 })),
      signingSecret: Type.Optional(signingSecret()),
      by: Type.Optional(by),
    },
    closed,
  ),
);

/** Stripe goes on for up to three days with what it could not deliver. */
export function readProcessorRotateBody(body: unknown) {
  const { overlapHours = 72, ...rest } = readRotate(body);
  return { overlapHours, ...rest };
}

export const readRepairBody = createBodyReader(
  Type.Object(
    {
      apiKey: Type.Optional(apiKey()),
      signingSecret: Type.Optional(signingSecret()),
      by: Type.Optional(by),
    },
    closed,
  ),
);

export const readDisconnectBody = createBodyReader(
  Type.Object({ by, reason: anyText(1_000), force: Type.Optional(Type.Boolean()) }, closed),
);

const readReconcile = createBodyReader(
  Type.Object(
    {
      kind: Type.Union([
        Type.Literal('invoices'),
        Type.Literal('sessions'),
        Type.Literal('refunds'),
      ]),
      since: instant(),
      append: Type.Optional(Type.Boolean()),
      cursor: Type.Optional(printableText(1_000)),
      lookBackDays: Type.Optional(Type.Integer({ minimum: 0, maximum: 3_650 })),
    },
    closed,
  ),
  ({ since }) => (since === undefined ? [] : judgeInstant(since, '/since')),
);

/** Nothing is appended unless it is asked for. */
export function readReconcileBody(body: unknown) {
  const { since, append = false, ...rest } = readReconcile(body);
  return { ...rest, append, since: toUtc(since) };
}

const readRetry = createBodyReader(
  Type.Object(
    {
      reason: Type.Optional(
        Type.RegExp(/^[a-z-]{1,40}$/, { expected: 'the reason of an item, such as no-metadata' }),
      ),
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000 })),
    },
    closed,
  ),
  ({ reason }) => (reason === 'unknown-code' ? [notStripes] : []),
);

const notStripes: Violation = {
  pointer: '/reason',
  code: 'INVALID_ENUM',
  detail: 'must not be unknown-code: nothing of it is at Stripe, and it ends when the code appears',
};

export function readRetryBody(body: unknown): { reason?: string; limit: number } {
  const { limit = 500, ...rest } = readRetry(body);
  return { ...rest, limit };
}
