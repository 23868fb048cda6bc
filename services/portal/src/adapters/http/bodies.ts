import { Type } from '@sinclair/typebox';
import { CampaignRule, Credits } from '@tributary/contracts/catalog-record';
import { parseTimestamp } from '@tributary/contracts/rfc3339';
import { isDerivedUccForm } from '@tributary/contracts/ucc';
import type { Violation } from '@tributary/contracts/violation';
import { type Environment, judgeLandingUrl, judgeWebhookUrl } from '../../domain/addresses.ts';
import { judgeRules } from '../../domain/campaign-draft.ts';
import { createBodyReader } from './body.ts';
import { anyText, basicUsername, identifier, printableText } from './fields.ts';

/** The request bodies of the admin API. All closed: an undeclared field is refused. */
const closed = { additionalProperties: false };
const defaultCreditScale = 0;
const lastInstantMs = Date.parse('9999-12-31T23:59:59.999Z');

export const readTenantBody = createBodyReader(
  Type.Object({ name: printableText(255), tenantId: Type.Optional(identifier()) }, closed),
);

export const readEmptyBody = createBodyReader(Type.Object({}, closed));

const Rule = Type.Object(
  {
    ...CampaignRule.properties,
    ruleId: identifier(),
    effect: Type.Object(
      {
        ...CampaignRule.properties.effect.properties,
        credits: {
          ...Credits,
          expected: 'a decimal number above 0 in a string, such as "10" or "2.50"',
        },
      },
      closed,
    ),
  },
  closed,
);

const CampaignBody = Type.Object(
  {
    name: printableText(255),
    status: Type.Optional(Type.Union([Type.Literal('running'), Type.Literal('stopped')])),
    effectiveFrom: Type.Optional(Type.String({ expected: 'an RFC 3339 date-time with an offset' })),
    landingUrl: Type.String({ maxLength: 2048, expected: 'an address of up to 2048 characters' }),
    creditScale: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 6, expected: 'a whole number from 0 to 6' }),
    ),
    rules: Type.Array(Rule, { maxItems: 100, expected: 'an array of up to 100 rules' }),
  },
  closed,
);

export function createCampaignReader(environment: Environment) {
  const read = createBodyReader(
    CampaignBody,
    ({ landingUrl, effectiveFrom, creditScale, rules }) => [
      ...(landingUrl === undefined ? [] : judgeLandingUrl(landingUrl, '/landingUrl', environment)),
      ...(effectiveFrom === undefined ? [] : judgeStart(effectiveFrom)),
      ...(rules === undefined ? [] : judgeRules(rules, creditScale ?? defaultCreditScale)),
    ],
  );
  return (body: unknown) => {
    const { name, status = 'running', effectiveFrom, landingUrl, ...rest } = read(body);
    const { creditScale = defaultCreditScale, rules } = rest;
    const start = effectiveFrom === undefined ? undefined : toUtc(effectiveFrom);
    return { name, status, effectiveFrom: start, landingUrl, creditScale, rules };
  };
}

export const readDefaultCampaignBody = createBodyReader(
  Type.Object({ campaignId: identifier() }, closed),
);

export const readCodeBody = createBodyReader(
  Type.Object(
    {
      productUserId: anyText(255),
      campaignId: Type.Optional(identifier()),
      ucc: Type.Optional(printableText(255)),
    },
    closed,
  ),
  ({ ucc }) => (ucc !== undefined && isDerivedUccForm(ucc) ? [derivedForm] : []),
);

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

const derivedForm: Violation = {
  pointer: '/ucc',
  code: 'INVALID_FORMAT',
  detail: 'must not be 11 letters and digits: that form is kept for codes made by the service',
};

function judgeStart(text: string): Violation[] {
  const pointer = '/effectiveFrom';
  const instant = parseTimestamp(text);
  if (instant === undefined) {
    const detail = 'must be an RFC 3339 date-time with an offset, such as 2026-03-01T12:00:00Z';
    return [{ pointer, code: 'INVALID_FORMAT', detail }];
  }
  if (instant.epochMs <= lastInstantMs) return [];
  return [{ pointer, code: 'OUT_OF_RANGE', detail: 'must lie before the year 10000' }];
}

function toUtc(text: string): string {
  return new Date(Math.floor(parseTimestamp(text)?.epochMs ?? NaN)).toISOString();
}
