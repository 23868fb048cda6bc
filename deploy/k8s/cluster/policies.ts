import { join } from 'node:path';
import { freePort } from '@tributary/testkit/free-port';
import { places } from '../places.ts';
import { addresses, type NodePlace } from './addresses.ts';
import type { Credentials } from './credentials.ts';
import type { StartProgram } from './programs.ts';

const healthPort = 20_244;

/**
 * Enforces NetworkPolicies on a node that is registered: kube-router does nothing else here. What
 * pods of one bridge send each other passes through iptables, too, as the kernel has it by default.
 */
export async function startPolicies(
  start: StartProgram,
  { credentials, on }: { credentials: Credentials; on: NodePlace },
): Promise<void> {
  await start({
    ...{ name: `kube-router-${on.name}`, on },
    command: join(places.bin, 'kube-router'),
    args: [
      ...['--run-firewall=true', '--run-router=false', '--run-service-proxy=false'],
      ...['--enable-cni=false', `--kubeconfig=${credentials.kubeconfig('admin')}`],
      ...[`--hostname-override=${on.name}`, `--service-cluster-ip-range=${addresses.services}`],
      ...[`--health-port=${healthPort}`, '--v=1'],
    ],
    port: await freePort(),
    isReady: async () => (await fetch(`http://${on.address}:${healthPort}/healthz`)).ok,
  });
}
