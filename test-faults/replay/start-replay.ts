import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePorts } from '@tributary/testkit/free-port';
import { ownDirectoryIn } from '../../deploy/local/process-files.ts';
import { type ServiceGroup, startGroup } from '../../deploy/local/service-group.ts';
import { serviceTable } from '../../deploy/local/service-table.ts';
import { pickVariables } from '../../deploy/local/service-variables.ts';
import type { Job } from '../../services/replay/src/db/job.ts';
import type { Chain } from '../chain/start-chain.ts';

/** The replay service as processes beside a chain, asked as the portal asks it. */
export type Replay = {
  group: ServiceGroup;
  begin(kind: string, params: object): Promise<Job>;
  /** Until it has ended, whatever becomes of the processes meanwhile. */
  ended(jobId: string, deadlineMs?: number): Promise<Job>;
  stop(): Promise<void>;
};

export async function startReplay(
  chain: Pick<Chain, 'attribution' | 'rewards'> & { topics: Pick<Chain['topics'], 'prefix'> },
  { replicas = 1 }: { replicas?: number } = {},
): Promise<Replay> {
  const dir = await mkdtemp(join(tmpdir(), 'tributary-replay-'));
  const row = serviceTable.find(({ name }) => name === 'replay')!;
  const token = chain.attribution.env['TRIBUTARY_INTERNAL_TOKEN']!;
  const urlOf = (group: ServiceGroup) => `http://127.0.0.1:${group.replicas[0]!.adminPort}`;
  const group = startGroup({
    row,
    ports: (await freePorts(replicas)).map((adminPort) => ({ port: undefined, adminPort })),
    env: {
      ...pickVariables(chain.attribution.env, row.schema),
      TRIBUTARY_POSTGRES_SCHEMA: 'replay',
      TRIBUTARY_ATTRIBUTION_ADMIN_URL: urlOf(chain.attribution),
      TRIBUTARY_REWARDS_ADMIN_URL: urlOf(chain.rewards),
      TRIBUTARY_REPLAY_DIR: await ownDirectoryIn(dir, 'replay'),
    },
    logs: dir,
    say: () => undefined,
    onChange: () => undefined,
  });
  await group.ready();

  /** Asks any replica that answers. */
  async function ask(path: string, init: RequestInit = {}) {
    for (const { adminPort } of group.replicas) {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
      const url = `http://127.0.0.1:${adminPort}/internal/${path}`;
      const answer = await fetch(url, { ...init, headers }).catch(() => undefined);
      if (answer) return { status: answer.status, body: await answer.json() };
    }
    return undefined;
  }

  return {
    group,
    async begin(kind, params) {
      const body = JSON.stringify({ kind, params, by: 'olga' });
      const answer = await ask('jobs', { method: 'POST', body });
      if (answer?.status !== 202) throw new Error(JSON.stringify(answer));
      return answer.body as Job;
    },
    async ended(jobId, deadlineMs = 90_000) {
      const deadline = performance.now() + deadlineMs;
      for (;;) {
        const job = (await ask(`jobs/${jobId}`))?.body as Job | undefined;
        if (job && ['done', 'failed', 'cancelled'].includes(job.status)) return job;
        if (performance.now() > deadline) throw new Error(`not ended: ${JSON.stringify(job)}`);
        await delay(100);
      }
    },
    async stop() {
      await group.stop();
      await rm(dir, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
    },
  };
}
