import { expect } from 'chai';
import { sharedLook } from '@tributary/runtime/shared-look';
import { Registry } from 'prom-client';
import {
  counter,
  createGenerationMetrics,
  createMeasure,
  createMetrics,
  gauge,
  histogram,
  measured,
  measuredBy,
  mergedMetrics,
  mirroredRows,
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
  it('are read when somebody asks, and have no line while they cannot be read', async () => {
    const registry = new Registry();
    let next: Promise<number> | number = 3;
    createMetrics(registry, { waiting: measured('How many wait.', () => next) });
    expect(await registry.metrics()).to.include('waiting 3\n');
    next = Promise.reject(new Error('the database is away'));
    expect(await registry.metrics()).not.to.match(/^waiting/m);
    next = new Promise(() => undefined);
    expect(await registry.metrics()).not.to.match(/^waiting/m);
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

  it('have no line any more for a value that is not found again', async () => {
    const registry = new Registry();
    let found: Record<string, number> = { one: 1, two: 2 };
    createMetrics(registry, { parts: measuredBy('part', 'Parts.', async () => found) });
    await registry.metrics();
    found = { two: 3 };
    const text = await registry.metrics();
    expect(text).to.include('parts{part="two"} 3\n').and.not.to.include('part="one"');
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

describe('counters that somebody else keeps', () => {
  it('have the number that is read, and no line while none can be read', async () => {
    const registry = new Registry();
    let next: Promise<number> = Promise.resolve(3);
    createMetrics(registry, { read_total: mirroredRows('What was read.', [], () => next) });
    expect(await registry.metrics())
      .to.include('# TYPE read_total counter\n')
      .and.include('read_total 3\n');
    expect(await registry.metrics(), 'not added up').to.include('read_total 3\n');
    next = Promise.reject(new Error('the edge is away'));
    expect(await registry.metrics()).not.to.match(/^read_total/m);
    next = Promise.resolve(5);
    expect(await registry.metrics()).to.include('read_total 5\n');
  });

  it('have a line for each value of their label', async () => {
    const registry = new Registry();
    const read = () => [
      { labels: { result: 'handled' }, value: 2 },
      { labels: { result: 'dropped' }, value: 0 },
    ];
    createMetrics(registry, { links_total: mirroredRows('Links.', ['result'], read) });
    for (const _time of ['once', 'again']) {
      const text = await registry.metrics();
      expect(text).to.include('links_total{result="handled"} 2\nlinks_total{result="dropped"} 0\n');
    }
  });
});

describe('metrics of the parts of a process', () => {
  const ofPool = (pool: string, read: () => number) => ({
    help: 'Connections.',
    labels: ['pool'],
    read: () => [{ labels: { pool }, value: read() }],
  });

  it('are one metric for parts that have the same; one that cannot be read hides no other', async () => {
    const registry = new Registry();
    const measure = createMeasure(registry);
    measure.gauge(
      'connections',
      ofPool('own', () => 3),
    );
    measure.gauge(
      'connections',
      ofPool('away', () => {
        throw new Error('the database is away');
      }),
    );
    const observers = ['one', 'two'].map((topic) => {
      let observe: (seconds: number) => void = () => undefined;
      measure.duration('append_seconds', {
        ...{ help: 'Appends.', labels: ['topic'], buckets: [1, 5] },
        follow: (observed) => (observe = (seconds) => observed(seconds, { topic })),
      });
      return (seconds: number) => observe(seconds);
    });
    observers.forEach((observe, i) => observe(i + 1));
    const text = await registry.metrics();
    expect(text).to.include('connections{pool="own"} 3\n').and.not.to.include('away"');
    expect(text).to.include('append_seconds_sum{topic="one"} 1\n');
    expect(text).to.include('append_seconds_sum{topic="two"} 2\n');
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
