import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from '@tributary/testkit/free-port';
import { places } from '../places.ts';
import { clusterDomain, nodes } from './addresses.ts';
import { accepts } from './answers.ts';
import type { Kubectl } from './kubectl.ts';
import type { StartProgram } from './programs.ts';

export type NameServer = {
  /** Tells it the Services of the cluster, as they are now. */
  learn(kubectl: Kubectl): Promise<void>;
  /** A resolv.conf for programs outside, which find Services by their names then. */
  resolvConf: string;
};

const [on] = nodes;

/** dnsmasq on the first node: the names of Services, and no others. */
export async function startNameServer(start: StartProgram, stateDir: string): Promise<NameServer> {
  const dir = join(stateDir, 'dnsmasq');
  const names = join(dir, 'names');
  const resolvConf = join(dir, 'resolv.conf');
  await mkdir(names, { recursive: true });
  const search = `search svc.${clusterDomain} ${clusterDomain}`;
  await writeFile(resolvConf, `nameserver ${on.address}\n${search}\noptions ndots:5\n`);
  await start({
    ...{ name: 'dnsmasq', on },
    command: join(places.nodeRoot, 'usr/sbin/dnsmasq'),
    args: [
      ...['--keep-in-foreground', '--conf-file=/dev/null', '--user=root', '--group=root'],
      ...['--pid-file='],
      ...[`--listen-address=${on.address}`, '--bind-interfaces', '--no-resolv', '--no-hosts'],
      ...[`--hostsdir=${names}`, `--local=/${clusterDomain}/`, '--log-facility=-'],
    ],
    port: await freePort(),
    isReady: () => accepts(53, on.address),
  });
  return {
    resolvConf,
    async learn(kubectl) {
      const { items } = await kubectl.json<ServiceList>('get', 'services', '--all-namespaces');
      // Moved into place: it reads a file as soon as there is one.
      const draft = join(dir, 'services.new');
      await writeFile(draft, hostsOf(items));
      await rename(draft, join(names, 'services'));
    },
  };
}

export type ServiceList = {
  items: { metadata: { name: string; namespace: string }; spec: { clusterIP?: string } }[];
};

/** Lines of a hosts file; a Service without an address of its own has none. */
export function hostsOf(services: ServiceList['items']): string {
  return services
    .filter(({ spec: { clusterIP } }) => clusterIP !== undefined && clusterIP !== 'None')
    .map(({ metadata: { name, namespace }, spec }) => {
      return `${spec.clusterIP} ${name}.${namespace}.svc.${clusterDomain}\n`;
    })
    .join('');
}
