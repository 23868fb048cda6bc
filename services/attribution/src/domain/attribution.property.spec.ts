import type { CampaignRevisionRecord } from '@tributary/contracts/catalog-record';
import type { CodeRecord } from '@tributary/contracts/code-record';
import type { EventRecord } from '@tributary/contracts/event-record';
import { expect } from 'chai';
import fc from 'fast-check';
import { createModel, decideFromScratch } from '../testing/in-memory-model.ts';
import { arrivals } from '../testing/arbitraries.ts';

const seed = Date.now() % 2 ** 31;
const numRuns = 500;

describe('attribution, over any history', () => {
  it(`comes to the same decisions in any order, duplication and batching (promise 4, seed ${seed})`, () => {
    fc.assert(
      fc.property(arrivals, fc.integer({ min: 1, max: 5 }), ({ sets, order }, batch) => {
        const model = createModel();
        for (let i = 0; i < order.length; i += batch) {
          const part = order.slice(i, i + batch);
          // A batch holds records of one topic.
          model.receive(...part.flatMap((a) => (a.topic === 'events' ? [a.record] : [])));
          model.issue(...part.flatMap((a) => (a.topic === 'codes' ? [a.record] : [])));
          for (const a of part) if (a.topic === 'catalog') model.publish(a.record);
          if (i % 3 === 0) model.sweep();
        }
        model.sweep();
        expect(model.current()).to.deep.equal(decideFromScratch(sets));
      }),
      { seed, numRuns },
    );
  });

  it(`is the fold from scratch after every single arrival (seed ${seed})`, () => {
    fc.assert(
      fc.property(arrivals, ({ order }) => {
        const model = createModel();
        const events: EventRecord[] = [];
        const codes: CodeRecord[] = [];
        const revisions: CampaignRevisionRecord[] = [];
        for (const arrival of order) {
          switch (arrival.topic) {
            case 'events':
              model.receive(arrival.record);
              events.push(arrival.record);
              break;
            case 'codes':
              model.issue(arrival.record);
              if (!codes.includes(arrival.record)) codes.push(arrival.record);
              break;
            case 'catalog':
              model.publish(arrival.record);
              model.sweep();
              if (!revisions.includes(arrival.record)) revisions.push(arrival.record);
          }
          expect(model.current()).to.deep.equal(decideFromScratch({ events, codes, revisions }));
        }
      }),
      { seed, numRuns: numRuns / 2 },
    );
  });

  it(`publishes versions without a gap, each different from the one before (seed ${seed})`, () => {
    fc.assert(
      fc.property(arrivals, ({ order }) => {
        const model = createModel();
        for (const arrival of [...order, ...order]) {
          if (arrival.topic === 'events') model.receive(arrival.record);
          if (arrival.topic === 'codes') model.issue(arrival.record);
          if (arrival.topic === 'catalog') model.publish(arrival.record);
          model.sweep();
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
      { seed, numRuns: numRuns / 2 },
    );
  });
});
