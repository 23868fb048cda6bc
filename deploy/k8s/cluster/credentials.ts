import { generateKeyPairSync } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createAuthority, type ServerTls } from '@tributary/native-servers/certificates';
import { addresses, apiUrl, type NodePlace, nodes } from './addresses.ts';

/** Files of a cluster's certificates and of those who talk to its API server, by name. */
export type Credentials = {
  authority: string;
  certificate(name: CertificateName): string;
  key(name: CertificateName): string;
  kubeconfig(name: CertificateName): string;
  serviceAccounts: { privateKey: string; publicKey: string };
};

const loopback = ['localhost', '127.0.0.1'];

/**
 * Who each is for Kubernetes: a user, a group where the rights are a group's, and its addresses.
 */
const holders = {
  apiserver: {
    user: 'kube-apiserver',
    hosts: [
      ...loopback,
      ...[addresses.machine, addresses.firstService],
      ...['kubernetes', 'kubernetes.default', 'kubernetes.default.svc'],
    ],
  },
  admin: { user: 'admin', group: 'system:masters', hosts: ['admin'] },
  'controller-manager': { user: 'system:kube-controller-manager', hosts: ['controller-manager'] },
  scheduler: { user: 'system:kube-scheduler', hosts: ['scheduler'] },
  'front-proxy': { user: 'front-proxy-client', hosts: ['front-proxy'] },
  'node-1': kubeletOf(nodes[0]),
  'node-2': kubeletOf(nodes[1]),
  keda: {
    user: 'keda',
    hosts: [...loopback, addresses.machine, 'keda-operator.keda.svc', 'keda-metrics.keda.svc'],
  },
} as const satisfies Record<string, { user: string; group?: string; hosts: readonly string[] }>;

function kubeletOf({ name, address }: NodePlace) {
  return { user: `system:node:${name}`, group: 'system:nodes', hosts: [name, address] };
}

export type CertificateName = keyof typeof holders;

/** Makes them anew in a directory; the authority's key is kept nowhere. */
export async function makeCredentials(dir: string): Promise<Credentials> {
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const path = (file: string) => join(dir, file);
  const write = (file: string, text: string) => writeFile(path(file), text, { mode: 0o600 });
  const authority = createAuthority({ days: 30, now: new Date() });
  await write('ca.crt', authority.certificate);
  for (const [name, holder] of Object.entries(holders)) {
    const group = 'group' in holder ? holder.group : undefined;
    const issued = authority.issue(holder.user, holder.hosts, group);
    await write(`${name}.crt`, issued.certificate);
    await write(`${name}.key`, issued.key);
    await write(`${name}.kubeconfig`, kubeconfigOf(issued));
  }
  const accounts = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const pem = { format: 'pem' } as const;
  await write('accounts.key', accounts.privateKey.export({ ...pem, type: 'pkcs8' }).toString());
  await write('accounts.pub', accounts.publicKey.export({ ...pem, type: 'spki' }).toString());
  return {
    authority: path('ca.crt'),
    certificate: (name) => path(`${name}.crt`),
    key: (name) => path(`${name}.key`),
    kubeconfig: (name) => path(`${name}.kubeconfig`),
    serviceAccounts: { privateKey: path('accounts.key'), publicKey: path('accounts.pub') },
  };
}

/** JSON is YAML, too. */
export function kubeconfigOf({ authority, certificate, key }: ServerTls): string {
  const base64 = (text: string) => Buffer.from(text).toString('base64');
  const cluster = { server: apiUrl, 'certificate-authority-data': base64(authority) };
  const user = { 'client-certificate-data': base64(certificate), 'client-key-data': base64(key) };
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'cluster', cluster }],
    users: [{ name: 'user', user }],
    contexts: [{ name: 'context', context: { cluster: 'cluster', user: 'user' } }],
    'current-context': 'context',
  });
}
