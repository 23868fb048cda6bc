import { expect } from 'chai';
import { cursorOf, endOf, firstPlace, type Place, placeOf, spanOf, type Walk } from './walk.ts';

describe('walk', () => {
  const walk = (kind: Walk['kind']): Walk => ({ kind, since: 10_000_000, lookBackDays: 60 });

  it('ends at since, for invoices so much before as they may be paid later, for sessions a day', () => {
    expect(endOf(walk('refunds'))).to.equal(10_000_000);
    expect(endOf(walk('invoices'))).to.equal(10_000_000 - 60 * 86_400);
    expect(endOf(walk('sessions'))).to.equal(10_000_000 - 86_400);
    expect(endOf({ kind: 'invoices', since: 5, lookBackDays: 60 })).to.equal(0);
  });

  it('covers all of the time by its pages, without a gap', () => {
    const refunds = walk('refunds');
    const [a, b] = [{ createdAt: 10_000_900 }, { createdAt: 10_000_500 }];
    const first = spanOf(refunds, { until: Infinity }, [a, b], false);
    expect(first).to.deep.equal({ from: 10_000_500, until: Infinity });
    const none = spanOf(refunds, { until: first.from }, [], false);
    expect(none).to.deep.equal({ from: 10_000_500, until: 10_000_500 });
    const last = spanOf(refunds, { until: none.from }, [], true);
    expect(last).to.deep.equal({ from: 10_000_000, until: 10_000_500 });
  });

  it('finds its place again by the cursor', () => {
    const below = {
      madeAt: 3,
      itemId: '01234567-89ab-cdef-0123-456789abcdef',
      eventId: '11234567-89ab-cdef-0123-456789abcdef',
    };
    const places: Place[] = [
      firstPlace,
      { at: 'list', after: 'in_1', until: 7 },
      { at: 'extras', span: { from: 1, until: 9 }, below, after: null },
      { at: 'extras', span: { from: 1, until: 9 }, below, after: 're_1' },
    ];
    for (const place of places) expect(placeOf(cursorOf(place))).to.deep.equal(place);
  });

  it('takes no cursor that it did not give out', () => {
    const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
    for (const cursor of [
      'x',
      encoded(null),
      encoded('list'),
      encoded({ at: 'list' }),
      encoded({ at: 'list', until: -1 }),
      encoded({ at: 'list', until: 1, after: '' }),
      encoded({ at: 'extras', span: { from: 1, until: 2 }, after: null }),
      encoded({
        ...{ at: 'extras', span: { from: 1, until: 2 }, after: null },
        below: { madeAt: 1, itemId: "'", eventId: 'x' },
      }),
    ]) {
      expect(placeOf(cursor), cursor).to.equal(undefined);
    }
  });
});
