import { setTimeout as delay } from 'node:timers/promises';
import { patiently } from '@tributary/testkit/patience';
import { createAdminClient } from '../../../deploy/demo/admin-client.ts';
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

type Job = { jobId: string; status: string; result?: { outcome: string } };

/** Without a result, a job that long hangs. */
const buildMs = 120_000;

export const killReplay: Nemesis = {
  name: 'kill-replay',
  says: 'SIGKILL of replay under load while it builds a generation, which is then finished',
  async run(field) {
    const { stack, random, fired } = field;
    const { baseUrl, adminToken } = stack.demo;
    const admin = createAdminClient({ baseUrl, token: adminToken });
    const [replica] = stack.services.replay.replicas;
    let job = await admin.call<Job>('POST', '/api/replay/generations', { by: 'olga' });
    const read = async () => {
      job = await admin.call<Job>('GET', `/api/replay/jobs/${job.jobId}`);
      return job.status;
    };
    while ((await read()) === 'queued') await delay(20);
    await delay(random.below(500));
    const hit = await underWay(field);
    const status = await read();
    field.doing();
    const exit = await replica!.kill('SIGKILL');
    field.undoing();
    await replica!.restart();
    if (exit.signal === 'SIGKILL' && status === 'running' && hit !== undefined) {
      fired(`replay ended by SIGKILL while a generation was built, ${hit}`);
    }
    const deadline = performance.now() + patiently(buildMs);
    while (['queued', 'running'].includes(await read()) && performance.now() < deadline) {
      await delay(250);
    }
    if (job.result?.outcome !== 'ready') {
      throw new Error(`the generation that was being built came to ${JSON.stringify(job)}`);
    }
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
