import { addresses, apiPort, namespace, nodes } from '../cluster/addresses.ts';
import type { Kubectl } from '../cluster/kubectl.ts';
import { inNetworkOf } from '../cluster/network.ts';
import { run } from '../cluster/run.ts';
import { until } from '../cluster/until.ts';
import { appImage } from '../image/make-images.ts';
import type { ClusterServers } from '../servers.ts';
import type { Row } from '../table.ts';
import { release } from './names.ts';
import { mistakesOf, type Reach, type Target } from './policies.ts';

/**
 * Whether NetworkPolicies let each service reach what it needs and nothing else: from a pod of each
 * service, from a stranger in the namespace and from where KEDA's operator runs, a connection to
 * every port of every service is tried, and to the servers. A port that nobody listens on would
 * look closed, too: so each must be open for the node, whose kubelet is always let in.
 */
export async function checkPolicies(options: {
  kubectl: Kubectl;
  servers: ClusterServers;
  signal: AbortSignal;
  say(line: string): void;
}): Promise<Row> {
  const { kubectl, servers, signal, say } = options;
  await kubectl.apply([stranger]);
  try {
    await kubectl(
      '-n',
      namespace,
      'wait',
      '--for=condition=ready',
      'pod/stranger',
      '--timeout=60s',
    );
    let reaches: Reach[] = [];
    let mistakes: string[] = [];
    // What is enforced follows a pod that is new by a moment.
    const waiting = { deadlineMs: 90_000, signal };
    await until('connections are let through and refused as they should be', waiting, async () => {
      reaches = await reachesOf(kubectl, servers);
      mistakes = mistakesOf(reaches);
      return mistakes.length === 0;
    }).catch((error: Error) => say(error.message));
    for (const mistake of mistakes.slice(0, 20)) say(`✗ ${mistake}`);
    const open = reaches.filter((reach) => reach.isOpen && reach.from !== 'node').length;
    const closed = reaches.filter((reach) => !reach.isOpen).length;
    return {
      phase: '0 network policies',
      asked:
        'each pod reaches what its service needs, and nothing else; a stranger the edge alone, KEDA metrics',
      seen: `${open} connections let through, ${closed} refused, ${mistakes.length} wrong`,
      ok: reaches.length > 0 && mistakes.length === 0,
    };
  } finally {
    await kubectl('-n', namespace, 'delete', 'pod', 'stranger', '--wait=false');
  }
}

/** It has the services' image and none of their labels. */
const stranger = {
  ...{ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'stranger', namespace } },
  spec: {
    terminationGracePeriodSeconds: 0,
    containers: [
      {
        ...{ name: 'stranger', image: `${appImage.repository}:${appImage.tag}` },
        ...{ imagePullPolicy: 'Never', command: ['node', '-e', 'setInterval(() => {}, 60_000)'] },
      },
    ],
  },
};

type Pod = {
  metadata: { name: string; labels: Record<string, string> };
  status: { podIP: string };
  spec: { containers: { ports?: { name: string; containerPort: number }[] }[] };
};

async function reachesOf(kubectl: Kubectl, servers: ClusterServers): Promise<Reach[]> {
  const targets = [...(await targetsInside(kubectl)), ...targetsOutside(servers)];
  const askers = new Map(targets.flatMap(({ of, pod }) => (pod === undefined ? [] : [[of, pod]])));
  const args = ['-e', tryAll, JSON.stringify(targets)];
  const [nsenter, ...enter] = inNetworkOf(nodes[0]);
  const answers = [
    run(nsenter!, [...enter, process.execPath, ...args]).then((text) => ({ from: 'node', text })),
    run(process.execPath, args).then((text) => ({ from: 'machine', text })),
    ...[...askers, ['stranger', 'stranger'] as const].map(async ([from, pod]) => {
      // nginx's image has no Node; what is beside it in the pod has the same network.
      const container = from === 'edge' ? ['-c', 'edge-metrics'] : [];
      const inPod = ['exec', pod, ...container, '--', 'node', ...args];
      const text = await kubectl('-n', namespace, ...inPod);
      return { from, text };
    }),
  ];
  return (await Promise.all(answers)).flatMap(({ from, text }) =>
    (JSON.parse(text) as boolean[]).map((isOpen, i) => ({ from, to: targets[i]!, isOpen })),
  );
}

/** The ports of one pod of each part. */
async function targetsInside(kubectl: Kubectl): Promise<Target[]> {
  const chosen = ['-l', `app.kubernetes.io/instance=${release}`];
  const running = '--field-selector=status.phase=Running';
  const { items } = await kubectl.json<{ items: Pod[] }>(
    ...['-n', namespace, 'get', 'pods', ...chosen, running],
  );
  const parts = new Map(
    items.map((pod) => [pod.metadata.labels['app.kubernetes.io/component']!, pod]),
  );
  return [...parts].flatMap(([of, { metadata, spec, status }]) =>
    spec.containers
      .flatMap(({ ports = [] }) => ports)
      .map(({ name, containerPort: port }) => ({
        ...{ of, name, host: status.podIP, port, pod: metadata.name },
      })),
  );
}

function targetsOutside({ addresses: found, redis, postgres }: ClusterServers): Target[] {
  const kafkaPort = Number(found.kafkaBrokers.split(',')[0]!.split(':').at(-1));
  const ports = { kafka: kafkaPort, postgres: postgres.port, redis: redis.port };
  return Object.entries({ ...ports, 'API server': apiPort }).map(([of, port]) => ({
    ...{ of, name: 'server', host: addresses.machine, port },
  }));
}

/** A script for Node: its argument is targets, its output whether each took a connection. */
const tryAll = `
  const tries = JSON.parse(process.argv[1]).map(({ host, port }) => new Promise((resolve) => {
    const socket = require('node:net').connect({ host, port, timeout: 5000 });
    const finish = (isOpen) => { socket.destroy(); resolve(isOpen); };
    socket.once('connect', () => finish(true));
    socket.once('error', () => finish(false));
    socket.once('timeout', () => finish(false));
  }));
  Promise.all(tries).then((all) => console.log(JSON.stringify(all)));
`;
