import { expect } from 'chai';
import { Registry } from 'prom-client';
import { gaugesOf, sharedLook } from './metrics.ts';

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
