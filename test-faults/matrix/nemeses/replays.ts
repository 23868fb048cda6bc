import { setTimeout as delay } from 'node:timers/promises';
import { withClient } from '@tributary/testkit/database';
import type { ServiceName } from '../../../deploy/local/service-table.ts';
import { askForJob, wants } from '../replay-job.ts';
import { campaignId, campaignWith } from '../tenants.ts';
import { underWay } from './load.ts';
import type { Battlefield, Nemesis } from './nemesis.ts';
import { endAllSessions } from './postgres.ts';

const generations = '/api/replay/generations';
const by = 'olga';

type AskedJob = Awaited<ReturnType<typeof askForJob>>;

export const killReplay: Nemesis = {
  name: 'kill-replay',
  says: 'SIGKILL of replay under load while it builds a generation, which is then finished',
  async run(field) {
    const job = await askForJob(field.stack.demo, generations, { by });
    await job.begun();
    await delay(field.random.below(500));
    await killDuring(field, 'replay', 'a generation was built', job);
    wants(await job.over(), ({ outcome }) => outcome === 'ready');
  },
};

export const killedSwap: Nemesis = {
  name: 'killed-swap',
  says: 'a generation is built and made live, and a campaign previewed; who does it is killed',
  async run(field) {
    const { demo } = field.stack;
    const building = await askForJob(demo, generations, { by });
    let kills = 0;
    for (const name of ['replay', 'attribution', 'replay', 'rewards'] as const) {
      await building.begun();
      await delay(field.random.below(500));
      if (await killDuring(field, name, 'a generation was built', building)) kills += 1;
    }
    if (kills < 2) throw new Error('a generation was built before anybody could be killed twice');
    const built = wants(await building.over(), ({ outcome }) => outcome === 'ready');

    await killDuringPreview(field);

    const { generation = 0 } = built;
    const swap = await askForJob(demo, `${generations}/${generation}/swap`, { by });
    await swap.begun();
    await whileNobodySwaps(field, async () => {
      await killDuring(field, 'rewards', 'a swap was tried', swap);
      await killDuring(field, 'replay', 'a swap was tried', swap);
      const { status } = await swap.read();
      const { sessions, busy } = await endAllSessions(field);
      if (status === 'running' && busy > 0) {
        field.fired(`${sessions} sessions were ended while a swap was tried, ${busy} at work`);
      }
    });
    wants(await swap.over(), ({ to }) => to === generation);
    field.swapped(generation);
  },
};

/** A preview of so few events may be over before anybody can be killed. */
const mostPreviews = 5;

async function killDuringPreview(field: Battlefield): Promise<void> {
  const { demo } = field.stack;
  const [{ tenantId } = { tenantId: '' }] = demo.tenants;
  const campaign = campaignWith(2_000);
  const body = { ...{ tenantId, campaignId, campaign }, effectiveFrom: '2020-01-01T00:00:00Z' };
  for (let tries = 1; tries <= mostPreviews; tries += 1) {
    const preview = await askForJob(demo, '/api/replay/previews', body);
    await preview.begun();
    const isHit = await killDuring(field, 'replay', 'a campaign was previewed', preview);
    wants(await preview.over(), () => true);
    if (isHit) return;
  }
  throw new Error('each preview was over before replay could be killed');
}

/** As a release does that takes its time: each try of a swap gives up meanwhile. */
function whileNobodySwaps({ stack }: Battlefield, work: () => Promise<void>): Promise<void> {
  return withClient(stack.demo.postgresUrl, async (holder) => {
    await holder.query('begin');
    await holder.query('select from generations.live_generation for share');
    await work();
  });
}

/** Whether the job was under way when the process was killed, and went on after it. */
async function killDuring(
  field: Battlefield,
  name: ServiceName,
  what: string,
  job: AskedJob,
): Promise<boolean> {
  const [replica] = field.stack.services[name].replicas;
  const { status } = await job.read();
  const hit = await underWay(field);
  field.doing();
  const killedAt = new Date().toISOString();
  const exit = await replica!.kill('SIGKILL');
  field.undoing();
  await replica!.restart();
  const { endedAt } = await job.read();
  const isHit = status === 'running' && (endedAt === undefined || endedAt > killedAt);
  if (exit.signal !== 'SIGKILL' || hit === undefined || !isHit) return false;
  field.fired(`${name} ended by SIGKILL while ${what}, ${hit}`);
  return true;
}
