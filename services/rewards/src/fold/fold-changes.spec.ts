import type { CampaignRule } from '@tributary/contracts/campaign-rule';
import { expect } from 'chai';
import { reportedRewards, reportedTargets } from '@tributary/rewards-fold/testing/compare';
import { paid, purchaseRule, timesOf } from '@tributary/rewards-fold/testing/facts';
import { type Book, createBook } from '../testing/in-memory-book.ts';
import { asDuplicate, revisionOf } from '@tributary/rewards-fold/testing/records';
import { formatCredits } from '@tributary/rewards-fold/credits';
import { foldClaims } from '@tributary/rewards-fold/fold-claims';

describe('fold of what changed', () => {
  let book: Book;

  function campaign(...rules: CampaignRule[]): void {
    book = createBook();
    book.publish(revisionOf({ rules }));
  }

  /** In order of time: `10`, `0`. */
  function has(recipientId: string): string {
    return book
      .reward(recipientId)
      .toSorted((a, b) => Number(a.cause?.occurredAtSeconds) - Number(b.cause?.occurredAtSeconds))
      .map((reward) => formatCredits(reward.entitled))
      .join(' ');
  }

  function expectScratch(): void {
    expect(reportedRewards(book.rewards())).to.deep.equal(
      reportedTargets(foldClaims(book.claims())),
    );
  }

  /** Rows of other rewards and facts that a piece of work read. */
  function rowsReadBy(work: () => void): number {
    const before = book.tables.read.rows;
    work();
    return book.tables.read.rows - before;
  }

  const monthly = (credits: string) => ({
    limits: { perRecipient: [{ period: 'month' as const, credits }] },
  });
  const perEuro = {
    kind: 'percent' as const,
    basisPoints: 10_000,
    creditsPerMajorUnit: { EUR: '1' },
  };
  const march = (n: number) => `2026-03-${String(n).padStart(2, '0')} 12:00`;

  it('explains a refunded, capped, two-sided purchase (promise 5)', () => {
    campaign(
      purchaseRule({
        recipient: 'both',
        effect: { kind: 'percent', basisPoints: 2_000, creditsPerMajorUnit: { EUR: '1' } },
        newUserEffect: { kind: 'fixed', credits: '5' },
        ...monthly('15'),
        holdDays: 14,
      }),
    );
    book.decide(
      paid(1, 'udo', march(2), '50.00 EUR'),
      paid(2, 'ute', march(3), '49.00 EUR', { refunds: [[march(9), '24.50 EUR']] }),
    );
    expect(has('anna')).to.equal('10 2.5');
    expect(has('ute')).to.equal('2.5');
    const reward = book.reward('anna')[1];
    expect(reward?.explanation).to.deep.equal([
      'User "ute" paid 49.00 EUR on invoice "inv_2" at 2026-03-03T12:00:00Z.',
      'Code "anna-code" belongs to referrer "anna" in campaign "c1"; revision 1 applied at that time.',
      'Rule "rule" gives the referrer 9.8 credits: 20 % of what was paid, at 1 credit for 1 EUR.',
      'Limit: at most 15 credits in 2026-03; 5 credits were left.',
      'A refund left 24.50 EUR of 49.00 EUR; by the rule the reward keeps that share: 2.5 credits.',
    ]);
    expect(reward?.calculation.map(({ step, credits }) => `${step} ${credits}`)).to.deep.equal([
      'effect 9.8',
      'limit 5',
      'refund 2.5',
    ]);
    expect(reward?.calculation.at(-1)?.eventId).to.equal('refund-2-1');
    expect(reward?.tests.map(({ test, passed }) => `${test} ${passed}`)).to.deep.equal([
      'trigger true',
      'credits per month false',
    ]);
    expect(reward?.maturesAt).to.equal('2026-03-17T12:00:01.000Z');
  });

  it('asks for reviews: a loop, a recovered signup, a revision published after the event', () => {
    campaign(purchaseRule());
    book.publish(
      revisionOf({ revision: 2, rules: [purchaseRule()], publishedAt: '2026-03-02T12:00:02.000Z' }),
    );
    book.decide(
      paid(1, 'udo', march(1), '1.00 EUR', { review: ['referral-loop'] }),
      paid(2, 'udo', march(2), '1.00 EUR', { campaignRevision: 2 }),
      paid(3, 'udo', march(3), '1.00 EUR', { campaignRevision: 2 }),
      paid(4, 'udo', march(4), '1.00 EUR', { review: ['recovered-signup'] }),
    );
    expect(book.reward('anna').map((reward) => reward.reviews)).to.deep.equal([
      ['referral-loop'],
      ['revision-published-later'],
      [],
      ['recovered-signup'],
    ]);
  });

  it('reads nothing of others for what comes last, also above a cap', () => {
    campaign(purchaseRule(monthly('25')));
    for (let n = 1; n <= 4; n += 1) book.decide(paid(n, 'udo', march(n), '1.00 EUR'));
    expect(has('anna')).to.equal('10 10 5 0');
    expect(rowsReadBy(() => book.decide(paid(5, 'ute', march(5), '1.00 EUR')))).to.equal(0);
    expect(has('anna')).to.equal('10 10 5 0 0');
  });

  it('reads nothing of others for what comes late, while all fits the cap', () => {
    campaign(purchaseRule(monthly('1000')));
    for (let n = 2; n <= 20; n += 1) book.decide(paid(n, 'udo', march(n), '1.00 EUR'));
    expect(rowsReadBy(() => book.decide(paid(1, 'ute', march(1), '1.00 EUR')))).to.equal(0);
  });

  it('reads what found room, and no more, for what comes late above a cap', () => {
    campaign(purchaseRule(monthly('25')));
    for (let n = 2; n <= 20; n += 1) book.decide(paid(n, 'udo', march(n), '1.00 EUR'));
    expect(rowsReadBy(() => book.decide(paid(1, 'ute', march(1), '1.00 EUR')))).to.equal(3);
    expect(has('anna')).to.match(/^10 10 5 0( 0)*$/);
  });

  it('gives tiers by the order of the facts, not of their arrival', () => {
    const flat = (credits: string) => ({ kind: 'fixed' as const, credits });
    const tiers = [
      { fromCount: 1, effect: flat('1') },
      { fromCount: 2, effect: flat('2') },
    ];
    campaign(purchaseRule({ effect: { kind: 'tiered', tiers } }));
    book.decide(paid(3, 'ute', march(3), '1.00 EUR'), paid(4, 'ute', march(4), '1.00 EUR'));
    expect(has('anna')).to.equal('1 1');
    const first = paid(1, 'udo', march(1), '1.00 EUR');
    book.decide(first);
    expect(has('anna')).to.equal('1 2 2');
    // Nothing is left of Udo's purchase: Ute is the only one who counts, and so it was from the
    // start.
    const refund = { eventId: 'refund', ...timesOf(march(9)), reversedAmount: 100, full: true };
    book.decide({ ...first, version: 2, reversals: [refund] });
    expect(has('anna')).to.equal('0 1 1');
  });

  it('looks at the purchases of one user with one referrer for limits per referral', () => {
    campaign(purchaseRule({ recipient: 'both', limits: { firstPurchases: 1 } }));
    book.decide(paid(2, 'udo', march(2), '1.00 EUR'), paid(4, 'ute', march(4), '1.00 EUR'));
    expect(has('udo')).to.equal('10');
    book.decide(paid(1, 'udo', march(1), '1.00 EUR'));
    expect(has('udo')).to.equal('10 0');
    expect(has('anna')).to.equal('10 0 10');
    expect(book.reward('udo')[0]?.explanation.at(-1)).to.equal(
      "Limit: of a user's purchases only the first earns; this is later.",
    );
  });

  it('leaves no room used up where a reward went away', () => {
    campaign(purchaseRule(monthly('10')));
    const first = paid(1, 'udo', march(1), '1.00 EUR');
    book.decide(first, paid(2, 'ute', march(2), '1.00 EUR'));
    expect(has('anna')).to.equal('10 0');
    book.decide({ ...first, version: 2, referrerId: 'bert' });
    expect(has('anna')).to.equal('0 10');
    expect(has('bert')).to.equal('10');
    expect(book.tables.wantedOfCounters()).to.have.length(2);
    book.decide({ ...asDuplicate(first, 'other'), version: 3 });
    expect(has('bert')).to.equal('0');
    expect(book.tables.wantedOfCounters()).to.have.length(1);
  });

  const within = (day: string, month: string) =>
    purchaseRule({
      effect: perEuro,
      limits: {
        perRecipient: [
          { period: 'day', credits: day },
          { period: 'month', credits: month },
        ],
      },
    });
  const tenth = (n: number) => `2026-03-10 ${n}:00`;

  it('goes on from what is used up of a day after its month was counted again', () => {
    campaign(within('6', '12'));
    const refunded = paid(2, 'udo', march(6), '5.00 EUR', { refunds: [[tenth(12), '5.00 EUR']] });
    book.decide(paid(3, 'udo', tenth(10), '6.00 EUR'), paid(4, 'udo', tenth(11), '6.00 EUR'));
    expect(has('anna')).to.equal('6 0');
    // Earlier days take room of the month, so this one uses up less of its own.
    book.decide(paid(1, 'udo', march(5), '6.00 EUR'), { ...refunded, reversals: [] });
    expect(has('anna')).to.equal('6 5 1 0');
    book.decide({ ...refunded, version: 2 });
    book.decide(paid(5, 'udo', tenth(13), '9.00 EUR'));
    expect(has('anna')).to.equal('6 0 1 0 5');
    expectScratch();
  });

  it('does so too where an older revision was stricter', () => {
    campaign(within('5', '12'));
    book.publish(revisionOf({ revision: 2, rules: [within('9', '12')] }));
    const now = { campaignRevision: 2 };
    const old = paid(3, 'udo', tenth(10), '4.00 EUR');
    const early = paid(1, 'udo', march(5), '10.00 EUR', {
      ...now,
      refunds: [[tenth(12), '10.00 EUR']],
    });
    book.decide(old);
    book.decide({ ...old, ...now, version: 2 }, paid(4, 'udo', tenth(11), '4.00 EUR', now));
    book.decide({ ...early, reversals: [] });
    expect(has('anna')).to.equal('9 3 0');
    book.decide({ ...early, version: 2 });
    book.decide(paid(5, 'udo', tenth(13), '9.00 EUR', now));
    expectScratch();
    expect(has('anna')).to.equal('0 3 0 6');
  });

  it('finds whom a late arrival gives room, by the rounding of a second refund', () => {
    book = createBook();
    book.publish(
      revisionOf({ creditScale: 0, rules: [purchaseRule({ effect: perEuro, ...monthly('5') })] }),
    );
    const twice: [string, string][] = [
      [march(3), '2.50 EUR'],
      [march(5), '3.50 EUR'],
    ];
    book.decide(paid(2, 'udo', march(2), '5.00 EUR', { refunds: twice }));
    book.decide(paid(3, 'ute', march(4), '10.00 EUR'));
    book.decide(paid(4, 'ute', march(6), '1.00 EUR'));
    expect(has('anna')).to.equal('2 3 0');
    book.decide(paid(1, 'uli', march(1), '2.00 EUR'));
    expectScratch();
    expect(has('anna')).to.equal('2 1 1 1');
  });

  it('gives room back when a fold that threw was to take a reward away', () => {
    campaign(purchaseRule(monthly('10')));
    const first = paid(1, 'udo', march(1), '1.00 EUR');
    book.decide(first, paid(2, 'ute', march(2), '1.00 EUR'));
    book.fail('anna');
    book.decide({ ...asDuplicate(first, 'other'), version: 2 });
    expect(has('anna')).to.equal('10 0');
    book.recover();
    expect(has('anna')).to.equal('0 10');
    book.decide(paid(3, 'uli', march(3), '1.00 EUR'));
    expect(has('anna')).to.equal('0 10 0');
  });

  it('looks for stored rewards of a fact only when somebody has claimed it before', () => {
    campaign(purchaseRule());
    book.decide(paid(1, 'udo', march(1), '1.00 EUR'), paid(2, 'ute', march(2), '1.00 EUR'));
    expect(book.tables.read.factsOfRewards).to.equal(0);
    book.decide({
      ...paid(1, 'udo', march(1), '1.00 EUR', { refunds: [[march(3), '1.00 EUR']] }),
      version: 2,
    });
    expect(book.tables.read.factsOfRewards).to.equal(1);
    expect(has('anna')).to.equal('0 10');
  });

  it('counts a fact once while two decisions credit two people with it', () => {
    campaign(purchaseRule());
    const late = paid(2, 'udo', march(2), '1.00 EUR', { invoice: 7, referrerId: 'bert' });
    book.decide(late);
    book.decide(
      paid(1, 'udo', march(1), '1.00 EUR', { invoice: 7, businessKey: late.businessKey }),
    );
    expect([has('anna'), has('bert')]).to.deep.equal(['10', '0']);
  });
});
