import { setTimeout as delay } from 'node:timers/promises';
import { namespace } from '../cluster/addresses.ts';
import { until } from '../cluster/until.ts';
import { deploymentOf } from '../chart/names.ts';
import type { Row } from '../table.ts';
import type { World } from '../world.ts';
import { judge } from './judge.ts';
import { refusalsOf, underLoad } from './load.ts';
import { scalingOf, watchReplicas } from './watch-replicas.ts';

/**
 * What a pod of each consumer may use of a core meanwhile. With more, one pod would keep up with
 * any load that is left for two cores to make, and nothing would have to be scaled.
 */
const cpuLimits = { attribution: '120m', rewards: '150m', 'webhook-dispatcher': '120m' };
/** Afterwards; a limit cannot be taken away where there is a request. */
const wholeCores = { attribution: '2', rewards: '2', 'webhook-dispatcher': '2' };
const most = 3;
/**
 * How many events a second one pod gets done depends on the machine, so there are more and more of
 * them until every consumer is to have its last pod.
 */
const pace = { first: 100, step: 20, everyMs: 15_000 };
/** All of them have time to come and to go, and then to change their mind. */
const watchedMs = 300_000;

/** KEDA adds pods while there is more to do than one gets done, and takes them away again. */
export async function scalingPhase(world: World): Promise<Row> {
  const { kubectl, say, signal } = world;
  const names = Object.keys(cpuLimits).map(deploymentOf);
  await limitCpu(world, cpuLimits);
  const watch = watchReplicas(kubectl, say);
  const beganAt = performance.now();
  const waiting = { deadlineMs: 240_000, signal };
  try {
    let perSecond = pace.first;
    const { traffic } = await underLoad(world, perSecond, async (setPace) => {
      const rising = setInterval(() => {
        if (names.every((name) => (watch.of(name).at(-1)?.wanted ?? 0) >= most)) return;
        perSecond += pace.step;
        setPace(perSecond);
      }, pace.everyMs);
      await until('every consumer has three ready pods', waiting, () =>
        names.every((name) => scalingOf(watch.of(name)).mostReady >= most),
      )
        .catch((error: Error) => say(error.message))
        .finally(() => clearInterval(rising));
    });
    say(`${traffic.accepted.length} accepted, ${refusalsOf(traffic)}`);
    const judged = await judge(world, traffic.accepted, { mayRepeat: false, deadlineMs: 300_000 });
    await until('every consumer has one pod again', waiting, () =>
      names.every((name) => watch.of(name).at(-1)?.wanted === 1),
    ).catch((error: Error) => say(error.message));
    const rest = watchedMs - (performance.now() - beganAt);
    if (rest > 0) await delay(rest, undefined, { signal });
    const scalings = names.map((name) => scalingOf(watch.of(name)));
    for (const mistake of judged.mistakes.slice(0, 20)) say(`✗ ${mistake}`);
    const seconds = ((performance.now() - beganAt) / 1_000).toFixed(0);
    return {
      phase: '2 scaling',
      asked: `${Object.keys(cpuLimits).join(', ')} 1 → 3 → 1 by lag at ${pace.first} to ${perSecond}/s, no flapping`,
      seen:
        `${scalings.map(({ wanted }) => wanted.join(' → ')).join('; ')} in ${seconds} s; ` +
        `${judged.seen}; ${refusalsOf(traffic)}`,
      ok:
        judged.mistakes.length === 0 &&
        scalings.every(
          ({ wanted, mostReady, turns }) =>
            wanted.at(-1) === 1 && mostReady === most && turns === 1,
        ),
    };
  } finally {
    await watch.stop();
    await limitCpu(world, wholeCores);
  }
}

/** Replaces the pods by ones with another limit. */
async function limitCpu(
  { kubectl, say }: World,
  limits: Readonly<Record<string, string>>,
): Promise<void> {
  const ofDeployment = (name: string) => `deployment/${deploymentOf(name)}`;
  for (const [name, cpu] of Object.entries(limits)) {
    await kubectl('-n', namespace, 'set', 'resources', ofDeployment(name), `--limits=cpu=${cpu}`);
  }
  for (const name of Object.keys(limits)) {
    await kubectl('-n', namespace, 'rollout', 'status', ofDeployment(name), '--timeout=240s');
  }
  say(`limits of CPU: ${JSON.stringify(limits)}`);
}
