import { type TSchema, Type } from '@sinclair/typebox';
import { CampaignRule, Credits } from '../campaign-rule.ts';
import { CampaignRevisionRecord } from '../catalog-record.ts';
import { currencyCodes } from '../currency.ts';
import { closeSchema } from './closed-schema.ts';
import { anyText, identifier, printableText } from './text-fields.ts';

// A campaign as it is written: the shapes of the record, closed, in the words of a request. What a
// schema cannot say is in the portal's domain/validate-rules.ts.

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

export const CampaignBody = Type.Object(
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
  { additionalProperties: false, title: 'Campaign' },
);
