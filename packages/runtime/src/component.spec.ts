import { expect } from 'chai';
import { type Component, compose, type Gauge } from './component.ts';

describe('composed components', () => {
  function composition() {
    const events: string[] = [];
    const stops: (() => Promise<void> | void)[] = [];
    const gauges = new Map<string, Gauge>();
    const { add, start, checks } = compose({
      onStop: (_name, stop) => void stops.push(stop),
      measure: { gauge: (name, gauge) => void gauges.set(name, gauge), duration: () => undefined },
    });
    const part = (name: string, failure?: Error) => ({
      async start() {
        events.push(`start ${name}`);
        if (failure) throw failure;
      },
      stop: () => void events.push(`stop ${name}`),
    });
    async function stopAll(): Promise<void> {
      for (const stop of stops.reverse()) await stop();
    }
    return { add, start, checks, part, events, gauges, stopAll };
  }

  it('stop in the reverse of the order in which they were added', async () => {
    const { add, start, part, events, stopAll } = composition();
    add('pool', { stop: part('pool').stop });
    const listener = add('listener', part('listener'));
    await start('log', part('log'));
    await listener.start();
    await stopAll();
    expect(events).to.eql([
      'start log',
      'start listener',
      'stop log',
      'stop listener',
      'stop pool',
    ]);
  });

  it('are not stopped when their start failed', async () => {
    const { start, part, events, stopAll } = composition();
    await start('log', part('log'));
    const failure = await start('catalog', part('catalog', new Error('no catalog'))).catch(
      (error: unknown) => error,
    );
    expect(failure).to.have.property('message', 'no catalog');
    await stopAll();
    expect(events).to.eql(['start log', 'start catalog', 'stop log']);
  });

  it('have their health and gauges known once they are added', async () => {
    const { add, start, checks, gauges } = composition();
    const listener: Component = { health: () => ({ ok: false, detail: 'not open yet' }) };
    add('listener', listener);
    await start('outbox', {
      health: () => ({ ok: true }),
      gauges: { outbox_pending: { help: 'Records not on the log yet.', read: () => 7 } },
    });
    await start('sweeper', {});
    expect(Object.keys(checks())).to.eql(['listener', 'outbox']);
    expect(await checks()['listener']?.()).to.eql({ ok: false, detail: 'not open yet' });
    expect([...gauges.keys()]).to.eql(['outbox_pending']);
    expect(gauges.get('outbox_pending')?.read()).to.equal(7);
  });
});
