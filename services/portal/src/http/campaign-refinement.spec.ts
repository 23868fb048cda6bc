import { catalogCodec, catalogSchemaVersion } from '@tributary/contracts/catalog-record';
import { expect } from 'chai';
import fc from 'fast-check';
import { warningsOfCampaign } from '../catalog/domain/campaign-warnings.ts';
import { describeCampaign } from '../catalog/domain/describe-campaign.ts';
import { createCampaignValidator, createCampaignReader } from './campaign-refinement.ts';
import { Refusal } from './refusal.ts';

const validate = createCampaignValidator('prod');
const rule = {
  ruleId: 'r1',
  trigger: 'purchase-created',
  recipient: 'referrer',
  effect: { kind: 'fixed', credits: '10' },
};
const campaign = { name: 'Spring', landingUrl: 'https://example.com/', rules: [rule] };

/** Every member that a campaign can have. */
const whole = {
  ...campaign,
  status: 'stopped',
  effectiveFrom: '2030-01-01T00:00:00.000Z',
  creditScale: 2,
  attributionWindowDays: 90,
  referralLoops: 'review',
  existingUsers: 'exclude',
  ruleMatching: 'first',
  newUserDiscountBasisPoints: 1000,
  newUserDiscountMonth: 3,
  rules: [
    {
      ruleId: 'share',
      trigger: 'purchase-created',
      recipient: 'both',
      effect: {
        kind: 'tiered',
        tiers: [
          { fromCount: 1, effect: { kind: 'fixed', credits: '2.50' } },
          {
            fromCount: 5,
            effect: { kind: 'percent', basisPoints: 1000, creditsPerMajorUnit: { EUR: '1' } },
          },
        ],
      },
      newUserEffect: {
        kind: 'percent',
        basisPoints: 500,
        creditsPerMajorUnit: { EUR: '1', JPY: '0.006125' },
      },
      conditions: {
        intervals: ['monthly', 'yearly'],
        productKeys: ['team'],
        currencies: ['EUR', 'JPY'],
        minimumAmounts: { EUR: 1000, JPY: 0 },
        minimumSeats: 5,
      },
      limits: {
        firstPurchases: 12,
        months: 12,
        perRecipient: [{ period: 'month', credits: '100.00', count: 10 }],
      },
      holdDays: 14,
      refundPolicy: 'full',
    },
  ],
};

