import { createDatabase, type TestDatabase } from '@tributary/testkit/database';
import { isLong } from '@tributary/testkit/long-run';
import { expect } from 'chai';
import fc from 'fast-check';
import { type Arrival, arrivals } from '@tributary/attribution-fold/testing/arbitraries';
import { decideFromScratch } from '@tributary/attribution-fold/decide-from-scratch';
import { type Parts, startParts } from '../testing/parts.ts';
import { smallLimits } from '../testing/small-limits.ts';

describe('attribution, processes that apply and sweep at once (promise 4)', () => {
  let database: TestDatabase;
  let parts: Parts;
  let other: Parts;

  before(async () => {
    database = await createDatabase();
    parts = await startParts({ url: database.url });
    other = await startParts({ url: database.url, limits: smallLimits });
  });

  after(async () => {
    await parts.stop();
    await other.stop();
    await database.drop();
  });

  it('come to the fold from scratch, whatever the history', async function () {
    this.timeout(120_000);
    const until = Date.now() + (isLong ? 100_000 : 15_000);
    let tried = 0;
    for (const { sets, order } of fc.sample(arrivals, { numRuns: 500 })) {
      // Some at least, however busy the machine is.
      if (tried > 5 && Date.now() > until) break;
      await parts.clear();
      const lanes = [parts, other, parts, other].map(async (writer, lane) => {
        const own = order.filter((_, i) => i % 4 === lane);
        for (const batch of batchesOf(own, 1 + (tried % 4))) {
          await writer.apply(batch[0]!.topic, ...batch.map(({ record }) => record));
        }
      });
      let arrived = false;
      const sweepers = [parts, other].map(async (sweeper) => {
        while (!arrived) await sweeper.sweep();
      });
      await Promise.all(lanes).finally(() => (arrived = true));
      await Promise.all(sweepers);
      await parts.sweep();
      expect(await parts.current(), `history ${tried}`).to.deep.equal(decideFromScratch(sets));
      tried += 1;
    }
  });
});

/** Neighbours of one topic, as they come in batches. */
function batchesOf(order: readonly Arrival[], size: number): Arrival[][] {
  const batches: Arrival[][] = [];
  for (const arrival of order) {
    const last = batches.at(-1);
    if (last && last.length < size && last[0]?.topic === arrival.topic) last.push(arrival);
    else batches.push([arrival]);
  }
  return batches;
}
