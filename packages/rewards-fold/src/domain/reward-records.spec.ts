import { issuanceCodec } from '@tributary/contracts/issuance-record';
import { expect } from 'chai';
import { createSettlementBook } from '../testing/settlement-book.ts';
import { parseCredits } from './credits.ts';
import {
  actionFromWire,
  actionToWire,
  issuanceFromWire,
  issuanceToWire,
} from './reward-records.ts';

const noon = '2026-03-08T12:00:00.000Z';

describe('facts on the log', () => {
  it('come back as they were written', () => {
    const book = createSettlementBook();
    book.fold({ n: 1, credits: '10' });
    const action = { ...book.act(1, 'withheld', noon)!, note: 'why' };
    book.act(1, 'released', noon);
    const [issuance] = book.release(noon);
    const wire = actionToWire(action);
    const fact = issuanceToWire(issuance!);
    for (const record of [wire, fact]) {
      expect(issuanceCodec.decode(Buffer.from(issuanceCodec.encode(record)))).to.deep.equal({
        outcome: 'record',
        value: record,
      });
    }
    expect(actionFromWire(wire)).to.deep.equal(action);
    expect(issuanceFromWire(fact)).to.deep.equal(issuance);
  });

  it('hold what the dearest rule gives for the largest amount', () => {
    const book = createSettlementBook();
    // 10,000 % of 2^53 - 1 yen, at the most credits that a rule can name for one.
    const most = 9_007_199_254_740_991n * 100n * parseCredits('999999999999999999.999999');
    const credits = `${most / 1_000_000n}.${most % 1_000_000n}`;
    book.fold({ n: 1, credits });
    const [issuance] = book.release(noon);
    expect(() => issuanceCodec.encode(issuanceToWire(issuance!))).to.not.throw();
  });
});
