import { setTimeout as delay } from 'node:timers/promises';
import { type ServiceName, serviceTable } from '../../../deploy/local/service-table.ts';
import { again, aMoment, events, type Load, underWay, webhooks } from './load.ts';
import type { Battlefield, Nemesis } from './nemesis.ts';

export function killService(
  name: ServiceName,
  load: Load = events,
  more: Pick<Nemesis, 'sources'> = {},
): Nemesis {
  return {
    ...more,
    name: `kill-${name}`,
    says: `SIGKILL of ${name} under load, again and again`,
    run: (field) => again(field, () => killOnce(field, name, load)),
  };
}

async function killOnce(field: Battlefield, name: ServiceName, load: Load): Promise<void> {
  const [replica] = field.stack.services[name].replicas;
  const { pid } = replica!;
  const hit = await underWay(field, load);
  const exit = await replica!.kill('SIGKILL');
  if (exit.signal === 'SIGKILL' && hit !== undefined) {
    field.fired(`${name} (pid ${pid}) ended by SIGKILL, ${hit}`);
  }
  await delay(field.random.below(1_000));
  field.undoing();
  await replica!.restart();
}

/** What a dispatcher has claimed is another's only when its lease is over: timeout and 15 s. */
export const shortLeases = { 'webhook-dispatcher': { TRIBUTARY_WEBHOOK_TIMEOUT_MS: '3000' } };

export const killDispatcher: Nemesis = {
  name: 'kill-webhook-dispatcher',
  says: 'SIGKILL of webhook-dispatcher while endpoints have its webhooks, again and again',
  stack: { variables: shortLeases },
  async run(field) {
    // They take a moment, so that there is something under way.
    field.receiver.behave({ status: 200, afterMs: 300 });
    await again(field, () => killOnce(field, 'webhook-dispatcher', webhooks));
    field.receiver.take();
  },
};

export const rollingRestart: Nemesis = {
  name: 'rolling-restart',
  says: 'every service is stopped by SIGTERM and started again under load, one after the other',
  async run(field) {
    for (const { name } of serviceTable) {
      const [replica] = field.stack.services[name].replicas;
      const { pid } = replica!;
      const hit = await underWay(field);
      const beganAt = performance.now();
      field.doing();
      const exit = await replica!.kill('SIGTERM');
      const tookMs = Math.round(performance.now() - beganAt);
      if (exit.code !== 0) throw new Error(`${name} ended with ${JSON.stringify(exit)}`);
      if (hit === undefined) throw new Error(`${name} was stopped without any load`);
      field.fired(`${name} (pid ${pid}) stopped in ${tookMs} ms, ${hit}`);
      field.undoing();
      await replica!.restart();
      await aMoment(field);
    }
  },
};
