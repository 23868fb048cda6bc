import { expect } from 'chai';
import fc from 'fast-check';
import { type Arrival, arrivals } from '@tributary/attribution-fold/testing/arbitraries';
import { decideFromScratch } from '@tributary/attribution-fold/decide-from-scratch';
import { foldVersions as allFoldVersions } from '@tributary/attribution-fold/fold-version';
import { usualLimits } from './batch-limits.ts';
import { createModel } from '../testing/in-memory-model.ts';
import { smallLimits } from '../testing/small-limits.ts';

const numRuns = 1_500;

const limits = fc.constantFrom(usualLimits, smallLimits);
const foldVersions = fc.constantFrom(...allFoldVersions);

/**
 * Current decisions are compared, versions left out: how often a decision changed on the way is
 * history (promise 4).
 */
describe('attribution, over any history', function () {
  this.timeout(120_000);

  it('comes to the same decisions in any order, duplication and batching (promise 4)', async () => {
    const batching = fc.record({
      size: fc.integer({ min: 1, max: 6 }),
      sweepEvery: fc.integer({ min: 1, max: 4 }),
      limits,
      foldVersion: foldVersions,
    });
    await fc.assert(
      fc.asyncProperty(
        arrivals,
        batching,
        async ({ sets, order }, { size, sweepEvery, limits, foldVersion }) => {
          const model = createModel(limits, foldVersion);
          for (let i = 0; i < order.length; i += size) {
            const part = order.slice(i, i + size);
            for (const topic of ['events', 'codes', 'catalog'] as const) {
              // A batch holds records of one topic.
              const records = part.filter((a) => a.topic === topic).map((a) => a.record);
              if (records.length > 0) await model.apply(topic, records);
            }
            if ((i / size) % sweepEvery === 0) await model.sweep();
          }
          await model.sweep();
          expect(model.current()).to.deep.equal(decideFromScratch({ ...sets, foldVersion }));
        },
      ),
      { numRuns },
    );
  });

  it('is the fold from scratch after every single arrival and its sweep', async () => {
    await fc.assert(
      fc.asyncProperty(arrivals, limits, foldVersions, async ({ order }, limits, foldVersion) => {
        const model = createModel(limits, foldVersion);
        for (const [i, arrival] of order.entries()) {
          await model.apply(arrival.topic, [arrival.record]);
          await model.sweep();
          const sets = setsOf(order.slice(0, i + 1));
          expect(model.current()).to.deep.equal(decideFromScratch({ ...sets, foldVersion }));
        }
      }),
      { numRuns: numRuns / 3 },
    );
  });

  it('tells its decisions in full, of which it keeps digests, by folding once more', async () => {
    await fc.assert(
      fc.asyncProperty(arrivals, limits, foldVersions, async ({ order }, limits, foldVersion) => {
        const model = createModel(limits, foldVersion);
        for (const arrival of order) await model.apply(arrival.topic, [arrival.record]);
        await model.sweep();
        expect(await model.inFull()).to.deep.equal(model.current());
      }),
      { numRuns: numRuns / 3 },
    );
  });

  it('publishes versions without a gap, each different from the one before', async () => {
    await fc.assert(
      fc.asyncProperty(arrivals, async ({ order }) => {
        const model = createModel();
        for (const arrival of [...order, ...order]) {
          await model.apply(arrival.topic, [arrival.record]);
          await model.sweep();
        }
        for (const history of Map.groupBy(model.published(), (d) => d.eventId).values()) {
          history.forEach((decision, i) => {
            expect(decision.version).to.equal(i + 1);
            const before = history[i - 1];
            if (!before) return;
            expect({ ...before, version: 0 }).not.to.deep.equal({ ...decision, version: 0 });
          });
        }
      }),
      { numRuns: numRuns / 3 },
    );
  });
});

/** What has arrived so far, each record once. */
function setsOf(order: readonly Arrival[]): Parameters<typeof decideFromScratch>[0] {
  const once = [...new Set(order)];
  const catalog = once.flatMap((a) => (a.topic === 'catalog' ? [a.record] : []));
  return {
    events: once.flatMap((a) => (a.topic === 'events' ? [a.record] : [])),
    codes: once.flatMap((a) => (a.topic === 'codes' ? [a.record] : [])),
    revisions: catalog.filter((record) => record.entity === 'campaign-revision'),
    tenants: catalog.filter((record) => record.entity === 'tenant'),
  };
}
