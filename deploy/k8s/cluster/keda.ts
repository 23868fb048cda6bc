import { mkdir, copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePorts } from '@tributary/testkit/free-port';
import { places } from '../places.ts';
import { addresses } from './addresses.ts';
import { accepts } from './answers.ts';
import type { Credentials } from './credentials.ts';
import type { Kubectl } from './kubectl.ts';
import type { StartProgram } from './programs.ts';
import { until } from './until.ts';

const namespace = 'keda';
const adapterPort = 16_446;

/**
 * KEDA's operator and its server of metrics, as processes of the machine; the cluster sees the
 * second one as a Service with an address outside. They find Services by name.
 */
export async function startKeda(
  start: StartProgram,
  given: {
    stateDir: string;
    credentials: Credentials;
    kubectl: Kubectl;
    resolvConf: string;
    signal: AbortSignal;
  },
): Promise<void> {
  const { stateDir, credentials, kubectl, resolvConf, signal } = given;
  const certificates = join(stateDir, 'keda', 'certificates');
  await mkdir(certificates, { recursive: true, mode: 0o700 });
  await copyFile(credentials.authority, join(certificates, 'ca.crt'));
  await copyFile(credentials.certificate('keda'), join(certificates, 'tls.crt'));
  await copyFile(credentials.key('keda'), join(certificates, 'tls.key'));
  await kubectl('apply', '--server-side', '-f', places.kedaCrds);
  await kubectl.apply(manifests());

  const [metrics, health, internal, adapterMetrics] = await freePorts(4);
  const kubeconfig = credentials.kubeconfig('admin');
  const program = (name: string, args: readonly string[]) => ({
    command: 'unshare',
    args: [...['--mount', 'sh', '-c', withResolver, name, resolvConf], ...environment, ...args],
  });
  await start({
    name: 'keda',
    ...program('keda', [
      join(places.bin, 'keda'),
      `--kubeconfig=${kubeconfig}`,
      `--metrics-bind-address=127.0.0.1:${metrics}`,
      `--health-probe-bind-address=127.0.0.1:${health}`,
      `--metrics-service-bind-address=127.0.0.1:${internal}`,
      `--cert-dir=${certificates}`,
      '--enable-cert-rotation=false',
      ...['--enable-webhook-patching=false', '--enable-apiservice-patching=false'],
    ]),
    port: health!,
    isReady: () => accepts(internal!),
  });
  const ofAdapter = ['kubeconfig', 'lister-kubeconfig', 'authentication-kubeconfig'];
  await start({
    name: 'keda-adapter',
    ...program('keda-adapter', [
      join(places.bin, 'keda-adapter'),
      ...[...ofAdapter, 'authorization-kubeconfig'].map((flag) => `--${flag}=${kubeconfig}`),
      `--bind-address=${addresses.machine}`,
      `--secure-port=${adapterPort}`,
      `--port=${adapterMetrics}`,
      `--metrics-service-address=localhost:${internal}`,
      `--cert-dir=${certificates}`,
      `--tls-cert-file=${join(certificates, 'tls.crt')}`,
      `--tls-private-key-file=${join(certificates, 'tls.key')}`,
    ]),
    port: adapterPort,
    isReady: () => accepts(adapterPort, addresses.machine),
  });
  await until('the metrics of KEDA are served', { deadlineMs: 60_000, signal }, () =>
    kubectl('get', '--raw', '/apis/external.metrics.k8s.io/v1beta1'),
  );
}

/** Arguments: the resolv.conf, then the command. Nobody else sees the other file. */
const withResolver = 'mount --bind "$1" /etc/resolv.conf && shift && exec env "$@"';

const environment = [
  `POD_NAMESPACE=${namespace}`,
  `KEDA_CLUSTER_OBJECT_NAMESPACE=${namespace}`,
  'WATCH_NAMESPACE=',
  'KEDA_RESTRICT_SECRET_ACCESS=',
];

function manifests(): object[] {
  const name = 'keda-metrics';
  const metadata = { name, namespace };
  return [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
    {
      ...{ apiVersion: 'v1', kind: 'Service', metadata },
      spec: { ports: [{ name: 'https', port: 443, targetPort: adapterPort }] },
    },
    {
      ...{ apiVersion: 'discovery.k8s.io/v1', kind: 'EndpointSlice' },
      metadata: { ...metadata, labels: { 'kubernetes.io/service-name': name } },
      addressType: 'IPv4',
      endpoints: [{ addresses: [addresses.machine], conditions: { ready: true } }],
      ports: [{ name: 'https', port: adapterPort, protocol: 'TCP' }],
    },
    {
      ...{ apiVersion: 'apiregistration.k8s.io/v1', kind: 'APIService' },
      metadata: { name: 'v1beta1.external.metrics.k8s.io' },
      spec: {
        ...{ group: 'external.metrics.k8s.io', version: 'v1beta1' },
        ...{ groupPriorityMinimum: 100, versionPriority: 100, insecureSkipTLSVerify: true },
        service: metadata,
      },
    },
  ];
}
