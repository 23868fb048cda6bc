import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type PostgresServer, startPostgres } from '@tributary/native-servers/postgres';
import { queryOnce, withClient } from '@tributary/testkit/database';
import { eventually } from '@tributary/testkit/eventually';
import { freePort } from '@tributary/testkit/free-port';
import { patiently } from '@tributary/testkit/patience';
import { readGenerations } from '../../generations.ts';
import { isAlive } from '../../is-alive.ts';
import { readLogs } from '../collect.ts';
import { startLink } from '../link.ts';
import { campaignId, campaignWith } from '../tenants.ts';
import { aMoment, underWay } from './load.ts';
import type { Battlefield, Nemesis } from './nemesis.ts';

const standbyName = 'standby';
/** Until somebody has seen that the primary is gone, and has decided. */
const decidedAfterMs = 2_000;
/** Each projection looks once a second whether its database is older than it was. */
const severalLooksMs = 5_000;

/** What is committed in that time is lost when a standby that lags takes over. */
const lagMs = 3_000;

type Fault = (field: Battlefield, primary: PostgresServer) => Promise<Takeover>;
type Takeover = {
  standby: PostgresServer;
  /** What the primary has committed and the standby lacks is a part of the proof. */
  lags: boolean;
};

/** The revision of a campaign that an operator was told last. */
type Revision = { tenantId: string; revision: number };

/**
 * The drill of docs/runbooks/postgres-failover.md. A standby is added to the running system, and
 * every commit waits for it from then on. It takes over at the address that services have: what
 * listens there afterwards leads to it, as with an address that moves.
 */
export const postgresFailover = failover(
  {
    name: 'postgres-failover',
    says: 'SIGKILL of postgres under load; its synchronous standby is promoted and takes its address',
  },
  async (field, primary) => {
    const standby = await addStandby(field, primary, primary.url);
    await commitsWaitFor(primary);
    return { standby, lags: false };
  },
);

/**
 * What the standby lacks is on the log: services notice that their database is older than it was,
 * and a generation that has published what its tables do not have is given up for one that is built
 * anew. Nobody does anything for it. The same as when a backup is restored under running services.
 */
export const olderPostgres = failover(
  {
    name: 'older-postgres',
    says: `SIGKILL of postgres under load; a standby that lags ${lagMs / 1_000} s behind takes over`,
  },
  async (field, primary) => {
    const url = new URL(primary.url);
    const link = await startLink({ host: url.hostname, port: primary.port });
    url.port = String(link.port);
    field.atEnd(link.close);
    const standby = await addStandby(field, primary, url.href);
    await eventually(async () => {
      if (!(await one<boolean>(primary, isStreaming))) throw new Error('the standby is not there');
    });
    link.cut('services');
    await delay(lagMs);
    return { standby, lags: true };
  },
);

const isStreaming = `select exists (select from pg_stat_replication
  where application_name = '${standbyName}' and state = 'streaming')`;
const factsIn = 'select count(*)::int from attribution_g1.fact';

function failover(nemesis: Pick<Nemesis, 'name' | 'says'>, prepare: Fault): Nemesis {
  return {
    ...nemesis,
    async run(field) {
      const primary = field.stack.servers.postgres;
      const { standby, lags } = await prepare(field, primary);
      const last = await putCampaign(field);
      await aMoment(field);
      const before = processesOf(field);
      const { pid } = primary;
      const committed = await one<number>(primary, factsIn);
      const hit = await underWay(field);
      field.doing();
      await primary.kill();
      const isGone = !isAlive(pid);
      await delay(decidedAfterMs);
      const left = await one<number>(standby, factsIn);
      const lacksRevision = !(await one<boolean>(standby, hasRevision(last)));
      if (lags) await withClient(standby.url, field.fellBack);
      field.undoing();
      await queryOnce(standby.url, 'select pg_promote()');
      const link = await startLink({ host: '127.0.0.1', port: standby.port }, primary.port);
      field.atEnd(link.close);
      const file = await one<string>(standby, 'select pg_walfile_name(pg_current_wal_lsn())');
      const timeline = parseInt(file.slice(0, 8), 16);
      const lacking = committed - left;
      const isOlder = lacking > 0 && lacksRevision;
      if (isGone && timeline === 2 && hit !== undefined && lags === isOlder) {
        const without = lags
          ? `, without the last ${lacking} events in its tables and revision ${last.revision} of a campaign`
          : '';
        field.fired(
          `postgres (pid ${pid}) is gone, ${hit}; its standby is primary on timeline 2${without}`,
        );
      }
      // At once, while nobody may have noticed anything.
      await putCampaign(field);
      await delay(severalLooksMs);
      if (lags) {
        // Otherwise the recovery tells what is amiss.
        await untilRun(field).catch(() => undefined);
      } else {
        await untilReady(field);
        expectNothingLost(field);
      }
      if (processesOf(field) !== before) throw new Error('a service was started again');
    },
  };
}

