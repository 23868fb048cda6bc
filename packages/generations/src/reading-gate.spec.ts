import { createLogger } from '@tributary/runtime/logger';
import { eventually } from '@tributary/testkit/eventually';
import { expect } from 'chai';
import { createReadingGate, type Lag, type ReadingGate } from './reading-gate.ts';

const logger = createLogger({ service: 'test', level: 'silent' });
const none: Lag = { records: 0, movedAtMs: -Infinity };

describe('what a generation reads', () => {
  let gate: ReadingGate;
  afterEach(() => gate.stop());

  it('is what others name first, until that has been read, and then everything for good', async () => {
    let areRead = false;
    let asked = 0;
    const first = {
      sources: ['codes', 'catalog'],
      areRead: Object.assign(
        () => {
          asked += 1;
          return asked === 1 ? Promise.reject(new Error('no brokers')) : Promise.resolve(areRead);
        },
        { stillMs: () => 0 },
      ),
    };
    gate = createReadingGate({ logger, first, own: () => none, live: () => undefined });
    gate.start();
    await eventually(() => expect(asked).to.be.greaterThan(2));
    expect(['events', 'codes', 'catalog'].map(gate.mayRead)).to.deep.equal([false, true, true]);
    areRead = true;
    await eventually(() => expect(gate.mayRead('events')).to.equal(true));
    areRead = false;
    const looks = asked;
    expect(gate.mayRead('events')).to.equal(true);
    expect(asked).to.equal(looks);
  });

  it('is everything, too, when what comes first has stood still for long without its end', async () => {
    let stillMs = 29_000;
    let asked = 0;
    const areRead = () => Promise.resolve(false);
    const standStill = () => {
      asked += 1;
      return stillMs;
    };
    const first = { sources: ['codes'], areRead: Object.assign(areRead, { stillMs: standStill }) };
    gate = createReadingGate({ logger, first, own: () => none, live: () => undefined });
    gate.start();
    await eventually(() => expect(asked).to.be.greaterThan(2));
    expect(gate.mayRead('events')).to.equal(false);
    stillMs = 31_000;
    await eventually(() => expect(gate.mayRead('events')).to.equal(true));
  });

  it('is everything where nothing comes first', () => {
    gate = createReadingGate({ logger, own: () => none, live: () => undefined });
    gate.start();
    expect(gate.mayRead('events')).to.equal(true);
    expect(gate.givesWay()).to.equal(false);
  });

  const far: Lag = { records: 50_000, movedAtMs: -Infinity };
  const close: Lag = { records: 400, movedAtMs: -Infinity };
  const cases: [string, { own: Lag; live: () => Lag | undefined; waits: boolean }][] = [
    ['waits while the live one is behind', { own: far, live: () => behind(21), waits: true }],
    ['goes on while that keeps up', { own: far, live: () => behind(20), waits: false }],
    ['waits for nobody when it is live', { own: far, live: () => undefined, waits: false }],
    ['goes on when it is near the end', { own: close, live: () => behind(5_000), waits: false }],
    [
      'goes on beside one that stands still',
      { own: far, live: () => behind(5_000, 6_000), waits: false },
    ],
  ];
  for (const [title, { own, live, waits }] of cases) {
    it(title, () => {
      gate = createReadingGate({ logger, own: () => own, live });
      expect(gate.givesWay()).to.equal(waits);
    });
  }

  it('takes its turn when it has waited for a second, and waits again when it had it', async () => {
    let own = far;
    gate = createReadingGate({ logger, own: () => own, live: () => behind(5_000) });
    for (let turn = 0; turn < 2; turn++) {
      expect(gate.givesWay()).to.equal(true);
      await eventually(() => expect(gate.givesWay()).to.equal(false));
      expect(gate.givesWay(), 'until it has taken it').to.equal(false);
      own = { ...far, movedAtMs: performance.now() };
    }
  });

  function behind(records: number, stillForMs = 0): Lag {
    return { records, movedAtMs: performance.now() - stillForMs };
  }
});
