import { existsSync } from 'node:fs';
import { addresses, bridge, type NodePlace, nodes } from './addresses.ts';
import { run } from './run.ts';

/** Prefix of a command that runs in a node's network, with all else as it is. */
export function inNetworkOf({ network }: NodePlace): string[] {
  return ['nsenter', `--net=/run/netns/${network}`];
}

const ip = (...args: string[]) => run('ip', args);

/**
 * The switch that all nodes are connected to. The machine routes Services through the first node,
 * where kube-proxy is; whatever runs here reaches them by their own addresses, and pods by theirs.
 */
export async function makeSwitch(): Promise<void> {
  await ip('link', 'add', bridge, 'type', 'bridge');
  await ip('addr', 'add', `${addresses.machine}/24`, 'dev', bridge);
  await ip('link', 'set', bridge, 'up');
}

/** A node's network: a namespace with a cable to the switch. */
export async function connectNode(place: NodePlace): Promise<void> {
  const { network, link, address, pods } = place;
  const inside = (...args: string[]) => ip('-n', network, ...args);
  await ip('netns', 'add', network);
  await ip('link', 'add', link, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', network);
  await ip('link', 'set', link, 'master', bridge, 'up');
  await inside('addr', 'add', `${address}/24`, 'dev', 'eth0');
  await inside('link', 'set', 'eth0', 'up');
  await inside('link', 'set', 'lo', 'up');
  await inside('route', 'add', 'default', 'via', addresses.machine);
  for (const other of nodes.filter((one) => one !== place)) {
    await inside('route', 'add', other.pods, 'via', other.address);
  }
  await ip('route', 'add', pods, 'via', address);
  if (place === nodes[0]) await ip('route', 'add', addresses.services, 'via', address);
  const [nsenter, ...args] = inNetworkOf(place);
  await run(nsenter!, [...args, 'sh', '-c', 'echo 1 > /proc/sys/net/ipv4/ip_forward']);
}

/** Cables go with their namespaces, and routes with the switch. */
export async function removeNetwork(): Promise<void> {
  for (const { network, link } of nodes) {
    if (existsSync(`/run/netns/${network}`)) await ip('netns', 'del', network);
    // The kernel takes the cable away a moment later.
    if (existsSync(`/sys/class/net/${link}`)) await ip('link', 'del', link).catch(() => undefined);
  }
  if (existsSync(`/sys/class/net/${bridge}`)) await ip('link', 'del', bridge);
}
