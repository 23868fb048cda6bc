import { type TSchema, Type } from '@sinclair/typebox';
import { CampaignRule, Credits } from '@tributary/contracts/campaign-rule';
import { CampaignRevisionRecord } from '@tributary/contracts/catalog-record';
import { currencyCodes } from '@tributary/contracts/currency';
import { parseTimestamp } from '@tributary/contracts/rfc3339';
import type { Violation } from '@tributary/contracts/violation';
import { type Environment, judgeLandingUrl } from '../../domain/addresses.ts';
import type { CampaignDraft } from '../../domain/campaign-draft.ts';
import { judgeDiscount, judgeRules } from '../../domain/judge-rules.ts';
import { createBodyJudge, type Judgement, refusalOf, soundMembers } from './body.ts';
import { closeSchema } from './closed-schema.ts';
import { anyText, identifier, printableText } from './fields.ts';

// A campaign as it is written: the shapes of the record, closed, in the words of a request. What a
// schema cannot say is in domain/judge-rules.ts.

const currency = 'an uppercase ISO 4217 currency code such as "EUR"';
const credits = {
  ...Credits,
  expected:
    'a decimal number above 0 with at most 18 digits and 6 decimals, in a string such as "10" or "2.50"',
};

/** One optional member for each currency, so that every wrong one is told. */
function byCurrency<S extends TSchema>(value: S, expected: string) {
  const members = currencyCodes.map((code) => [code, Type.Optional(value)] as const);
  return Type.Object(Object.fromEntries(members), {
    additionalProperties: false,
    minProperties: 1,
    expected,
    unknownMember: `is no currency: must be ${currency}`,
  });
}

const Rule = closeSchema(CampaignRule, {
  ruleId: identifier(),
  credits,
  creditsPerMajorUnit: byCurrency(
    credits,
    'an object that gives the credits for one major unit by currency, such as {"EUR": "1"}',
  ),
  currencies: Type.Array(
    Type.RegExp(new RegExp(`^(${currencyCodes.join('|')})$`), { expected: currency, isList: true }),
    { minItems: 1 },
  ),
  minimumAmounts: byCurrency(
    Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
    'an object that gives an amount in minor units by currency, such as {"EUR": 1000} for 10 EUR',
  ),
  productKeys: Type.Array(anyText(255), { minItems: 1 }),
});

const { attributionWindowDays, referralLoops, existingUsers, ruleMatching } =
  CampaignRevisionRecord.properties;
const { newUserDiscountBasisPoints, newUserDiscountMonth } = CampaignRevisionRecord.properties;

const CampaignBody = Type.Object(
  {
    name: printableText(255),
    status: Type.Optional(CampaignRevisionRecord.properties.status),
    effectiveFrom: Type.Optional(
      Type.String({
        expected: 'an RFC 3339 date-time with an offset, such as 2026-03-01T12:00:00Z',
      }),
    ),
    landingUrl: Type.String({ maxLength: 2048, expected: 'an address of up to 2048 characters' }),
    creditScale: Type.Optional(CampaignRevisionRecord.properties.creditScale),
    attributionWindowDays,
    referralLoops,
    existingUsers,
    ruleMatching,
    newUserDiscountBasisPoints,
    newUserDiscountMonth,
    rules: Type.Array(Rule, { maxItems: 100 }),
  },
  { additionalProperties: false },
);

const defaultCreditScale = 0;
const lastInstantMs = Date.parse('9999-12-31T23:59:59.999Z');

/** Gives the draft, or every mistake. */
export function createCampaignJudge(
  environment: Environment,
): (body: unknown) => Judgement<CampaignDraft> {
  const judgeBody = createBodyJudge(CampaignBody, (sound, misshapen, body) => {
    const { landingUrl, effectiveFrom, creditScale = defaultCreditScale } = sound;
    const scale = misshapen.has('/creditScale') ? undefined : creditScale;
    return [
      ...(landingUrl === undefined ? [] : judgeLandingUrl(landingUrl, '/landingUrl', environment)),
      ...(effectiveFrom === undefined ? [] : judgeStart(effectiveFrom)),
      ...judgeDiscount(sound),
      ...judgeRules(soundRules(body, misshapen), scale),
    ];
  });

  return (body) => {
    const judgement = judgeBody(body);
    if (!('value' in judgement)) return judgement;
    const { status = 'running', creditScale = defaultCreditScale, ...rest } = judgement.value;
    const start = rest.effectiveFrom;
    const effectiveFrom = start === undefined ? undefined : toUtc(start);
    return { violations: [], value: { ...rest, status, creditScale, effectiveFrom } };
  };
}

/** @throws {Refusal} VALIDATION_ERROR */
export function createCampaignReader(environment: Environment): (body: unknown) => CampaignDraft {
  const judgeCampaign = createCampaignJudge(environment);
  return (body) => {
    const judgement = judgeCampaign(body);
    if ('value' in judgement) return judgement.value;
    throw refusalOf(judgement.violations);
  };
}

/** Keeps the members of each rule that have no mistake, so that one mistake hides no other. */
function soundRules(body: unknown, misshapen: ReadonlySet<string>): Partial<CampaignRule>[] {
  const rules = (body as { rules?: unknown } | null)?.rules;
  if (!Array.isArray(rules) || misshapen.has('/rules')) return [];
  return rules.map((rule, i) => soundMembers(rule, `/rules/${i}`, misshapen));
}

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
