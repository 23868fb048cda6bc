import { expect } from 'chai';
import { eventIdOf, purchase, refund } from '../testing/records.ts';
import type { Claim } from './claim.ts';
import { contest } from './contest.ts';
import { toFact } from './fact.ts';

const key = (name: string) => JSON.stringify(['purchase', 't1', name]);
const processor = { source: 'processor' as const };

/** As the table would be after these. */
function after(...facts: Parameters<typeof contest>[0]): Map<string, Claim> {
  return contest(facts, new Map()).claims;
}

describe('a contest for business keys', () => {
  it('touches nothing where nobody was before', () => {
    const { claims, touched, displaced, unrefunded } = contest([toFact(purchase(1))], new Map());
    expect([...claims.keys()]).to.deep.equal([key('inv_1')]);
    expect(claims.get(key('inv_1'))).not.to.have.property('invoice');
    expect([touched, displaced]).to.deep.equal([[], []]);
    expect([...unrefunded]).to.deep.equal([key('inv_1')]);
  });

  it('gives all names of an invoice one holder and one mark', () => {
    const claims = after(
      toFact(purchase(1, { invoiceId: 'b', aliases: ['a', 'c'], ...processor })),
    );
    expect([...claims.values()].map(({ invoice }) => invoice)).to.deep.equal(
      Array(3).fill(key('a')),
    );
    expect([...claims.values()].map(({ holder }) => holder?.eventId)).to.deep.equal(
      Array(3).fill(eventIdOf(1)),
    );
  });

  it('keeps the place of a purchase for which only refunds came', () => {
    const present = after(toFact(refund(1, { invoiceId: 'a' })));
    expect(present.get(key('a'))).not.to.have.property('holder');
    const { touched, claims } = contest([toFact(purchase(2, { invoiceId: 'a' }))], present);
    expect(touched.map(({ businessKey }) => businessKey)).to.deep.equal([key('a')]);
    expect(claims.get(key('a'))?.holder?.eventId).to.equal(eventIdOf(2));
  });

  it('joins what a new fact names together, under one of the marks that were there', () => {
    const present = new Map([
      ...after(toFact(purchase(1, { invoiceId: 'm', aliases: ['n'], ...processor }))),
      ...after(toFact(purchase(2, { invoiceId: 'a' }))),
    ]);
    const joining = toFact(purchase(3, { invoiceId: 'z', aliases: ['n', 'a'], ...processor }));
    const { claims, touched, displaced } = contest([joining], present);
    expect(new Set([...claims.values()].map(({ invoice }) => invoice)).size).to.equal(1);
    expect(claims.get(key('m'))?.holder?.eventId).to.equal(eventIdOf(2));
    expect(touched).to.have.length(1);
    expect(displaced.map(({ eventId }) => eventId)).to.deep.equal([eventIdOf(1)]);
  });

  it('leaves the others alone when a later report of the same comes', () => {
    const present = after(toFact(purchase(1, { invoiceId: 'a' })));
    const later = purchase(2, { invoiceId: 'a', source: 'legacy' });
    expect(contest([toFact(later)], present).touched).to.deep.equal([]);
  });
});
