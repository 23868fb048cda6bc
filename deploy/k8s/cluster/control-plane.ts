import { join } from 'node:path';
import { freePorts } from '@tributary/testkit/free-port';
import { places } from '../places.ts';
import { addresses, apiPort, apiUrl } from './addresses.ts';
import { accepts, answersOk } from './answers.ts';
import type { Credentials } from './credentials.ts';
import type { StartProgram } from './programs.ts';
import { together } from './together.ts';

const kube = join(places.bin, 'kube');

/** etcd, the API server, the controller manager and the scheduler, in the machine's own network. */
export async function startControlPlane(
  start: StartProgram,
  { credentials }: { credentials: Credentials },
): Promise<void> {
  const [etcd, peer, controllers, scheduler] = await freePorts(4);
  const etcdUrl = `http://127.0.0.1:${etcd}`;
  const peerUrl = `http://127.0.0.1:${peer}`;
  await start({
    name: 'etcd',
    command: join(places.bin, 'etcd'),
    args: [
      ...['--data-dir', 'data', '--listen-client-urls', etcdUrl],
      ...['--advertise-client-urls', etcdUrl, '--listen-peer-urls', peerUrl],
      ...['--initial-advertise-peer-urls', peerUrl, '--initial-cluster', `default=${peerUrl}`],
      // A cluster that is thrown away outlives no power cut.
      '--unsafe-no-fsync',
    ],
    port: etcd!,
    isReady: async () => (await fetch(`${etcdUrl}/health`)).ok,
  });
  await start({
    name: 'apiserver',
    command: kube,
    args: ['kube-apiserver', ...apiServerFlags(etcdUrl, credentials)],
    port: apiPort,
    isReady: () => answersOk(`${apiUrl}/readyz`, credentials.authority),
  });
  await together([
    start({
      name: 'controller-manager',
      command: kube,
      args: ['kube-controller-manager', ...controllerFlags(credentials, controllers!)],
      port: controllers!,
      isReady: () => accepts(controllers!),
    }),
    start({
      name: 'scheduler',
      command: kube,
      args: [
        'kube-scheduler',
        ...clientFlags(credentials.kubeconfig('scheduler')),
        ...['--bind-address=127.0.0.1', `--secure-port=${scheduler}`, '--leader-elect=false'],
      ],
      port: scheduler!,
      isReady: () => accepts(scheduler!),
    }),
  ]);
}

function apiServerFlags(etcdUrl: string, credentials: Credentials): string[] {
  const { authority, certificate, key, serviceAccounts } = credentials;
  return [
    `--etcd-servers=${etcdUrl}`,
    `--secure-port=${apiPort}`,
    `--bind-address=${addresses.machine}`,
    `--advertise-address=${addresses.machine}`,
    `--tls-cert-file=${certificate('apiserver')}`,
    `--tls-private-key-file=${key('apiserver')}`,
    `--client-ca-file=${authority}`,
    `--kubelet-client-certificate=${certificate('admin')}`,
    `--kubelet-client-key=${key('admin')}`,
    '--kubelet-preferred-address-types=InternalIP',
    '--service-account-issuer=https://kubernetes.default.svc',
    `--service-account-key-file=${serviceAccounts.publicKey}`,
    `--service-account-signing-key-file=${serviceAccounts.privateKey}`,
    `--service-cluster-ip-range=${addresses.services}`,
    '--authorization-mode=Node,RBAC',
    // Other API servers behind this one: the metrics that KEDA serves.
    '--enable-aggregator-routing=true',
    `--requestheader-client-ca-file=${authority}`,
    '--requestheader-allowed-names=front-proxy-client',
    '--requestheader-extra-headers-prefix=X-Remote-Extra-',
    '--requestheader-group-headers=X-Remote-Group',
    '--requestheader-username-headers=X-Remote-User',
    `--proxy-client-cert-file=${certificate('front-proxy')}`,
    `--proxy-client-key-file=${key('front-proxy')}`,
  ];
}

function controllerFlags(credentials: Credentials, port: number): string[] {
  return [
    ...clientFlags(credentials.kubeconfig('controller-manager')),
    `--service-account-private-key-file=${credentials.serviceAccounts.privateKey}`,
    `--root-ca-file=${credentials.authority}`,
    '--use-service-account-credentials',
    ...['--bind-address=127.0.0.1', `--secure-port=${port}`, '--leader-elect=false'],
    ...['--allocate-node-cidrs', `--cluster-cidr=${addresses.pods}`],
    `--service-cluster-ip-range=${addresses.services}`,
    // What is looked at every 15 s by default would make a short run long.
    '--horizontal-pod-autoscaler-sync-period=5s',
  ];
}

function clientFlags(kubeconfig: string): string[] {
  const flags = ['kubeconfig', 'authentication-kubeconfig', 'authorization-kubeconfig'];
  return flags.map((flag) => `--${flag}=${kubeconfig}`);
}
