import { readFileSync } from 'node:fs';

/**
 * Connections that found the queue of a listening socket full, of all sockets of this machine since
 * its start (`ListenOverflows` of proc_net_netstat). Nobody is refused by that: the other side
 * sends again, later and later.
 */
export function readAcceptOverflows(): number {
  return acceptOverflowsIn(readFileSync('/proc/net/netstat', 'utf8'));
}

/** Two lines each: `TcpExt:` with the names, then with the values. */
export function acceptOverflowsIn(netstat: string): number {
  const [names = [], values = []] = netstat
    .split('\n')
    .filter((line) => line.startsWith('TcpExt:'))
    .map((line) => line.split(' '));
  const at = names.indexOf('ListenOverflows');
  if (at < 0) throw new Error('this kernel does not count ListenOverflows');
  return Number(values[at]);
}
