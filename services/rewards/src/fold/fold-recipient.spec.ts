import type { DecisionRecord } from '@tributary/contracts/decision-record';
import { expect } from 'chai';
import { type Book, createBook } from '../testing/in-memory-book.ts';
import {
  asDuplicate,
  purchaseDecision,
  revisionOf,
  signupDecision,
} from '@tributary/rewards-fold/testing/records';
import { formatCredits } from '@tributary/rewards-fold/credits';

describe('fold of a recipient', () => {
  let book: Book;

  beforeEach(() => {
    book = createBook();
    book.publish(revisionOf());
  });

  /** What somebody has, in words: `10 held`, `0 reversed`. */
  function has(recipientId: string): string[] {
    return book.reward(recipientId).map((r) => `${formatCredits(r.entitled)} ${r.state}`);
  }

  it('gives the referrer the fixed credits of the rule whose trigger the event is', () => {
    const examples: [string, DecisionRecord, string[]][] = [
      ['a purchase', purchaseDecision(1), ['10 held']],
      ['a signup', signupDecision(2), ['2.5 held']],
      ['unknown code', notAttributed(purchaseDecision(3), 'unknown-code'), []],
      ['a duplicate', asDuplicate(purchaseDecision(4), 'other'), []],
    ];
    for (const [name, decision, expected] of examples) {
      book = createBook();
      book.publish(revisionOf());
      book.decide(decision);
      expect(has('anna'), name).to.deep.equal(expected);
    }
  });

  it('explains the amount in sentences that lead from the fact to the credits (promise 5)', () => {
    book.decide(purchaseDecision(1));
    expect(book.reward('anna')[0]?.explanation).to.deep.equal([
      'User "user_1" paid 49.00 EUR on invoice "inv_1" at 2026-03-01T10:00:00Z.',
      'Code "anna-code" belongs to referrer "anna" in campaign "c1"; revision 1 applied at that time.',
      'Rule "purchase" gives the referrer 10 credits for each purchase.',
    ]);
  });

  it('waits for the revision that the decision names, and for no other', () => {
    book.decide(purchaseDecision(1, { campaignRevision: 2 }));
    expect(has('anna')).to.deep.equal([]);
    book.publish(
      revisionOf({ revision: 2, rules: [{ ...revisionOf().rules[0]!, ruleId: 'new' }] }),
    );
    expect(has('anna')).to.deep.equal(['10 held']);
    expect(book.reward('anna')[0]?.cause?.ruleId).to.equal('new');
  });

  it('ignores a version of a decision that is not above the one it has', () => {
    const first = purchaseDecision(1);
    book.decide(asDuplicate(first, 'other'));
    book.decide(first);
    expect(has('anna')).to.deep.equal([]);
  });

  it('leaves nothing at A and gives all to B when a decision moves', () => {
    const first = purchaseDecision(1);
    book.decide(first);
    book.decide({ ...first, version: 2, referrerId: 'bert' });
    expect(has('anna')).to.deep.equal(['0 reversed']);
    expect(has('bert')).to.deep.equal(['10 held']);
    expect(book.reward('anna')[0]?.explanation.at(-1)).to.equal(
      'The entitlement of 10 credits is withdrawn: the event is now credited to referrer "bert" ' +
        'under revision 1 of campaign "c1".',
    );
    expect(book.reward('anna')[0]?.cause?.decisionVersion).to.equal(2);
  });

  it('gives a business fact once while it moves from one event to another', () => {
    const late = purchaseDecision(2, { invoice: 7 });
    const early = purchaseDecision(1, { invoice: 7 });
    book.decide(late);
    book.decide(early);
    expect(has('anna')).to.deep.equal(['10 held']);
    expect(book.reward('anna')[0]?.cause?.eventId).to.equal(early.eventId);
    book.decide(asDuplicate(late, early.eventId));
    expect(has('anna')).to.deep.equal(['10 held']);
    expect(book.reward('anna')[0]?.cause?.eventId).to.equal(early.eventId);
  });

  it('moves a reward between campaigns of one referrer without a second reward', () => {
    book.publish(revisionOf({ campaignId: 'c2' }));
    const first = purchaseDecision(1);
    book.decide(first);
    book.release();
    book.decide({ ...first, version: 2, campaignId: 'c2' });
    book.release();
    expect(has('anna')).to.deep.equal(['10 issued']);
    expect(book.issuances()).to.have.length(1);
    expect(balance(book, 'entitled', 'c1')).to.equal('0');
    expect(balance(book, 'entitled', 'c2')).to.equal('-10');
  });

  it('does not make a new version when a decision changes in ways that mean nothing for it', () => {
    const first = purchaseDecision(1);
    book.decide(first);
    book.decide({ ...first, version: 2, flags: ['amount-differs'] });
    expect(book.reward('anna')[0]?.version).to.equal(1);
  });

  function notAttributed(decision: DecisionRecord, reason: 'unknown-code'): DecisionRecord {
    const { campaignId: _c, campaignRevision: _r, referrerId: _f, ...rest } = decision;
    return { ...rest, outcome: 'waiting', reason };
  }
});

function balance(book: Book, account: string, campaignId: string): string {
  const entries = book.postings().flatMap((posting) => posting.entries);
  const sum = entries
    .filter((entry) => entry.account === account && entry.campaignId === campaignId)
    .reduce((total, entry) => total + entry.credits, 0n);
  return formatCredits(sum);
}
