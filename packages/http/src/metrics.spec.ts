import { expect } from 'chai';
import { Registry } from 'prom-client';
import {
  counter,
  createGenerationMetrics,
  createMetrics,
  gauge,
  histogram,
  measured,
  measuredBy,
  mergedMetrics,
  sharedLook,
} from './metrics.ts';

describe('a table of metrics', () => {
  it('is registered as a whole; each goes by its own name', async () => {
    const registry = new Registry();
    const metrics = createMetrics(registry, {
      answers_total: counter('Answers.', ['status']),
      answer_seconds: histogram('How long they take.', [1, 5]),
      ahead_seconds: gauge('By how much.'),
    });
    metrics.answers_total.inc({ status: 'good' });
    metrics.answers_total.inc({ status: 'good' });
    metrics.answer_seconds.observe(3);
    metrics.ahead_seconds.set(-1.5);
    const text = await registry.metrics();
    expect(text).to.include('# HELP answers_total Answers.\n# TYPE answers_total counter\n');
    expect(text).to.include('answers_total{status="good"} 2\n');
    expect(text).to.include('answer_seconds_bucket{le="1"} 0\nanswer_seconds_bucket{le="5"} 1\n');
    expect(text).to.include('ahead_seconds -1.5\n');
  });
});

describe('gauges of a registry', () => {
  it('are read when somebody asks, and keep their last value when they cannot be', async () => {
    const registry = new Registry();
    let next: Promise<number> | number = 3;
    createMetrics(registry, { waiting: measured('How many wait.', () => next) });
    expect(await registry.metrics()).to.include('waiting 3\n');
    next = Promise.reject(new Error('the database is away'));
    expect(await registry.metrics()).to.include('waiting 3\n');
    next = Promise.resolve(4);
    expect(await registry.metrics()).to.include('waiting 4\n');
  });

  it('have a line for each value of their label', async () => {
    const registry = new Registry();
    const read = () => Promise.resolve({ open: 2, closed: 0 });
    createMetrics(registry, { breakers: measuredBy('state', 'Breakers.', read) });
    const text = await registry.metrics();
    expect(text).to.include('breakers{state="open"} 2\nbreakers{state="closed"} 0\n');
  });

  it('share one look at a table, and look again the next time', async () => {
    const registry = new Registry();
    let looks = 0;
    const look = sharedLook(async () => ({ a: ++looks, b: looks }));
    createMetrics(registry, {
      a: measured('A.', async () => (await look()).a),
      b: measured('B.', async () => (await look()).b),
    });
    await registry.metrics();
    expect(looks).to.equal(1);
    expect(await registry.metrics()).to.include('b 2\n');
  });
});

describe('metrics of several generations', () => {
  it('are one group of lines per metric, distinguished by a label', async () => {
    const own = new Registry();
    createMetrics(own, { alone: measured('Only here.', () => 1) });
    const generations = [1, 2].map((generation) => {
      const registry = createGenerationMetrics('fold', generation);
      createMetrics(registry, {
        waiting: measured('How many wait.', () => 10 * generation),
      });
      return registry;
    });
    const merged = mergedMetrics(() => [own, ...generations]);
    expect(await merged.metrics()).to.equal(
      [
        '# HELP alone Only here.\n# TYPE alone gauge\nalone 1\n',
        '# HELP waiting How many wait.\n# TYPE waiting gauge',
        'waiting{service="fold",generation="1"} 10',
        'waiting{service="fold",generation="2"} 20\n',
      ].join('\n'),
    );
    generations.pop();
    expect(await merged.metrics()).not.to.include('generation="2"');
  });
});
