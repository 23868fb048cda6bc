import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from '@tributary/testkit/free-port';
import { places } from '../places.ts';
import { addresses, clusterDomain, type NodePlace, nodes } from './addresses.ts';
import type { CertificateName, Credentials } from './credentials.ts';
import type { StartProgram } from './programs.ts';

const kube = join(places.bin, 'kube');

type Node = { stateDir: string; socket: string; credentials: Credentials; on: NodePlace };

/** The kubelet and kube-proxy of a node. */
export async function startNode(start: StartProgram, node: Node): Promise<void> {
  const { stateDir, credentials, on } = node;
  const [kubelet, proxy] = [`kubelet-${on.name}`, `kube-proxy-${on.name}`];
  const dir = join(stateDir, kubelet);
  const proxyDir = join(stateDir, proxy);
  for (const path of [dir, proxyDir]) await mkdir(path, { recursive: true });
  const settings = join(dir, 'config.json');
  const resolver = join(dir, 'resolv.conf');
  await writeFile(resolver, `nameserver ${nodes[0].address}\n`);
  await writeFile(settings, JSON.stringify(kubeletSettings(node, resolver)));
  const proxySettings = join(proxyDir, 'config.json');
  await writeFile(proxySettings, JSON.stringify(kubeProxySettings(node)));
  const isStarted = () => Promise.resolve(true); // The node says so itself: see `untilReady`.
  await start({
    ...{ name: kubelet, on },
    command: kube,
    args: [
      ...[
        'kubelet',
        '--config',
        settings,
        '--kubeconfig',
        credentials.kubeconfig(on.name as CertificateName),
      ],
      ...['--root-dir', join(dir, 'root'), '--hostname-override', on.name],
      ...['--node-ip', on.address],
    ],
    port: await freePort(),
    isReady: isStarted,
  });
  await start({
    ...{ name: proxy, on },
    command: kube,
    args: ['kube-proxy', '--config', proxySettings],
    port: await freePort(),
    isReady: isStarted,
  });
}

function kubeletSettings({ stateDir, socket, credentials, on }: Node, resolver: string) {
  return {
    apiVersion: 'kubelet.config.k8s.io/v1beta1',
    kind: 'KubeletConfiguration',
    address: on.address,
    authentication: {
      anonymous: { enabled: false },
      webhook: { enabled: true },
      x509: { clientCAFile: credentials.authority },
    },
    authorization: { mode: 'Webhook' },
    tlsCertFile: credentials.certificate(on.name as CertificateName),
    tlsPrivateKeyFile: credentials.key(on.name as CertificateName),
    containerRuntimeEndpoint: `unix://${socket}`,
    clusterDomain,
    clusterDNS: [nodes[0].address],
    resolvConf: resolver,
    podLogsDir: join(stateDir, `pod-logs-${on.name}`),
    // The machine may itself be a container, which has its cgroups from somebody else.
    cgroupDriver: 'cgroupfs',
    cgroupsPerQOS: false,
    enforceNodeAllocatable: [],
    failCgroupV1: false,
    failSwapOn: false,
    localStorageCapacityIsolation: false,
    evictionHard: { 'memory.available': '100Mi', 'nodefs.available': '1Gi' },
    // As many pods start at once as there are; one after the other takes longer.
    serializeImagePulls: false,
    registryPullQPS: 0,
  };
}

function kubeProxySettings({ credentials, on }: Node) {
  return {
    apiVersion: 'kubeproxy.config.k8s.io/v1alpha1',
    kind: 'KubeProxyConfiguration',
    mode: 'nftables',
    clientConnection: { kubeconfig: credentials.kubeconfig('admin') },
    clusterCIDR: addresses.pods,
    hostnameOverride: on.name,
    // The limits of connections are the machine's.
    conntrack: { maxPerCore: 0 },
    metricsBindAddress: '127.0.0.1:10249',
    healthzBindAddress: '127.0.0.1:10256',
  };
}
