import { expect } from 'chai';
import {
  createSettlementBook,
  rewardIdOf,
  type SettlementBook,
} from '../testing/settlement-book.ts';
import { formatCredits } from './credits.ts';
import { evaluateAction } from './operator-action.ts';

const noon = '2026-03-08T12:00:00.000Z';
const before = '2026-03-08T11:59:59.999Z';
const later = '2026-03-20T00:00:00.000Z';

describe('settlement', () => {
  let book: SettlementBook;
  beforeEach(() => (book = createSettlementBook()));

  const issued = () => book.issuances().map((fact) => formatCredits(fact.credits));
  const state = (n: number) => book.rewards.get(rewardIdOf(n))?.state;
  const held = () => formatCredits(book.totals().held);
  const textsOf = (n: number) => book.rewards.get(rewardIdOf(n))?.settlement;
  const reviews = ['referral-loop'] as const;

  it('issues nothing before a hold has ended, and all of it from that moment on', () => {
    book.fold({ n: 1, credits: '10', maturesAt: noon });
    expect(book.dueAt()).to.equal(noon);
    book.release(before);
    expect([state(1), issued(), held()]).to.deep.equal(['held', [], '10']);
    book.release(noon);
    expect([state(1), issued(), held()]).to.deep.equal(['issued', ['10'], '0']);
    expect(book.dueAt()).to.equal(undefined);
  });

  it('publishes the end of a hold with the release, and names the end before', () => {
    const folded = book.fold({ n: 1, credits: '10', maturesAt: noon });
    expect(folded.published.map((r) => [r.version, r.state, r.maturesAt])).to.deep.equal([
      [1, 'held', noon],
    ]);
    book.release(noon);
    expect(book.rewards.get(rewardIdOf(1))).to.include({ version: 2, state: 'issued' });
  });

  it('is due when the earliest hold ends, and then when the next one does', () => {
    book.fold({ n: 1, credits: '10', maturesAt: later }, { n: 2, credits: '10', maturesAt: noon });
    expect(book.dueAt()).to.equal(noon);
    book.release(noon);
    expect([issued(), book.dueAt()]).to.deep.equal([['10'], later]);
  });

  it('gives up a hold with its reward when that is withdrawn', () => {
    book.fold({ n: 1, credits: '10', maturesAt: noon });
    book.fold({ n: 1, credits: '0', maturesAt: noon });
    expect(book.dueAt()).to.equal(undefined);
    expect(book.release(later)).to.deep.equal([]);
    expect(state(1)).to.equal('reversed');
  });

  it('issues what a refund left of a held reward', () => {
    book.fold({ n: 1, credits: '10', maturesAt: noon });
    book.fold({ n: 1, credits: '4', maturesAt: noon });
    book.release(noon);
    expect(issued()).to.deep.equal(['4']);
  });

  it('nets a refund after the issue against what matures, not against what is still held', () => {
    book.fold({ n: 1, credits: '10' });
    book.release(noon);
    book.fold({ n: 1, credits: '4' });
    book.fold({ n: 2, credits: '10', maturesAt: later }, { n: 3, credits: '10', reviews });
    book.release(noon);
    expect([issued(), state(2), state(3)]).to.deep.equal([['10'], 'held', 'review']);
    book.release(later);
    expect(issued()).to.deep.equal(['10', '4']);
    expect(textsOf(2)).to.deep.equal([
      '6 credits were netted against credits withdrawn after their issue.',
    ]);
  });

  it('pays what an entitlement grows by after its issue, as a correction with a number of its own', () => {
    book.fold({ n: 1, credits: '10' });
    book.release(noon);
    book.fold({ n: 1, credits: '12.5' });
    expect(book.dueAt()).to.equal('');
    book.release(noon);
    expect(issued()).to.deep.equal(['10', '2.5']);
    expect(new Set(book.issuances().map((fact) => fact.webhookEventId)).size).to.equal(2);
  });

  it('tells of a correction in a book that only reads of it, in whatever order it does', () => {
    book.fold({ n: 1, credits: '10' });
    book.release(noon);
    book.fold({ n: 1, credits: '12.5' });
    book.release(noon);
    for (const issuances of [book.issuances(), book.issuances().toReversed()]) {
      const reader = createSettlementBook();
      reader.receive({ issuances });
      reader.fold({ n: 1, credits: '12.5' });
      const reward = reader.rewards.get(rewardIdOf(1));
      expect(reward?.settlement).to.deep.equal(['2.5 credits were issued as a correction.']);
      expect(reward?.settlement).to.deep.equal(textsOf(1));
    }
  });

  it('holds a growth back while its reward is in review, and pays it when an operator says so', () => {
    book.fold({ n: 1, credits: '10' });
    book.release(noon);
    book.fold({ n: 1, credits: '15', reviews });
    book.release(later);
    expect([state(1), issued(), held()]).to.deep.equal(['issued', ['10'], '5']);
    book.act(1, 'released', later);
    book.release(later);
    expect([issued(), held()]).to.deep.equal([['10', '5'], '0']);
  });

  it('never issues what is in review, and at once what an operator released, hold or not', () => {
    book.fold({ n: 1, credits: '10', reviews, maturesAt: later });
    expect(book.dueAt()).to.equal(undefined);
    expect(book.release(later)).to.deep.equal([]);
    expect(state(1)).to.equal('review');
    book.act(1, 'released', noon);
    expect([state(1), book.dueAt()]).to.deep.equal(['held', '']);
    book.release(noon);
    expect([state(1), issued()]).to.deep.equal(['issued', ['10']]);
    expect(textsOf(1)).to.deep.equal([
      `Operator "ops" released it at ${noon}: no hold and no review keeps it any more.`,
    ]);
  });

  it('withholds what is held or in review until it is released', () => {
    book.fold({ n: 1, credits: '10' }, { n: 2, credits: '10', reviews });
    book.act(1, 'withheld', noon);
    book.act(2, 'withheld', noon);
    expect(book.release(later)).to.deep.equal([]);
    expect([state(1), state(2), held()]).to.deep.equal(['withheld', 'withheld', '20']);
    book.act(1, 'released', noon);
    book.release(later);
    expect([state(1), state(2), issued()]).to.deep.equal(['issued', 'withheld', ['10']]);
  });

  it('keeps the operator action when a reward is withdrawn and comes back', () => {
    book.fold({ n: 1, credits: '10' });
    book.act(1, 'withheld', noon);
    book.fold({ n: 1, credits: '0' });
    expect(state(1)).to.equal('reversed');
    book.fold({ n: 1, credits: '10' });
    expect(state(1)).to.equal('withheld');
  });

  it('lets the last action hold, in whatever order the actions are read', () => {
    book.fold({ n: 1, credits: '10', reviews });
    const asked = [
      book.act(1, 'withheld', noon),
      book.act(1, 'released', noon),
      book.act(1, 'withheld', noon),
    ].filter((action) => action !== undefined);
    for (const order of [asked, asked.toReversed()]) {
      const other = createSettlementBook();
      for (const action of order) other.receive({ actions: [action] });
      other.fold({ n: 1, credits: '10', reviews });
      expect(other.rewards.get(rewardIdOf(1))).to.include({ state: 'withheld', actionSequence: 3 });
    }
  });

  it('says in a sentence why an operator can do nothing', () => {
    book.fold({ n: 1, credits: '10' }, { n: 2, credits: '10' });
    book.release(noon);
    book.fold({ n: 2, credits: '0' });
    book.fold({ n: 3, credits: '4' });
    book.release(noon);
    const verdict = (n: number, type: 'released' | 'withheld') =>
      evaluateAction(book.rewards.get(rewardIdOf(n))!, type);
    const examples: [number, 'released' | 'withheld', string][] = [
      [1, 'released', 'This reward was issued in full already.'],
      [1, 'withheld', 'This reward was issued in full already.'],
      [2, 'released', 'Nothing is left of this reward: what caused it was withdrawn or refunded.'],
      [
        3,
        'withheld',
        'This reward is settled already: 0 of its 4 credits were issued, the rest was netted ' +
          'against what the recipient owed.',
      ],
    ];
    for (const [n, type, detail] of examples) {
      expect(verdict(n, type), detail).to.deep.equal({ outcome: 'conflict', detail });
    }
  });

  it('changes nothing when it is said again, whatever has become of the reward', () => {
    book.fold({ n: 1, credits: '10', reviews });
    book.act(1, 'released', noon);
    book.release(noon);
    const reward = book.rewards.get(rewardIdOf(1))!;
    expect(evaluateAction(reward, 'released')).to.deep.equal({ outcome: 'already-recorded' });
  });
});
