import { createChartSecrets } from '../../helm/secrets.ts';
import { namespace } from '../cluster/addresses.ts';
import { describePods } from '../cluster/describe-pods.ts';
import type { Kubectl } from '../cluster/kubectl.ts';
import type { NameServer } from '../cluster/name-server.ts';
import { until } from '../cluster/until.ts';
import type { ClusterServers } from '../servers.ts';
import type { Helm } from './helm.ts';
import { deploymentOf } from './names.ts';

/** What the release needs before it: its namespace and Secrets. */
export async function prepareNamespace(kubectl: Kubectl, servers: ClusterServers): Promise<void> {
  await kubectl.apply([
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
    ...createChartSecrets(servers).map(({ metadata, ...secret }) => ({
      ...secret,
      metadata: { ...metadata, namespace },
    })),
  ]);
}

/**
 * Installs the chart and waits until every Deployment is available.
 *
 * @returns the address of the edge's Service.
 * @throws with what the pods say where they do not come.
 */
export async function installRelease(deps: {
  helm: Pick<Helm, 'install'>;
  kubectl: Kubectl;
  nameServer: NameServer;
  signal: AbortSignal;
}): Promise<string> {
  const { helm, kubectl, nameServer, signal } = deps;
  // Pods that start ask for names at once.
  const waiting = { deadlineMs: 300_000, everyMs: 1_000, signal };
  const named = until('the Services are there', waiting, async () => {
    await addressOf(kubectl, deploymentOf('edge'));
    await nameServer.learn(kubectl);
    return true;
  });
  await Promise.all([helm.install(), named]);
  const wait = ['wait', '--for=condition=available', 'deployment', '--all', '--timeout=240s'];
  await kubectl('-n', namespace, ...wait).catch(async (cause: unknown) => {
    throw new Error(`not all pods are available:\n${await describePods(kubectl)}`, { cause });
  });
  return addressOf(kubectl, deploymentOf('edge'));
}

async function addressOf(kubectl: Kubectl, service: string): Promise<string> {
  type Service = { spec: { clusterIP: string; ports: { port: number }[] } };
  const { spec } = await kubectl.json<Service>('-n', namespace, 'get', 'service', service);
  return `http://${spec.clusterIP}:${spec.ports[0]!.port}`;
}
