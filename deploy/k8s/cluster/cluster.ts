import { chmod, mkdir, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { NativeServer } from '@tributary/native-servers/native-server';
import type { Steps } from '../../local/steps.ts';
import { type NodePlace, nodes } from './addresses.ts';
import { cleanUp } from './clean-up.ts';
import { type Containerd, startContainerd } from './containerd.ts';
import { startControlPlane } from './control-plane.ts';
import { makeCredentials } from './credentials.ts';
import { startKeda } from './keda.ts';
import { createKubectl, type Kubectl } from './kubectl.ts';
import { type NameServer, startNameServer } from './name-server.ts';
import { connectNode, makeSwitch } from './network.ts';
import { startNode } from './node.ts';
import { startPolicies } from './policies.ts';
import { programStarter } from './programs.ts';
import { claimMachine, leaveMachine } from './run-note.ts';
import { together } from './together.ts';
import { until } from './until.ts';

export type Cluster = {
  /** Gone after `stop`. */
  stateDir: string;
  logs: string;
  kubectl: Kubectl;
  /** That of the node which is there from the start. */
  containerd: Containerd;
  nameServer: NameServer;
  /** Starts a second node; it has no images yet. */
  addNode(): Promise<Containerd>;
  startKeda(): Promise<void>;
  /** Ends all programs and pods and removes what they leave. Every call waits for the same end. */
  stop(): Promise<void>;
};

export type ClusterOptions = {
  say(line: string): void;
  steps: Steps;
  signal: AbortSignal;
};

/**
 * Kubernetes with one node on this machine, for root: a control plane in its own network, the node
 * in a namespace. When a part does not start, all of it is stopped and removed again.
 */
export async function startCluster(options: ClusterOptions): Promise<Cluster> {
  const stateDir = await mkdtemp(join(tmpdir(), 'tributary-k8s-'));
  // Servers run as users of their own, and pass through to what is theirs.
  await chmod(stateDir, 0o711);
  await claimMachine(stateDir, options.say);
  const programs: NativeServer[] = [];
  let stopping: Promise<void> | undefined;
  const stop = () => (stopping ??= stopAll(stateDir, programs));
  try {
    return { ...(await startAll(options, stateDir, programs)), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function startAll(
  { say, steps, signal }: ClusterOptions,
  stateDir: string,
  programs: NativeServer[],
): Promise<Omit<Cluster, 'stop'>> {
  const logs = join(stateDir, 'logs');
  await mkdir(logs);
  const start = programStarter({
    ...{ stateDir, logs },
    onStart: (server) => void programs.push(server),
    onUnexpectedExit: (reason) => say(`${reason}; its log is in ${logs}`),
  });
  const credentials = await makeCredentials(join(stateDir, 'credentials'));
  const kubectl = createKubectl(credentials.kubeconfig('admin'), signal);

  async function startNodeAt(on: NodePlace): Promise<Containerd> {
    const containerd = await startContainerd(start, { stateDir, on });
    await startNode(start, { stateDir, socket: containerd.socket, credentials, on });
    const waiting = { deadlineMs: 60_000, signal };
    await until(`${on.name} is ready`, waiting, () => isNodeReady(kubectl, on));
    await startPolicies(start, { credentials, on });
    return containerd;
  }

  await makeSwitch();
  await connectNode(nodes[0]);
  const [, nameServer] = await together([
    steps.run('control plane', () => startControlPlane(start, { credentials })),
    startNameServer(start, stateDir),
  ]);
  const first = await steps.run('node', () => startNodeAt(nodes[0]));
  const { resolvConf } = nameServer;
  return {
    ...{ stateDir, logs, kubectl, nameServer, containerd: first },
    async addNode() {
      await connectNode(nodes[1]);
      return startNodeAt(nodes[1]);
    },
    startKeda: () => startKeda(start, { stateDir, credentials, kubectl, resolvConf, signal }),
  };
}

async function isNodeReady(kubectl: Kubectl, { name }: NodePlace): Promise<boolean> {
  type Node = { status: { conditions: { type: string; status: string }[] } };
  const { status } = await kubectl.json<Node>('get', 'node', name);
  return status.conditions.some((one) => one.type === 'Ready' && one.status === 'True');
}

/** The newest first: what came later uses what was there before. */
async function stopAll(stateDir: string, programs: readonly NativeServer[]): Promise<void> {
  for (const program of programs.toReversed()) await program.kill();
  await cleanUp(stateDir);
  await leaveMachine();
}
