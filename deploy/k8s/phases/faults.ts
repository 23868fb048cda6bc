import { setTimeout as delay } from 'node:timers/promises';
import { createRandom } from '../../../test-faults/chain/random.ts';
import { namespace } from '../cluster/addresses.ts';
import { describePods } from '../cluster/describe-pods.ts';
import { until } from '../cluster/until.ts';
import type { Row } from '../table.ts';
import type { World } from '../world.ts';
import { drainNode } from './drain-node.ts';
import { judge } from './judge.ts';
import { refusalsOf, underLoad } from './load.ts';
import { unkeyedRequests } from './unkeyed-requests.ts';

const perSecond = 50;
const killEveryMs = 5_000;
const awayMs = 20_000;
/** Whose pods are killed: those that the customers' events pass through. */
const killed = ['edge', 'ingest-api', 'attribution', 'rewards', 'webhook-dispatcher'];

/** One fault after the other while customers report; then all that was accepted is looked at. */
export async function faultsPhase(world: World, minutes: number): Promise<Row[]> {
  const rows: Row[] = [];
  const faults: [string, string, (world: World) => Promise<Outcome>][] = [
    ['4a pods killed', `a pod killed each 5 s for ${minutes} min`, (w) => killPods(w, minutes)],
    ['4b Redis away', `Redis away for ${awayMs / 1_000} s: unkeyed requests stay 202`, loseRedis],
    ['4c Kafka restarted', 'Kafka killed and started again', restartKafka],
    ['4d node drained', 'the node drained, its pods go to a second one', drainNode],
  ];
  for (const [phase, asked, fault] of faults) {
    const { traffic, result: outcome } = await underLoad(world, perSecond, async () => {
      const done = await fault(world).catch((error: unknown) => failed(error));
      const isBack = await untilAvailable(world);
      return isBack ? done : { seen: `${done.seen}, not all Deployments came back`, ok: false };
    });
    const judged = await judge(world, traffic.accepted, { mayRepeat: true });
    for (const mistake of judged.mistakes.slice(0, 20)) world.say(`✗ ${mistake}`);
    rows.push({
      phase,
      asked: `${asked}, at ${perSecond}/s: nothing lost, nothing doubled`,
      seen: `${outcome.seen}; ${refusalsOf(traffic)}; ${judged.seen}`,
      ok: outcome.ok && judged.mistakes.length === 0,
    });
  }
  return rows;
}

export type Outcome = { seen: string; ok: boolean };

function failed(error: unknown): Outcome {
  return { seen: error instanceof Error ? error.message : String(error), ok: false };
}

/**
 * The process is killed first: a pod that is only deleted gets two seconds to stop from the
 * kubelet, also with `--grace-period=0`. Then the pod goes, as one does that has lost its node.
 */
async function killPods(world: World, minutes: number): Promise<Outcome> {
  const { kubectl, killContainer, signal, say } = world;
  const random = createRandom(5);
  const deadline = performance.now() + minutes * 60_000;
  let count = 0;
  while (performance.now() < deadline) {
    const pods = await runningPods(kubectl);
    const pod = pods[random.below(pods.length)];
    if (pod !== undefined) {
      await killContainer(pod.container);
      const now = ['--grace-period=0', '--force', '--wait=false'];
      await kubectl('-n', namespace, 'delete', 'pod', pod.name, ...now);
      count += 1;
      say(`killed ${pod.name}`);
    }
    await delay(killEveryMs, undefined, { signal });
  }
  return { seen: `${count} pods killed`, ok: count > 0 };
}

async function runningPods(
  kubectl: World['kubectl'],
): Promise<{ name: string; container: string }[]> {
  type State = { containerID?: string; state: { running?: object } };
  type Pods = {
    items: { metadata: { name: string }; status: { containerStatuses?: State[] } }[];
  };
  const chosen = `app.kubernetes.io/component in (${killed.join(',')})`;
  const selectors = ['-l', chosen, '--field-selector=status.phase=Running'];
  const { items } = await kubectl.json<Pods>('-n', namespace, 'get', 'pods', ...selectors);
  return items.flatMap(({ metadata: { name }, status: { containerStatuses = [] } }) =>
    containerStatuses.flatMap(({ containerID, state }) =>
      containerID !== undefined && state.running !== undefined
        ? [{ name, container: containerID.replace('containerd://', '') }]
        : [],
    ),
  );
}

async function loseRedis(world: World): Promise<Outcome> {
  const { servers, say, signal } = world;
  await servers.redis.stop();
  say('Redis is away');
  let unkeyed;
  try {
    // Whatever looks for it has noticed.
    await delay(awayMs / 4, undefined, { signal });
    unkeyed = await unkeyedRequests(world, { forMs: awayMs * 0.75, everyMs: 200 });
  } finally {
    await servers.redis.restart();
  }
  const counts = Object.entries(unkeyed).map(([status, count]) => `${count} × ${status}`);
  return { seen: `unkeyed: ${counts.join(', ')}`, ok: Object.keys(unkeyed).join() === '202' };
}

async function restartKafka({ servers, say }: World): Promise<Outcome> {
  await servers.kafka.kill();
  say('Kafka is killed');
  await servers.kafka.restart();
  say('Kafka is back');
  return { seen: 'restarted', ok: true };
}

/** Pods that were killed have come back, and what was away is found again. */
async function untilAvailable({ kubectl, signal, say }: World): Promise<boolean> {
  const wait = ['wait', '--for=condition=available', 'deployment', '--all', '--timeout=30s'];
  const waiting = { deadlineMs: 180_000, signal };
  const back = until('all Deployments are available', waiting, () =>
    kubectl('-n', namespace, ...wait),
  );
  return back.then(
    () => true,
    async () => {
      signal.throwIfAborted();
      say(await describePods(kubectl));
      return false;
    },
  );
}