describe('a campaign as it is written', () => {
  it('fills in what is left open, and nothing else', () => {
    expect(validate(campaign)).to.deep.equal({
      violations: [],
      value: { ...campaign, status: 'running', creditScale: 0, effectiveFrom: undefined },
    });
  });

  it('takes every member', () => {
    expect(validate(whole)).to.deep.equal({ violations: [], value: whole });
  });

  it('keeps an effectiveFrom as UTC with milliseconds', () => {
    const effectiveFrom = '2030-01-01T01:00:00.1239+01:00';
    expect(validate({ ...campaign, effectiveFrom })).to.have.nested.property(
      'value.effectiveFrom',
      '2030-01-01T00:00:00.123Z',
    );
  });

  it('is closed at every level', () => {
    for (const pointer of objectsIn(whole)) {
      const wrong = changed(whole, `${pointer}/colour`, 'red');
      expect(found(wrong), pointer).to.deep.equal([[`${pointer}/colour`, 'UNKNOWN_FIELD']]);
    }
  });

  it('asks at every member for its own type, whatever else is wrong', () => {
    for (const pointer of valuesIn(whole)) {
      const mistakes = found(changed(whole, pointer, {}));
      // A kind that is no text tells no form of effect.
      expect(mistakes, pointer).to.deep.include([pointer, 'INVALID_TYPE']);
    }
  });

  /** What is changed, where, to what; the mistake that is told, and a word of its detail. */
  const shapes: [string, string, unknown, string, string, RegExp][] = [
    ['a name that is empty', '/name', '', '/name', 'OUT_OF_RANGE', /1 to 255/],
    ['an unknown status', '/status', 'on', '/status', 'INVALID_ENUM', /"running", "stopped"/],
    ['no date', '/effectiveFrom', 'now', '/effectiveFrom', 'INVALID_FORMAT', /RFC 3339/],
    ['a scale of 7', '/creditScale', 7, '/creditScale', 'OUT_OF_RANGE', /from 0 to 6/],
    [
      'a window of 0 days',
      '/attributionWindowDays',
      0,
      '/attributionWindowDays',
      'OUT_OF_RANGE',
      /from 1 to 36500/,
    ],
    [
      'an unknown loop rule',
      '/referralLoops',
      'no',
      '/referralLoops',
      'INVALID_ENUM',
      /"reject", "review", "allow"/,
    ],
    [
      'another existingUsers',
      '/existingUsers',
      'no',
      '/existingUsers',
      'INVALID_ENUM',
      /"include", "exclude"/,
    ],
    [
      'another matching',
      '/ruleMatching',
      'last',
      '/ruleMatching',
      'INVALID_ENUM',
      /"all", "first"/,
    ],
    [
      'a discount above all',
      '/newUserDiscountBasisPoints',
      10_001,
      '/newUserDiscountBasisPoints',
      'OUT_OF_RANGE',
      /to 10000/,
    ],
    [
      'too many months',
      '/newUserDiscountMonth',
      1_201,
      '/newUserDiscountMonth',
      'OUT_OF_RANGE',
      /to 1200/,
    ],
    [
      'a scale beyond any range',
      '/creditScale',
      10n ** 20n,
      '/creditScale',
      'OUT_OF_RANGE',
      /from 0 to 6/,
    ],
    [
      'a ruleId with a colon',
      '/rules/0/ruleId',
      'a:b',
      '/rules/0/ruleId',
      'INVALID_FORMAT',
      /letters/,
    ],
    [
      'an unknown trigger',
      '/rules/0/trigger',
      'demo',
      '/rules/0/trigger',
      'INVALID_ENUM',
      /"demo-attended"/,
    ],
    [
      'an unknown recipient',
      '/rules/0/recipient',
      'all',
      '/rules/0/recipient',
      'INVALID_ENUM',
      /"both"/,
    ],
    [
      'an unknown kind',
      '/rules/0/effect/kind',
      'gift',
      '/rules/0/effect/kind',
      'INVALID_ENUM',
      /"fixed", "percent", "tiered"/,
    ],
    ['no kind', '/rules/0/effect/kind', undefined, '/rules/0/effect/kind', 'REQUIRED', /"fixed"/],
    [
      'a text for an effect',
      '/rules/0/effect',
      'x',
      '/rules/0/effect',
      'INVALID_TYPE',
      /an object whose kind/,
    ],
    ['no tiers', '/rules/0/effect/tiers', [], '/rules/0/effect/tiers', 'OUT_OF_RANGE', /1 to 20/],
    [
      'a tier in a tier',
      '/rules/0/effect/tiers/0/effect/kind',
      'tiered',
      '/rules/0/effect/tiers/0/effect/kind',
      'INVALID_ENUM',
      /"fixed", "percent"/,
    ],
    [
      'credits of 0',
      '/rules/0/effect/tiers/0/effect/credits',
      '0.00',
      '/rules/0/effect/tiers/0/effect/credits',
      'INVALID_FORMAT',
      /above 0/,
    ],
    [
      'credits as a number',
      '/rules/0/effect/tiers/0/effect/credits',
      10,
      '/rules/0/effect/tiers/0/effect/credits',
      'INVALID_TYPE',
      /in a string/,
    ],
    [
      'seven decimals',
      '/rules/0/newUserEffect/creditsPerMajorUnit/JPY',
      '0.0000001',
      '/rules/0/newUserEffect/creditsPerMajorUnit/JPY',
      'INVALID_FORMAT',
      /6 decimals/,
    ],
    [
      'no share',
      '/rules/0/newUserEffect/basisPoints',
      0,
      '/rules/0/newUserEffect/basisPoints',
      'OUT_OF_RANGE',
      /from 1/,
    ],
    [
      'no rates',
      '/rules/0/newUserEffect/creditsPerMajorUnit',
      {},
      '/rules/0/newUserEffect/creditsPerMajorUnit',
      'OUT_OF_RANGE',
      /by currency/,
    ],
    [
      'a rate of no currency',
      '/rules/0/newUserEffect/creditsPerMajorUnit/XYZ',
      '1',
      '/rules/0/newUserEffect/creditsPerMajorUnit/XYZ',
      'UNKNOWN_FIELD',
      /ISO 4217/,
    ],
    [
      'a currency in lower case',
      '/rules/0/conditions/currencies/0',
      'eur',
      '/rules/0/conditions/currencies/0',
      'INVALID_ENUM',
      /uppercase ISO 4217/,
    ],
    [
      'a currency of the past',
      '/rules/0/conditions/minimumAmounts/HRK',
      1,
      '/rules/0/conditions/minimumAmounts/HRK',
      'UNKNOWN_FIELD',
      /ISO 4217/,
    ],
    [
      'an amount below 0',
      '/rules/0/conditions/minimumAmounts/EUR',
      -1,
      '/rules/0/conditions/minimumAmounts/EUR',
      'OUT_OF_RANGE',
      /from 0/,
    ],
    [
      'an unknown interval',
      '/rules/0/conditions/intervals/1',
      'daily',
      '/rules/0/conditions/intervals/1',
      'INVALID_ENUM',
      /"monthly"/,
    ],
    [
      'an empty list',
      '/rules/0/conditions/productKeys',
      [],
      '/rules/0/conditions/productKeys',
      'OUT_OF_RANGE',
      /at least one/,
    ],
    [
      'a product key with NUL',
      '/rules/0/conditions/productKeys/0',
      'a\0',
      '/rules/0/conditions/productKeys/0',
      'INVALID_FORMAT',
      /1 to 255/,
    ],
    [
      'no seat',
      '/rules/0/conditions/minimumSeats',
      0,
      '/rules/0/conditions/minimumSeats',
      'OUT_OF_RANGE',
      /from 1/,
    ],
    [
      'half a purchase',
      '/rules/0/limits/firstPurchases',
      0.5,
      '/rules/0/limits/firstPurchases',
      'INVALID_TYPE',
      /whole number/,
    ],
    [
      'no month',
      '/rules/0/limits/months',
      0,
      '/rules/0/limits/months',
      'OUT_OF_RANGE',
      /from 1 to 1200/,
    ],
    [
      'an unknown period',
      '/rules/0/limits/perRecipient/0/period',
      'year',
      '/rules/0/limits/perRecipient/0/period',
      'INVALID_ENUM',
      /"lifetime"/,
    ],
    [
      'no reward',
      '/rules/0/limits/perRecipient/0/count',
      0,
      '/rules/0/limits/perRecipient/0/count',
      'OUT_OF_RANGE',
      /from 1/,
    ],
    [
      'a hold before today',
      '/rules/0/holdDays',
      -1,
      '/rules/0/holdDays',
      'OUT_OF_RANGE',
      /from 0 to 3650/,
    ],
    [
      'an unknown refund policy',
      '/rules/0/refundPolicy',
      'half',
      '/rules/0/refundPolicy',
      'INVALID_ENUM',
      /"proportional", "full", "keep"/,
    ],
    [
      'too many rules',
      '/rules',
      Array.from({ length: 101 }, () => rule),
      '/rules',
      'OUT_OF_RANGE',
      /up to 100/,
    ],
  ];
  for (const [what, at, value, pointer, code, detail] of shapes) {
    it(`refuses ${what} at ${pointer} and says what would be right`, () => {
      const mistakes = validate(changed(whole, at, value)).violations;
      const shown = mistakes.find((mistake) => mistake.pointer === pointer);
      expect(shown, JSON.stringify(mistakes)).to.include({ code });
      expect(shown?.detail).to.match(detail);
    });
  }

  it('tells the mistakes of shape and those of sense together, also within one rule', () => {
    const body = {
      ...campaign,
      creditScale: 1,
      colour: 'red',
      rules: [
        { ...rule, holdDays: -1, effect: { kind: 'fixed', credits: '2.50' } },
        { ...rule, trigger: 'signup-created', recipient: 'both', refundPolicy: 'half' },
      ],
    };
    expect(found(body)).to.have.deep.members([
      ['/colour', 'UNKNOWN_FIELD'],
      ['/rules/0/holdDays', 'OUT_OF_RANGE'],
      ['/rules/0/effect/credits', 'OUT_OF_RANGE'],
      ['/rules/1/refundPolicy', 'INVALID_ENUM'],
      ['/rules/1/ruleId', 'INVALID_FORMAT'],
      ['/rules/1/newUserEffect', 'REQUIRED'],
    ]);
  });

  it('does not validate decimals by a scale that is no scale', () => {
    expect(found({ ...campaign, creditScale: 'x' })).to.deep.equal([
      ['/creditScale', 'INVALID_TYPE'],
    ]);
  });

  it('tells every mistake to a check, and the first 20 of them to a put (interface 2.8)', () => {
    const rules = Array.from({ length: 30 }, (_, i) => ({
      ...rule,
      ruleId: `r${i}`,
      holdDays: -1,
    }));
    expect(validate({ ...campaign, rules }).violations).to.have.length(30);
    try {
      createCampaignReader('prod')({ ...campaign, rules });
      expect.fail('nothing was refused');
    } catch (error) {
      expect(error).to.be.instanceOf(Refusal);
      const { about } = error as Refusal;
      expect(about.errors).to.have.length(20);
      expect(about.detail).to.contain('first 20 of 30');
    }
  });

  it('is refused with pointers, or can be published and told in words, whatever is changed', () => {
    let valid = 0;
    const anything = fc.oneof(
      fc.jsonValue({ maxDepth: 2 }),
      fc.integer({ min: -1, max: 12_000 }),
      fc.constantFrom('1', '2.5', 'EUR', 'both', 'new-user', 'keep', 'week', 'signup-created'),
      fc.constant(undefined),
    );
    const pointers = [...objectsIn(whole), ...valuesIn(whole)].filter((pointer) => pointer !== '');
    fc.assert(
      fc.property(fc.constantFrom(...pointers), anything, (pointer, value) => {
        const validation = validate(changed(whole, pointer, value));
        if (!('value' in validation)) {
          expect(validation.violations).not.to.have.length(0);
          return;
        }
        valid += 1;
        const { value: draft } = validation;
        catalogCodec.encode({
          ...draft,
          schemaVersion: catalogSchemaVersion,
          entity: 'campaign-revision',
          tenantId: 't1',
          version: 1,
          publishedAt: '2026-01-01T00:00:00.000Z',
          campaignId: 'c1',
          revision: 1,
          effectiveFrom: draft.effectiveFrom ?? '2026-01-01T00:00:00.000Z',
        });
        for (const { sentences } of describeCampaign(draft).rules) {
          expect(sentences.join(' ')).not.to.match(/undefined|NaN|\[object/);
        }
        warningsOfCampaign(draft);
      }),
      { numRuns: 1_000 },
    );
    expect(valid).to.be.above(20);
  });

  it('stops at a thousand mistakes', () => {
    const currencies = Array.from({ length: 9_000 }, () => 'x');
    const rules = [{ ...rule, conditions: { currencies } }, ...Array.from({ length: 99 }, () => 1)];
    const shown = validate({ ...campaign, rules }).violations;
    expect(shown).to.have.length(1_000);
    expect(shown[999]?.pointer).to.equal('/rules/0/conditions/currencies/999');
  });

  it('never repeats what was sent', () => {
    for (const pointer of valuesIn(whole)) {
      const shown = JSON.stringify(validate(changed(whole, pointer, 'canary')).violations);
      expect(shown, pointer).not.to.contain('canary');
    }
  });
});

function found(body: unknown): [string, string][] {
  return validate(body).violations.map(({ pointer, code }) => [pointer, code]);
}

/** Pointers of every object within. */
function objectsIn(value: unknown, at = ''): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const inner = Object.entries(value).flatMap(([name, member]) =>
    objectsIn(member, `${at}/${name}`),
  );
  return Array.isArray(value) ? inner : [at, ...inner];
}

/** Pointers of everything within that is no object. */
function valuesIn(value: unknown, at = ''): string[] {
  if (typeof value !== 'object' || value === null) return [at];
  const inner = Object.entries(value).flatMap(([name, member]) =>
    valuesIn(member, `${at}/${name}`),
  );
  return Array.isArray(value) ? [at, ...inner] : inner;
}

/** A copy with one member set, or taken away. */
function changed(body: object, pointer: string, value: unknown): unknown {
  const copy = structuredClone(body) as Record<string, unknown>;
  const path = pointer.split('/').slice(1);
  const last = path.pop() ?? '';
  const parent = path.reduce((at, name) => at[name] as Record<string, unknown>, copy);
  if (value === undefined) delete parent[last];
  else parent[last] = value;
  return copy;
}
