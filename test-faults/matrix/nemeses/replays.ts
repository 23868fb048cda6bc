import { setTimeout as delay } from 'node:timers/promises';
import type { ServiceName } from '../../../deploy/local/service-table.ts';
import { askForJob, type Job } from '../replay-job.ts';
import { campaignId, campaignWith } from '../tenants.ts';
import { underWay } from './load.ts';
import type { Battlefield, Nemesis } from './nemesis.ts';
import { endAllSessions } from './postgres.ts';

const generations = '/api/replay/generations';
const by = 'olga';

export const killReplay: Nemesis = {
  name: 'kill-replay',
  says: 'SIGKILL of replay under load while it builds a generation, which is then finished',
  async run(field) {
    const job = await askForJob(field.stack.demo, generations, { by });
    await job.begun();
    await delay(field.random.below(500));
    await killDuring(field, 'replay', 'while a generation was built', job);
    wants(await job.over(), ({ outcome }) => outcome === 'ready');
  },
};

export const killedSwap: Nemesis = {
  name: 'killed-swap',
  says: 'a generation is built and made live and a campaign is previewed, while those who do it are killed',
  async run(field) {
    const { demo } = field.stack;
    const building = await askForJob(demo, generations, { by });
    for (const name of ['replay', 'attribution', 'replay', 'rewards'] as const) {
      await building.begun();
      await delay(field.random.below(500));
      await killDuring(field, name, 'while a generation was built', building);
    }
    const built = await building.over();
    wants(built, ({ outcome }) => outcome === 'ready');

    const [{ tenantId } = { tenantId: '' }] = demo.tenants;
    const campaign = campaignWith(2_000);
    const body = { ...{ tenantId, campaignId, campaign }, effectiveFrom: '2020-01-01T00:00:00Z' };
    const preview = await askForJob(demo, '/api/replay/previews', body);
    await preview.begun();
    await killDuring(field, 'replay', 'during a preview', preview);
    wants(await preview.over(), () => true);

    const { generation } = built.result!;
    const swap = await askForJob(demo, `${generations}/${generation}/swap`, { by });
    await swap.begun();
    await killDuring(field, 'rewards', 'during a swap', swap);
    await killDuring(field, 'replay', 'during a swap', swap);
    const { sessions } = await endAllSessions(field);
    field.fired(`${sessions} sessions were ended during a swap`);
    wants(await swap.over(), ({ to }) => to === generation);
  },
};

async function killDuring(
  field: Battlefield,
  name: ServiceName,
  when: string,
  job: { read(): Promise<Job> },
): Promise<void> {
  const [replica] = field.stack.services[name].replicas;
  const hit = await underWay(field);
  const { status } = await job.read();
  field.doing();
  const exit = await replica!.kill('SIGKILL');
  if (exit.signal === 'SIGKILL' && hit !== undefined) {
    field.fired(`${name} ended by SIGKILL ${when} (the job was ${status}), ${hit}`);
  }
  field.undoing();
  await replica!.restart();
}

function wants(job: Job, isRight: (result: NonNullable<Job['result']>) => boolean): void {
  if (job.status === 'done' && job.result !== undefined && isRight(job.result)) return;
  throw new Error(`a job came to ${JSON.stringify(job)}`);
}
