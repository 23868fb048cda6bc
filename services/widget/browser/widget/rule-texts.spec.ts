import type { RewardWords, WidgetSession } from '@tributary/contracts/public/widget-session';
import { expect } from 'chai';
import { createLanguage } from './language.ts';
import { texts as de } from './languages/de.ts';
import { discountInWords, labelsOf, rulesAsText, summaryInWords } from './rule-texts.ts';

const english = createLanguage({ code: 'en' });
const fixed = (credits: string) => ({ kind: 'fixed', credits }) as const;
const percent = (share: string, creditsPerMajorUnit: Record<string, string> = { EUR: '1' }) =>
  ({ kind: 'percent', percent: share, creditsPerMajorUnit }) as const;
const rule = (about: Partial<RewardWords>): RewardWords => ({
  ruleId: 'r1',
  trigger: 'purchase-created',
  recipient: 'referrer',
  reward: fixed('5'),
  holdDays: 0,
  ...about,
});
const sessionOf = (...rules: RewardWords[]) =>
  ({ rules, newUserDiscount: null }) as unknown as WidgetSession;
const text = (about: Partial<RewardWords>, language = english) =>
  rulesAsText(sessionOf(rule(about)), language)[0]?.text;

describe('a rule in words', () => {
  const sentences: [Partial<RewardWords>, string][] = [
    [{ trigger: 'signup-created' }, 'You get 5 credits when a friend signs up.'],
    [
      { trigger: 'demo-attended', reward: fixed('1') },
      'You get 1 credit when a friend attends a demo.',
    ],
    [{}, 'You get 5 credits for each purchase a friend makes.'],
    [{ firstPurchases: 1 }, 'You get 5 credits for the first purchase a friend makes.'],
    [
      { firstPurchases: 3, recipient: 'new-user', reward: percent('12.5') },
      'Your friend gets 12.5% of the price in credits for each of the first 3 purchases.',
    ],
    [
      { trigger: 'signup-created', recipient: 'new-user', reward: fixed('2.50') },
      'Your friend gets 2.50 credits for signing up.',
    ],
    [
      {
        reward: {
          kind: 'tiered',
          tiers: [
            { fromCount: 10, percent: '30' },
            { fromCount: 1, credits: '5' },
          ],
        },
      },
      'You get 5 credits for each purchase a friend makes. ' +
        'From 10 paying friends on: 30% of the price in credits.',
    ],
    [
      { reward: percent('20', { EUR: '1', JPY: '0.006' }) },
      'You get 20% of the price in credits for each purchase a friend makes. ' +
        '€1 paid count as 1 credit. ¥1 paid count as 0.006 credits.',
    ],
    [
      {
        conditions: {
          intervals: ['yearly', 'semi-annual'],
          productKeys: ['pro'],
          minimumAmounts: { EUR: 1_050, JPY: 1_500, KWD: 1_005 },
          currencies: ['EUR', 'JPY', 'KWD'],
          minimumSeats: 5,
        },
        holdDays: 14,
      },
      'You get 5 credits for each purchase a friend makes. ' +
        'For these plans: yearly or half-yearly. For selected products. ' +
        'For payments from €10.50, ¥1,500, or KWD\u00a01.005. From 5 seats on. Credited after 14 days.',
    ],
    [
      { conditions: { currencies: ['EUR', 'USD'], minimumSeats: 1 }, holdDays: 1 },
      'You get 5 credits for each purchase a friend makes. ' +
        'For payments in EUR or USD. Credited after 1 day.',
    ],
  ];
  for (const [about, sentence] of sentences) {
    it(`reads: ${sentence}`, () => expect(text(about)).to.equal(sentence));
  }

  it('is written in the other language, numbers included', () => {
    const german = createLanguage({ code: 'de', texts: de });
    expect(text({ reward: percent('12.5'), holdDays: 1 }, german)).to.equal(
      'Du bekommst 12,5\u00a0% des Preises in Credits für jeden Kauf der Eingeladenen. ' +
        'Gutschrift nach 1 Tag.',
    );
  });

  it('is told once where both sides get something, and in the tenant’s words where there are any', () => {
    const both = sessionOf(
      rule({ trigger: 'signup-created' }),
      rule({ trigger: 'signup-created', recipient: 'new-user', reward: fixed('2') }),
      rule({ ruleId: 'r2' }),
    );
    expect(rulesAsText(both, english)).to.deep.equal([
      {
        ruleId: 'r1',
        text: 'You get 5 credits when a friend signs up. Your friend gets 2 credits for signing up.',
      },
      { ruleId: 'r2', text: 'You get 5 credits for each purchase a friend makes.' },
    ]);
    const own = createLanguage({ code: 'en', overlay: { en: { 'rule.r1': 'A fiver each.' } } });
    expect(rulesAsText(both, own)[0]?.text).to.equal('A fiver each.');
  });
});

describe('the labels', () => {
  const discount = (months: number | null) => ({ newUserDiscount: { percentage: 0.1, months } });

  it('are the texts, each rule, the reward and what a new user saves', () => {
    const session = {
      ...sessionOf(rule({ ruleId: 'share' }), rule({ recipient: 'new-user' })),
      ...discount(1),
    };
    expect(labelsOf(session, english)).to.include({
      'reward.fixed.other': '{count} credits',
      'rule.share': 'You get 5 credits for each purchase a friend makes.',
      'reward.summary':
        'You get 5 credits for each purchase a friend makes. ' +
        'Your friend gets 5 credits for each purchase.',
      'newUser.benefit': 'Your friend saves 10% for 1 month.',
    });
  });

  it('promise nothing that the campaign does not give', () => {
    const session = sessionOf();
    expect(summaryInWords(session, english)).to.equal('Invite friends with your personal link.');
    expect(discountInWords(session, english)).to.equal(undefined);
    expect(labelsOf(session, english)).not.to.have.property('newUser.benefit');
  });

  it('say no months of a discount without an end', () => {
    const session = { ...sessionOf(), ...discount(null) };
    expect(discountInWords(session, english)).to.equal('Your friend saves 10%.');
  });
});
