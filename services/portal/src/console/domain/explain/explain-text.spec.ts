import { expect } from 'chai';
import {
  actionOn,
  attemptOf,
  codeOf,
  decisionOn,
  issuanceOf,
  notAttributed,
  purchase,
  refund,
  rewardFor,
  signup,
  uuid,
} from '../../../testing/scenario.ts';
import {
  explanationOf,
  relatedTo,
  rewarded,
  storyOf,
  twoSidedPurchase,
} from '../../../testing/stories.ts';
import { explainText } from './explain-text.ts';

describe('explainText', () => {
  it('tells a refunded, capped, two-sided purchase from the fact to the webhook', () => {
    const { rewards } = twoSidedPurchase().stories[0]!;
    const [ada, cara] = rewards.map(({ reward }) => reward.rewardId);
    expect(explainText(twoSidedPurchase())).to.equal(
      `Event ${uuid(2)} of tenant "acme"
  User "cara" (Cara Example) paid 49.00 EUR (invoice "inv-1", monthly).
  It occurred at 2026-03-01T12:00:00Z and was received at 2026-03-01T12:00:02.000Z (source v2).
  It names referral code "ada-code".

  Decision (version 2): attributed to user "ada" by campaign "spring", revision 1.
    ✓ code known  code "ada-code" belongs to user "ada"

  Refunds
    24.50 EUR at 2026-03-05T12:00:00Z from v2, event ${uuid(4)}: 24.50 EUR of 49.00 EUR have been taken back so far

  Also reported, but not counted again
    event ${uuid(3)} from legacy, occurred at 2026-03-01T12:00:00Z (amount-differs)

  Reward ${ada}: 4 credits for the referrer, user "ada"
    by rule "purchase" of campaign "spring", revision 1
    ✓ trigger  the rule is for purchases
    1. effect      0 → 10  a fixed amount
    2. limit       10 → 8  at most 20 credits a month, 12 were used
    3. refund      8 → 4   24.50 EUR of 49.00 EUR are left
    State: issued.
    Ledger: entitled 4, issued 8: 4 more than entitled; the recipient still owes 4, which will be deducted from later rewards.
    Issued 8 credits at 2026-03-01T12:01:41.000Z (issuance ${uuid(1_001)}).
      Webhook ${uuid(2_001)}: delivered on attempt 2 at 2026-03-01T12:03:22.000Z (status 200).

  Reward ${cara}: 1.5 credits for the new user, user "cara" (Cara Example)
    by rule "purchase" of campaign "spring", revision 1
    ✓ trigger  the rule is for purchases
    1. effect      0 → 3    a fixed amount
    2. refund      3 → 1.5  24.50 EUR of 49.00 EUR are left
    State: withheld by an operator; what has not been issued stays withheld.
    Ledger: entitled 1.5, issued 0, 1.5 kept back (withheld).
    Withheld by olga@ops at 2026-03-01T12:01:31.000Z: looked at the invoices.

  Rules that gave nothing
    rule "yearly"
      ✓ trigger   the rule is for purchases
      ✗ interval  the interval must be "yearly"; it is "monthly"`,
    );
  });

  it('tells an event that waits for its code, until when', () => {
    const event = signup(5, { ucc: 'nobodys' });
    const decision = notAttributed(event, {
      outcome: 'waiting',
      reason: 'unknown-code',
      waitsUntil: '2026-03-31T12:00:05.000Z',
      tests: [{ test: 'code known', passed: false, detail: 'nobody has published it' }],
    });
    const text = explainText(explanationOf([storyOf(event, decision)]));
    expect(text).to.contain('User "cara" signed up.');
    expect(text).to.contain('Decision (version 1): waiting, unknown-code: nobody has the code.');
    expect(text).to.contain('✗ code known  nobody has published it');
    expect(text).to.contain(
      'It waits for code "nobodys" to be issued, until 2026-03-31T12:00:05.000Z.',
    );
  });

  it('tells a refund by what it took of each reward of its purchase', () => {
    const event = refund(4, { invoiceId: 'inv-1', amount: 2_450 });
    const decision = decisionOn(event, { refundOf: uuid(2) });
    const reward = rewardFor(decisionOn(purchase(2)), {
      entitledCredits: '5',
      calculation: [
        { step: 'effect', detail: 'a fixed amount', credits: '10' },
        { step: 'refund', detail: 'half is left', credits: '5', eventId: event.eventId },
      ],
    });
    const text = explainText(
      explanationOf([storyOf(event, decision, { rewards: [rewarded(reward)] })]),
    );
    expect(text).to.contain('was refunded 24.50 EUR (invoice "inv-1")');
    expect(text).to.contain(`It follows the decision on purchase ${uuid(2)}.`);
    expect(text).to.contain(
      `What it took back\n    reward ${reward.rewardId}: half is left: 10 → 5`,
    );
    expect(text).not.to.contain('Ledger');
  });

  it('tells refunds that take nothing back, and why', () => {
    const event = purchase(2);
    const waits = refund(4, { invoiceId: 'inv-2', amount: 100, currency: 'USD' });
    const adds = refund(5, { invoiceId: 'inv-2', amount: 200 });
    const mismatch = notAttributed(waits, {
      outcome: 'waiting',
      reason: 'refund-without-purchase',
      flags: ['currency-mismatch'],
    });
    const refunds = [relatedTo(waits, mismatch), relatedTo(adds, decisionOn(adds))];
    const text = explainText(explanationOf([storyOf(event, decisionOn(event), { refunds })]));
    expect(text).to.match(
      /1\.00 USD .*takes nothing back: the purchase was paid in EUR \(currency-mismatch\)/,
    );
    expect(text).to.match(/2\.00 EUR .*takes nothing back: it adds nothing/);
    const own = explainText(explanationOf([storyOf(waits, mismatch)]));
    expect(own)
      .to.contain(
        'refund-without-purchase: the purchase of its invoice was paid in another currency.',
      )
      .and.not.contain('has not arrived');
    expect(own).to.contain(
      'It is in USD, and the purchase of invoice "inv-2" was paid in another currency: it takes nothing back.',
    );
    expect(own).to.contain(
      'Report the refund again in the currency of the purchase, with another idempotency key;',
    );
    expect(own).to.contain('this one waits for a purchase of invoice "inv-2" in USD.');
  });

  for (const [name, changes, state, ledger] of [
    [
      'held',
      { state: 'held', maturesAt: '2026-03-15T12:00:00.000Z' },
      'held until 2026-03-15T12:00:00.000Z, then issued',
      'entitled 10, issued 0, 10 still to be issued',
    ],
    [
      'held without a hold',
      { state: 'held' },
      'held; will be issued next',
      '10 still to be issued',
    ],
    [
      'in review',
      { state: 'review', reviewReasons: ['referral-loop'] },
      'in review, waiting for an operator: the two users refer each other',
      '10 kept back (review)',
    ],
    [
      'in review for two reasons',
      { state: 'review', reviewReasons: ['recovered-signup', 'revision-published-later'] },
      'in review, waiting for an operator: no backend reported the signup; the widget recovered it from a link; its campaign revision was published after the event was received',
      '10 kept back (review)',
    ],
    [
      'issued',
      { state: 'issued', issuedCredits: '10' },
      'issued',
      'entitled 10, issued 10, nothing is open',
    ],
    [
      'netted',
      { state: 'issued', issuedCredits: '2.5' },
      'issued',
      'entitled 10, issued 2.5, 7.5 offset against what the recipient owed',
    ],
    [
      'issued, and has grown by what is in review',
      {
        state: 'issued',
        entitledCredits: '15',
        issuedCredits: '10',
        reviewReasons: ['revision-published-later'],
      },
      'issued; 5 credits more are in review, waiting for an operator: its campaign revision was published after the event was received',
      'entitled 15, issued 10, 5 kept back (review)',
    ],
    [
      'cut to nothing by a limit',
      {
        state: 'reversed',
        entitledCredits: '0',
        calculation: [{ step: 'limit', detail: 'no room', credits: '0' }],
      },
      'capped; a limit left no room for it',
      'entitled 0, issued 0, nothing is open',
    ],
    [
      'cut to nothing by a limit before it was refunded',
      {
        state: 'reversed',
        entitledCredits: '0',
        calculation: [
          { step: 'limit', detail: 'no room', credits: '0' },
          { step: 'refund', detail: 'all of it', credits: '0', eventId: 'refund' },
        ],
      },
      'capped; a limit left no room for it',
      'entitled 0, issued 0, nothing is open',
    ],
    [
      'withdrawn after a limit had cut it to nothing',
      {
        state: 'reversed',
        entitledCredits: '0',
        calculation: [
          { step: 'limit', detail: 'no room', credits: '0' },
          { step: 'withdrawal', detail: 'gone', credits: '0' },
        ],
      },
      'reversed; nothing of it is left',
      'entitled 0, issued 0, nothing is open',
    ],
    [
      'reversed',
      { state: 'reversed', entitledCredits: '0', issuedCredits: '0' },
      'reversed; nothing of it is left',
      'entitled 0, issued 0, nothing is open',
    ],
  ] as const) {
    it(`tells a reward that is ${name}`, () => {
      const decision = decisionOn(purchase(2));
      const reward = rewardFor(decision, changes as Partial<ReturnType<typeof rewardFor>>);
      const story = storyOf(purchase(2), decision, { rewards: [rewarded(reward)] });
      const text = explainText(explanationOf([story]));
      expect(text).to.contain(`State: ${state}.`);
      expect(text).to.contain(`${ledger}.`);
    });
  }

  it('tells what the recipient owes where it is netted before anything is paid', () => {
    const decision = decisionOn(purchase(2));
    const ledgers = (changes: Partial<ReturnType<typeof rewardFor>>, recipientOwes: string) => {
      const rewards = [rewarded(rewardFor(decision, changes), { recipientOwes })];
      return explainText(explanationOf([storyOf(purchase(2), decision, { rewards })]));
    };
    expect(ledgers({}, '4')).to.contain(
      'entitled 10, issued 0, 10 still to be issued; the recipient owes 4, which is offset first.',
    );
    const taken = { state: 'reversed', entitledCredits: '0', issuedCredits: '10' } as const;
    expect(ledgers(taken, '10')).to.contain(
      'entitled 0, issued 10: 10 more than entitled; the recipient still owes 10, which will be deducted from later rewards.',
    );
    // Another reward of 8 came after the refund, and was deducted already.
    expect(ledgers(taken, '2')).to.contain(
      'entitled 0, issued 10: 10 more than entitled; the recipient still owes 2, which will be deducted from later rewards.',
    );
    expect(ledgers(taken, '0')).to.contain(
      'entitled 0, issued 10: 10 more than entitled, all of which was deducted from other rewards.',
    );
  });

  it('tells a settled reward in part as netted, in part as paid next', () => {
    const decision = decisionOn(purchase(2));
    const open = [
      { as: 'offset', credits: '2.5' },
      { as: 'correction', credits: '5' },
    ] as const;
    const reward = rewardFor(decision, { state: 'issued', issuedCredits: '2.5' });
    const story = storyOf(purchase(2), decision, { rewards: [rewarded(reward, { open })] });
    const text = explainText(explanationOf([story]));
    expect(text).to.contain('State: issued; 5 credits more will be issued next.');
    expect(text).to.contain(
      'entitled 10, issued 2.5, 2.5 offset against what the recipient owed, 5 due as a correction.',
    );
  });

  it('tells that an operator let a held reward go', () => {
    const decision = decisionOn(purchase(2));
    const reward = rewardFor(decision, { maturesAt: '2027-01-01T00:00:00.000Z' });
    const actions = [actionOn(reward, 1, 'withheld'), actionOn(reward, 2, 'released')];
    const story = storyOf(purchase(2), decision, { rewards: [rewarded(reward, { actions })] });
    expect(explainText(explanationOf([story]))).to.contain('State: held; an operator released it');
  });

  it('tells how settlement went on, but not the steps twice', () => {
    const decision = decisionOn(purchase(2));
    const reward = rewardFor(decision, {
      explanation: ['User "cara" paid.', 'a fixed amount', 'Netted with 3 credits owed.'],
    });
    const story = storyOf(purchase(2), decision, { rewards: [rewarded(reward)] });
    const text = explainText(explanationOf([story]));
    expect(text).to.contain('Netted with 3 credits owed.').and.not.to.contain('"cara" paid.');
    expect(text.match(/a fixed amount/g)).to.have.length(1);
  });

  for (const [outcome, expected] of [
    ['delivered', 'delivered on attempt 3'],
    ['exhausted', 'given up after attempt 3'],
    [
      'failed',
      'not delivered on attempt 3 at 2026-03-01T12:03:23.000Z (status 500); next attempt at T',
    ],
  ] as const) {
    it(`tells a delivery that is ${outcome}`, () => {
      const decision = decisionOn(purchase(2));
      const reward = rewardFor(decision, { state: 'issued', issuedCredits: '10' });
      const issuance = issuanceOf(reward, 1);
      const statusCode = outcome === 'delivered' ? 200 : 500;
      const last = attemptOf(issuance, 3, { outcome, statusCode, nextAttemptAt: 'T' });
      const first = attemptOf(issuance, 1, { outcome: 'failed', statusCode: 500 });
      const issuances = [{ issuance, deliveries: [first, last] }];
      const rewards = [rewarded(reward, { issuances })];
      const text = explainText(explanationOf([storyOf(purchase(2), decision, { rewards })]));
      expect(text).to.contain(expected);
    });
  }

  it('says when there is no decision yet, and when a revision is missing', () => {
    const event = purchase(2);
    expect(explainText(explanationOf([storyOf(event, undefined)]))).to.contain(
      'It is not decided yet: attribution has not reached it.',
    );
    const waits = explainText(explanationOf([storyOf(event, decisionOn(event))]));
    expect(waits).to.contain('No reward is known.');
    expect(waits).to.contain('wait for revision 1 of campaign "spring", which has not arrived.');
  });

  it('tells what a decision says besides its tests', () => {
    const event = purchase(2);
    const decision = decisionOn(event, {
      boundUcc: 'first-code',
      review: ['referral-loop'],
      flags: ['user-differs'],
    });
    const text = explainText(explanationOf([storyOf(event, decision)]));
    expect(text).to.contain(`Decided by code "first-code", the user's first valid one.`);
    expect(text).to.contain('For an operator to review: referral-loop.');
    expect(text).to.contain('Flags: user-differs.');
  });

  it('tells of a refusing code when it was enabled and disabled after the event', () => {
    const event = purchase(2);
    const changes = [
      codeOf(),
      codeOf({ version: 2, type: 'code-disabled', at: '2026-03-01T10:00:00.000Z' }),
      codeOf({ version: 3, at: '2026-03-01T13:00:00.000Z' }),
      codeOf({ version: 4, type: 'code-disabled', at: '2026-03-01T14:00:00.000Z' }),
    ];
    const refused = notAttributed(event, { reason: 'code-disabled' });
    const text = explainText(explanationOf([storyOf(event, refused, { codeChanges: changes })]));
    expect(text).to.contain('Code "ada-code" was enabled again at 2026-03-01T13:00:00.000Z.');
    expect(text).to.contain('Code "ada-code" was disabled again at 2026-03-01T14:00:00.000Z.');
    expect(text).to.not.contain('2026-03-01T10:00:00.000Z.');
    const attributed = storyOf(event, decisionOn(event), { codeChanges: changes });
    expect(explainText(explanationOf([attributed]))).to.not.contain('enabled again');
  });

  it('tells a decision whose fact has not been read yet', () => {
    const event = purchase(2);
    const text = explainText(
      explanationOf([{ ...storyOf(event, decisionOn(event)), fact: undefined }]),
    );
    expect(text).to.contain('User "cara" paid 49.00 EUR');
  });

  it('says of what was issued for a reward that no longer exists to whom, and how many there are', () => {
    const reward = rewardFor(decisionOn(purchase(2)));
    const issuances = [{ issuance: issuanceOf(reward, 1), deliveries: [] }];
    const subject = { kind: 'reward', id: reward.rewardId } as const;
    const textOf = (credits: string, count: number) =>
      explainText(
        explanationOf([], { subject, issuedWithoutReward: { credits, count, issuances } }),
      );
    expect(textOf('10', 1)).to.contain(
      'Issued 10 credits to user "ada" for a reward that no longer exists: its event was lost',
    );
    expect(textOf('10', 1)).to.contain(`For reward ${reward.rewardId}\n    Issued 10 credits at`);
    expect(textOf('10', 1)).to.not.contain('newest');
    expect(textOf('30', 3)).to.contain(
      'Issued 30 credits to user "ada" for rewards that no longer exist: their event was lost',
    );
    expect(textOf('30', 3)).to.contain('These are the newest 1 of 3.');
  });

  it('tells a user by codes, balance and rewards, then event by event', () => {
    const event = signup(1);
    const balance = {
      entitled: '12.5',
      held: '0',
      review: '0',
      withheld: '0',
      issued: '15',
      reversed: '2.5',
      owed: '-2.5',
    };
    const { reward, open } = rewarded(rewardFor(decisionOn(purchase(2))));
    const rewards = [{ ...reward, open }];
    const own = { productUserId: 'cara' };
    const codes = [codeOf(own), codeOf({ ...own, ucc: 'freed', version: 3 })];
    const text = explainText(
      explanationOf([storyOf(event, decisionOn(event))], {
        subject: { kind: 'user', id: 'cara' },
        account: { codes, balance, rewards },
        truncated: true,
      }),
    );
    expect(text).to.match(/^User "cara" of tenant "acme"\n\nReferral code "ada-code"/);
    expect(text).to.match(/Referral code "ada-code" [^\n]* was issued at /);
    expect(text).to.match(/Referral code "freed" [^\n]* was enabled again at /);
    expect(text).to.contain('entitled 12.5, issued 15, owed -2.5 (held 0');
    expect(text).to.contain(
      'Owes 2.5 credits, which will be deducted from rewards as they become payable.',
    );
    expect(text).to.contain(`${reward.rewardId}: 10 credits, held, by rule "purchase"`);
    expect(text).to.contain(`\n\nEvent ${uuid(1)}\n  User "cara" signed up.`);
    expect(text).to.contain('There are more events; these are the first 1.');
  });

  it('lets no control character of an id or a note through', () => {
    const event = signup(1, { userId: 'a\u001b[31m\nb\u202e', ucc: 'x\u0007' });
    const text = explainText(explanationOf([storyOf(event, decisionOn(event))]));
    expect(text).not.to.match(/[^\P{C}\n]/u);
    expect(text).to.contain('User "a\ufffd[31m\ufffdb\ufffd" signed up.');
  });
});
