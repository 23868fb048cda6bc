import { readFileSync } from 'node:fs';
import type { ServiceReplica } from '../deploy/local/service-replica.ts';

/** How many partitions a process was given when it last joined, by its own log; 0: it never did. */
export function lastAssignment({ logFile }: Pick<ServiceReplica, 'logFile'>): number {
  const joins = readFileSync(logFile, 'utf8').matchAll(/"partitions assigned".*/g);
  const last = [...joins].at(-1)?.[0] ?? '';
  return Number(/"partitions":(\d+)/.exec(last)?.[1] ?? 0);
}
