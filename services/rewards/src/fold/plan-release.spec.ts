import { expect } from 'chai';
import { type Book, createBook } from '../testing/in-memory-book.ts';
import {
  asDuplicate,
  purchaseDecision,
  revisionOf,
  signupDecision,
} from '@tributary/rewards-fold/testing/records';
import { formatCredits } from '@tributary/rewards-fold/credits';

describe('release', () => {
  let book: Book;
  const first = purchaseDecision(1);
  const second = purchaseDecision(2);

  beforeEach(() => {
    book = createBook();
    book.publish(revisionOf());
  });

  const issued = () => book.issuances().map((fact) => formatCredits(fact.credits));
  const states = () => book.reward('anna').map((reward) => reward.state);

  it('issues an entitlement once, with ids that follow from the reward', () => {
    book.decide(first);
    book.release();
    const [fact] = book.issuances();
    book.release();
    expect(issued()).to.deep.equal(['10']);
    expect(states()).to.deep.equal(['issued']);
    const again = createBook();
    again.publish(revisionOf());
    again.decide(first);
    again.release();
    expect(again.issuances()[0]).to.deep.equal(fact);
  });

  it('issues nothing for what was withdrawn before its release', () => {
    book.decide(first);
    book.decide(asDuplicate(first, 'other'));
    book.release();
    expect(issued()).to.deep.equal([]);
    expect(states()).to.deep.equal(['reversed']);
  });

  it('nets what was withdrawn after its issue against later rewards, and sends no zero', () => {
    book.decide(first);
    book.release();
    book.decide(asDuplicate(first, 'other'));
    book.decide(second);
    book.release();
    expect(issued()).to.deep.equal(['10']);
    expect(states()).to.deep.equal(['reversed', 'issued']);
    expect(book.reward('anna')[1]?.settlement).to.deep.equal([
      '10 credits were netted against credits withdrawn after their issue.',
    ]);
    book.decide(purchaseDecision(3));
    book.release();
    expect(issued()).to.deep.equal(['10', '10']);
  });

  it('nets a part and issues the rest', () => {
    book.decide(signupDecision(9));
    book.release();
    book.decide(asDuplicate(signupDecision(9), 'other'));
    book.decide(first);
    book.release();
    expect(issued()).to.deep.equal(['2.5', '7.5']);
  });

  it('pays a reward that came back after its credits were netted, as a correction', () => {
    book.decide(first);
    book.release();
    const gone = asDuplicate(first, 'other');
    book.decide(gone, second);
    book.release();
    book.decide({ ...first, version: 3 });
    book.release();
    book.release();
    expect(issued()).to.deep.equal(['10', '10']);
    expect(new Set(book.issuances().map((fact) => fact.issuanceId)).size).to.equal(2);
    expect(book.totals('anna')).to.deep.equal({ entitled: 20000000n, issued: 20000000n, held: 0n });
  });

  it('never issues again what the log says was issued, whichever is read first', () => {
    book.decide(first, second);
    book.release();
    const facts = book.issuances();
    for (const factsFirst of [true, false]) {
      const rebuilt = createBook();
      rebuilt.publish(revisionOf());
      if (factsFirst) rebuilt.receive(...facts);
      rebuilt.decide(first, second);
      if (!factsFirst) rebuilt.receive(...facts);
      rebuilt.receive(...facts);
      rebuilt.release();
      expect(rebuilt.issuances()).to.have.length(2);
      expect(rebuilt.totals('anna')).to.deep.equal(book.totals('anna'));
      expect(rebuilt.reward('anna').map((r) => r.state)).to.deep.equal(['issued', 'issued']);
    }
  });
});
