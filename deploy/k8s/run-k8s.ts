import { join, resolve } from 'node:path';
import { mkdir } from 'node:fs/promises';
import pg from 'pg';
import { createSteps } from '../local/steps.ts';
import { buildAll } from './build/build-all.ts';
import { checkChart } from './chart/check-chart.ts';
import { checkPolicies } from './chart/check-policies.ts';
import { createHelm } from './chart/helm.ts';
import { installRelease, prepareNamespace } from './chart/install-release.ts';
import { clusterValues } from './chart/values.ts';
import { type Cluster, startCluster } from './cluster/cluster.ts';
import { together } from './cluster/together.ts';
import { setUpCustomers } from './customers.ts';
import { buildCheckout, type EarlierRelease, makeEarlierRelease } from './image/earlier-release.ts';
import { makeImages } from './image/make-images.ts';
import type { Options } from './options.ts';
import { phases } from './phases/phases.ts';
import { startClusterServers } from './servers.ts';
import type { Row } from './table.ts';
import type { World } from './world.ts';

type Run = {
  options: Options;
  signal: AbortSignal;
  say(line: string): void;
  /** Shows the rows, before anything is removed. */
  report(rows: readonly Row[]): void;
};

/**
 * Builds what the cache lacks, starts a cluster with the release in it, plays the phases, and
 * removes all of it again, also when `signal` ends it.
 */
export async function runK8s(run: Run): Promise<Row[]> {
  const { signal, say } = run;
  const scaling = run.options.phases.includes('scaling');
  await buildAll({ scaling, signal, say });
  if (run.options.build) return [];
  const { from } = run.options;
  if (from !== undefined) await buildCheckout(resolve(from), signal);
  const beganAt = performance.now();
  const ends: (() => unknown)[] = [];
  const cluster = await startCluster({ say, signal, steps: createSteps(say, signal) });
  ends.push(() => cluster.stop());
  try {
    return await playAll(run, { cluster, beganAt, ends });
  } finally {
    for (const end of ends.toReversed()) {
      await Promise.resolve(end()).catch((error: unknown) => say(String(error)));
    }
  }
}

type Started = { cluster: Cluster; beganAt: number; ends: (() => unknown)[] };

async function playAll({ options, signal, say, report }: Run, started: Started): Promise<Row[]> {
  const { beganAt } = started;
  const scaling = options.phases.includes('scaling');
  const { from } = options;
  const { world, rows } = await startRelease({ scaling, from, signal, say }, started);
  const elapsedMs = () => performance.now() - beganAt;
  for (const name of options.phases) {
    signal.throwIfAborted();
    say(`--- ${name}`);
    const played = phases[name](world, { elapsedMs, minutes: options.minutes });
    rows.push(...(await played.catch((error: unknown) => notPlayed(name, error, signal))));
  }
  report(rows);
  if (options.keep) {
    say(`the cluster stays until Ctrl-C: KUBECONFIG=${world.kubectl.kubeconfig}`);
    await untilAborted(signal);
  }
  return rows;
}

/** What is asked of it is not shown then; the other phases may still be played. */
function notPlayed(phase: string, error: unknown, signal: AbortSignal): Row[] {
  signal.throwIfAborted();
  const [seen = ''] = (error instanceof Error ? error.message : String(error)).split('\n');
  return [{ phase, asked: 'to be played to its end', seen, ok: false }];
}

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** Servers, images, the chart and customers, as far as possible side by side. */
async function startRelease(
  {
    scaling,
    from,
    signal,
    say,
  }: Pick<Run, 'signal' | 'say'> & { scaling: boolean; from: string | undefined },
  { cluster, ends }: Started,
): Promise<{ world: World; rows: Row[] }> {
  const { kubectl, stateDir } = cluster;
  const steps = createSteps(say, signal);
  const dir = join(stateDir, 'release');
  await mkdir(dir);
  const [servers, { layouts, earlier }] = await together([
    startClusterServers({ stateDir, steps, say }).then((started) => {
      ends.push(() => started.stop());
      return started;
    }),
    steps.run('images on the node', async () => {
      const earlier = from === undefined ? undefined : await loadEarlier(cluster, resolve(from));
      return { earlier, layouts: await loadImages(cluster, say) };
    }),
    ...(scaling ? [steps.run('KEDA', () => cluster.startKeda())] : []),
  ]);
  const helm = createHelm({ dir, kubeconfig: kubectl.kubeconfig, signal });
  const values = clusterValues(servers, { scaling });
  await helm.setValues(values);
  await prepareNamespace(kubectl, servers);
  const checked = await steps.run('chart checked', () => checkChart({ helm, kubectl, dir, say }));
  const { nameServer } = cluster;
  if (earlier) await helm.setValues(earlier.values(servers));
  const first = { install: () => helm.install(earlier?.chartDir) };
  const baseUrl = await steps.run('release installed, all pods available', () =>
    installRelease({ helm: first, kubectl, nameServer, signal }),
  );
  const [customers, policies] = await together([
    steps.run('customers', async () => {
      const found = await setUpCustomers({ baseUrl, stateDir, servers, signal });
      ends.push(() => found.stop());
      return found;
    }),
    steps.run('policies checked', () => checkPolicies({ kubectl, servers, signal, say })),
  ]);
  const addNode = async () => {
    const containerd = await cluster.addNode();
    for (const layout of layouts) await containerd.importImage(layout);
  };
  const db = new pg.Pool({ connectionString: servers.addresses.postgresUrl, max: 4 });
  // Sessions that end while they are idle; who asks next gets another one.
  db.on('error', () => undefined);
  ends.push(() => db.end());
  const { killContainer } = cluster.containerd;
  const deployed = { kubectl, helm, values, servers, db, baseUrl };
  return {
    world: { ...customers, ...deployed, signal, say, addNode, killContainer },
    rows: [checked, policies],
  };
}

/** Before that of this release, which takes over the name with which it comes. */
async function loadEarlier(
  { stateDir, containerd }: Cluster,
  checkout: string,
): Promise<EarlierRelease> {
  const earlier = await makeEarlierRelease(checkout, join(stateDir, 'earlier'));
  await containerd.importImage(earlier.layout);
  await containerd.nameImage(earlier.imported, earlier.image);
  return earlier;
}

async function loadImages(
  { stateDir, containerd }: Cluster,
  say: (line: string) => void,
): Promise<string[]> {
  const workDir = join(stateDir, 'images');
  await mkdir(workDir);
  const { layouts, bytes } = await makeImages(workDir);
  say(`image of the services: ${(bytes / 1_000_000).toFixed(0)} MB, not compressed`);
  for (const layout of layouts) await containerd.importImage(layout);
  return layouts;
}
