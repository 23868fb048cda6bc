import { expect } from 'chai';
import { Registry } from 'prom-client';
import { createGenerationMetrics, gaugesOf, mergedMetrics, sharedLook } from './metrics.ts';

describe('gauges of a registry', () => {
  it('are read when somebody asks, and keep their last value when they cannot be', async () => {
    const registry = new Registry();
    let next: Promise<number> | number = 3;
    gaugesOf(registry)('waiting', 'How many wait.', () => next);
    expect(await registry.metrics()).to.include('waiting 3\n');
    next = Promise.reject(new Error('the database is away'));
    expect(await registry.metrics()).to.include('waiting 3\n');
    next = Promise.resolve(4);
    expect(await registry.metrics()).to.include('waiting 4\n');
  });

  it('share one look at a table, and look again the next time', async () => {
    const registry = new Registry();
    let looks = 0;
    const look = sharedLook(async () => ({ a: ++looks, b: looks }));
    const gauge = gaugesOf(registry);
    gauge('a', 'A.', async () => (await look()).a);
    gauge('b', 'B.', async () => (await look()).b);
    await registry.metrics();
    expect(looks).to.equal(1);
    expect(await registry.metrics()).to.include('b 2\n');
  });
});

describe('metrics of several generations', () => {
  it('are one group of lines per metric, told apart by a label', async () => {
    const own = new Registry();
    gaugesOf(own)('alone', 'Only here.', () => 1);
    const generations = [1, 2].map((generation) => {
      const registry = createGenerationMetrics('fold', generation);
      gaugesOf(registry)('waiting', 'How many wait.', () => 10 * generation);
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
