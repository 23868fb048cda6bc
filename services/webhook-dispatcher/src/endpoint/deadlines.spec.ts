import { eventually } from '@tributary/testkit/eventually';
import { expect } from 'chai';
import { createDeadlines } from './deadlines.ts';

describe('createDeadlines', () => {
  it('lets what is not removed expire, in the order in which it was added', async () => {
    const deadlines = createDeadlines(20);
    const expired: number[] = [];
    const timed = Array.from({ length: 100 }, (_, nth) => ({ expire: () => expired.push(nth) }));
    for (const one of timed) deadlines.add(one);
    for (const [nth, one] of timed.entries()) if (nth % 3 > 0) deadlines.remove(one);
    const left = timed.flatMap((_, nth) => (nth % 3 > 0 ? [] : [nth]));
    await eventually(() => expect(expired).to.deep.equal(left));
  });

  it('goes on with what was added while others expired, or after nothing was left', async () => {
    const deadlines = createDeadlines(20);
    const expired: string[] = [];
    deadlines.add({
      expire() {
        expired.push('first');
        deadlines.add({ expire: () => expired.push('second') });
      },
    });
    await eventually(() => expect(expired).to.deep.equal(['first', 'second']));
    const removed = { expire: () => expired.push('removed') };
    deadlines.add(removed);
    deadlines.remove(removed);
    deadlines.add({ expire: () => expired.push('third') });
    await eventually(() => expect(expired).to.deep.equal(['first', 'second', 'third']));
  });
});
