import { expect } from 'chai';
import type { Need, Reading } from './model.ts';
import { type Asking, nextAsking } from './next-asking.ts';

describe('nextAsking', () => {
  const knownSince = '2026-03-01T10:00:00.000Z';
  const need: Need = { type: 'customer', id: 'cus_1' };
  const unmatched: Asking = {
    state: 'unmatched',
    reason: 'no-metadata',
    knownSince,
    lastEventAt: knownSince,
  };
  const incomplete: Asking = { ...unmatched, state: 'waiting', reason: 'incomplete' };
  const unpaid: Asking = { ...unmatched, state: 'waiting', reason: 'unpaid' };

  function readAt(receivedAt: string): Reading {
    return {
      receivedAt,
      object: { object: 'customer', id: 'cus_1', deleted: false, ucc: null, newUserId: null },
    };
  }

  function dueAt(item: Asking, asked: Need, read?: string): string | undefined {
    return nextAsking(item, asked, read === undefined ? undefined : readAt(read))?.dueAt;
  }

  it('is at once while nothing was answered', () => {
    for (const item of [unmatched, incomplete, unpaid]) {
      expect(nextAsking(item, need, undefined)).to.deep.equal({ need, dueAt: knownSince });
    }
  });

  it('is at once while what completes an item was read too early', () => {
    const since = '2026-03-01T10:00:00.001Z';
    expect(dueAt(incomplete, { ...need, since }, knownSince)).to.equal(knownSince);
    expect(dueAt(incomplete, { ...need, since }, since)).to.equal('2026-03-01T10:01:00.000Z');
  });

  it('is later when a further answer would be the same', () => {
    const since = '2026-03-01T10:00:00.001Z';
    for (const item of [unmatched, unpaid]) {
      expect(dueAt(item, { ...need, since }, knownSince)).to.equal('2026-03-01T10:01:00.000Z');
    }
  });

  it('is 1 min, 10 min, 1 h, 6 h, 1 d, 3 d, 7 d, 14 d after the first knowledge, then every 30 d up to 90 d', () => {
    const asked: string[] = [];
    for (let last: string | undefined = knownSince; last; last = dueAt(unmatched, need, last)) {
      asked.push(last);
    }
    expect(asked.slice(1)).to.deep.equal([
      '2026-03-01T10:01:00.000Z',
      '2026-03-01T10:10:00.000Z',
      '2026-03-01T11:00:00.000Z',
      '2026-03-01T16:00:00.000Z',
      '2026-03-02T10:00:00.000Z',
      '2026-03-04T10:00:00.000Z',
      '2026-03-08T10:00:00.000Z',
      '2026-03-15T10:00:00.000Z',
      '2026-04-07T10:00:00.000Z',
      '2026-05-07T10:00:00.000Z',
    ]);
  });

  it('passes over the ages that an answer came too late for', () => {
    expect(dueAt(unmatched, need, '2026-03-01T12:30:00.000Z')).to.equal('2026-03-01T16:00:00.000Z');
  });

  it('is at once, and for a younger answer, after each event of the customer', () => {
    const lastEventAt = '2026-03-05T00:00:00.000Z';
    const item = { ...unmatched, lastEventAt };
    expect(nextAsking(item, need, readAt('2026-03-04T23:59:59.999Z'))).to.deep.equal({
      need: { ...need, since: lastEventAt },
      dueAt: lastEventAt,
    });
    expect(dueAt(item, need, lastEventAt)).to.equal('2026-03-08T10:00:00.000Z');
    const session: Need = { type: 'checkout-session', id: 'cs_1' };
    expect(dueAt({ ...unpaid, lastEventAt }, session, '2026-03-04T23:59:59.999Z')).to.equal(
      '2026-03-08T10:00:00.000Z',
    );
  });
});