/** Until it is accepted, as an operator does who was told to come again. */
async function putCampaign({ client, stack, random }: Battlefield): Promise<Revision> {
  const [{ tenantId } = { tenantId: '' }] = stack.demo.tenants;
  const path = `/api/tenants/${tenantId}/campaigns/${campaignId}`;
  const body = JSON.stringify(campaignWith(2_000 + random.below(1_000)));
  return eventually(
    async () => {
      const put = await client.ask({ by: 'operator', tenantId, method: 'PUT', path, body });
      if (put.outcome !== 'ok') throw new Error(`a campaign was answered ${put.answer}`);
      return { tenantId, ...(JSON.parse(put.answer ?? '') as { revision: number }) };
    },
    { deadlineMs: 60_000, everyMs: 100 },
  );
}

const hasRevision = ({ tenantId, revision }: Revision) =>
  `select exists (select from portal.campaign_revision where tenant_id = '${tenantId}'
    and campaign_id = '${campaignId}' and revision = ${revision})`;

async function addStandby(
  field: Battlefield,
  primary: PostgresServer,
  url: string,
): Promise<PostgresServer> {
  const dir = await mkdtemp(join(tmpdir(), 'tributary-standby-'));
  field.atEnd(() => rm(dir, { recursive: true, force: true }));
  const standby = await startPostgres({
    ...{ dir, port: await freePort(), database: 'tributary' },
    password: decodeURIComponent(new URL(primary.url).password),
    standbyOf: { url, name: standbyName },
  });
  field.atEnd(() => standby.stop());
  return standby;
}

async function commitsWaitFor(primary: PostgresServer): Promise<void> {
  const setting = `alter system set synchronous_standby_names = '${standbyName}'`;
  await queryOnce(primary.url, setting);
  await queryOnce(primary.url, 'select pg_reload_conf()');
  const inSync = `select exists (select from pg_stat_replication
    where application_name = '${standbyName}' and sync_state = 'sync')`;
  await eventually(
    async () => {
      if (!(await one<boolean>(primary, inSync)))
        throw new Error('no commit waits for the standby');
    },
    { deadlineMs: 30_000 },
  );
}

async function one<T>({ url }: PostgresServer, sql: string): Promise<T> {
  const { rows } = await queryOnce<Record<string, T>>(url, sql);
  return Object.values(rows[0]!)[0]!;
}

const replicasOf = ({ stack }: Battlefield) =>
  Object.values(stack.services).flatMap(({ replicas }) => replicas);

function processesOf(field: Battlefield): string {
  return replicasOf(field)
    .map(({ name, pid }) => `${name} ${pid}`)
    .join(', ');
}

/** Another generation has taken the place of a lost one. */
async function untilRun({ db }: Battlefield): Promise<void> {
  await eventually(
    async () => {
      const { live, lost } = await readGenerations(db);
      if (lost.includes(live)) throw new Error(`generation ${live} is lost, and still live`);
    },
    { deadlineMs: 120_000 },
  );
}

async function untilReady(field: Battlefield): Promise<void> {
  const deadlineMs = patiently(60_000);
  await Promise.all(replicasOf(field).map((replica) => replica.ready(deadlineMs)));
}

/** A service that misses what it had committed says so, before it is ready again. */
function expectNothingLost(field: Battlefield): void {
  const logs = readLogs(dirname(replicasOf(field)[0]!.logFile));
  for (const [file, text] of Object.entries(logs)) {
    const line = /.*alert: .*(older than it was|went back in time|is lost).*/.exec(text)?.[0];
    if (line !== undefined) throw new Error(`${file}: ${line}`);
  }
}
