import type { Violation } from '@tributary/contracts/violation';
import { expect } from 'chai';
import {
  createCampaignReader,
  createWebhookReader,
  readCodeBody,
  readTenantBody,
} from './bodies.ts';
import { Refusal } from './refusal.ts';

const readCampaign = createCampaignReader('prod');
const rule = {
  ruleId: 'r1',
  trigger: 'purchase-created',
  recipient: 'referrer',
  effect: { kind: 'fixed', credits: '10' },
};
const campaign = { name: 'Spring', landingUrl: 'https://example.com/', rules: [rule] };

describe('request bodies', () => {
  it('fills in what a campaign leaves open', () => {
    expect(readCampaign(campaign)).to.deep.equal({
      ...campaign,
      status: 'running',
      creditScale: 0,
      effectiveFrom: undefined,
    });
  });

  it('keeps an effectiveFrom as UTC with milliseconds', () => {
    const { effectiveFrom } = readCampaign({
      ...campaign,
      effectiveFrom: '2030-01-01T01:00:00.1239+01:00',
    });
    expect(effectiveFrom).to.equal('2030-01-01T00:00:00.123Z');
  });

  it('reports every mistake of a request at once, each with its pointer', () => {
    const body = {
      status: 'paused',
      effectiveFrom: '2030-01-01 00:00:00',
      landingUrl: 'http://example.com/',
      creditScale: 7,
      colour: 'red',
      rules: [
        { ...rule, trigger: 'demo', effect: { kind: 'fixed', credits: 10, per: 1 } },
        { ...rule, ruleId: 'a:b', recipient: 1, effect: { kind: 'fixed', credits: '0.00' } },
      ],
    };
    expect(pointersAndCodes(() => readCampaign(body))).to.have.deep.members([
      ['/name', 'REQUIRED'],
      ['/status', 'INVALID_ENUM'],
      ['/effectiveFrom', 'INVALID_FORMAT'],
      ['/landingUrl', 'INVALID_FORMAT'],
      ['/creditScale', 'OUT_OF_RANGE'],
      ['/colour', 'UNKNOWN_FIELD'],
      ['/rules/0/trigger', 'INVALID_ENUM'],
      ['/rules/0/effect/credits', 'INVALID_TYPE'],
      ['/rules/0/effect/per', 'UNKNOWN_FIELD'],
      ['/rules/1/ruleId', 'INVALID_FORMAT'],
      ['/rules/1/recipient', 'INVALID_TYPE'],
      ['/rules/1/effect/credits', 'INVALID_FORMAT'],
    ]);
  });

  it('lists at most 20 violations and says when there are more (interface 2.8)', () => {
    const body = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`field${i}`, i]));
    const { about } = refusalOf(() => readTenantBody(body));
    expect(about.errors).to.have.length(20);
    expect(about.detail).to.contain('first 20 of 31');
  });

  it('never repeats a value', () => {
    const { about } = refusalOf(() =>
      createWebhookReader('prod')({ url: 'http://canary.example', password: 'canary\n' }),
    );
    expect(about.errors).to.have.length(2);
    expect(JSON.stringify(about)).not.to.contain('canary');
  });

  it('takes no other shape than an object', () => {
    for (const body of [null, [], 'text', 1, NaN]) {
      expect(pointersAndCodes(() => readTenantBody(body))).to.deep.equal([['', 'INVALID_TYPE']]);
    }
  });

  it('counts characters, not code units (design 8, "Strings")', () => {
    expect(readCodeBody({ productUserId: '🎁'.repeat(255) })).to.have.key('productUserId');
    const tooLong = { productUserId: '🎁'.repeat(256) };
    expect(pointersAndCodes(() => readCodeBody(tooLong))).to.deep.equal([
      ['/productUserId', 'OUT_OF_RANGE'],
    ]);
  });

  it('refuses NUL and lone surrogates, which no store can hold', () => {
    for (const productUserId of ['a\0b', 'a\ud800b']) {
      expect(pointersAndCodes(() => readCodeBody({ productUserId }))).to.deep.equal([
        ['/productUserId', 'INVALID_FORMAT'],
      ]);
    }
  });

  it('refuses a custom code in the derived form (design 7)', () => {
    const body = { productUserId: 'u1', ucc: 'a1B2c3D4e5F' };
    expect(pointersAndCodes(() => readCodeBody(body))).to.deep.equal([['/ucc', 'INVALID_FORMAT']]);
    expect(readCodeBody({ ...body, ucc: 'SUMMER' }).ucc).to.equal('SUMMER');
  });

  it('refuses a whole number beyond any range, which arrives as a bigint', () => {
    expect(
      pointersAndCodes(() => readCampaign({ ...campaign, creditScale: 10n ** 20n })),
    ).to.deep.equal([['/creditScale', 'OUT_OF_RANGE']]);
  });

  it('refuses a tenantId that could not stand in a record key', () => {
    for (const tenantId of ['a:b', '', '.', '-a', 'a b', 'a/b', 'a'.repeat(65)]) {
      expect(pointersAndCodes(() => readTenantBody({ name: 'A', tenantId }))).to.deep.equal([
        ['/tenantId', 'INVALID_FORMAT'],
      ]);
    }
  });
});

function pointersAndCodes(read: () => unknown): [string, string][] {
  const errors: readonly Violation[] = refusalOf(read).about.errors ?? [];
  return errors.map(({ pointer, code }) => [pointer, code]);
}

function refusalOf(read: () => unknown): Refusal {
  try {
    read();
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}
