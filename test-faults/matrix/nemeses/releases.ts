import { execFileSync } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { serviceTable } from '../../../deploy/local/service-table.ts';
import { repository } from '../../../deploy/local/state-dir.ts';
import { aMoment, underWay } from './load.ts';
import type { Nemesis } from './nemesis.ts';

/** Processes of both releases work side by side; what is not named here has one process. */
const replicas = {
  'ingest-api': 2,
  'legacy-events': 2,
  attribution: 2,
  rewards: 2,
  'webhook-dispatcher': 2,
  portal: 2,
};

/**
 * A rolling upgrade from the release in that checkout, one process after the other, in the order in
 * which services are started.
 *
 * @throws when it has the commit of this one.
 */
export function olderRelease(checkout: string): Nemesis {
  const [from, to] = [commitOf(checkout), commitOf(repository)];
  if (from === to) throw new Error(`--older ${checkout} is at ${from}, as this checkout is`);
  let replaced = new Set<string>();
  return {
    name: 'older-release',
    says: 'all processes are of an earlier release, and replaced one by one by those of this one',
    options: `--older ${checkout}`,
    stack() {
      replaced = new Set();
      const checkoutOf = (replica: string) => (replaced.has(replica) ? repository : checkout);
      return Promise.resolve({ replicas, checkoutOf });
    },
    async run(field) {
      for (const { name } of serviceTable) {
        for (const replica of field.stack.services[name].replicas) {
          mustRunIn(checkout, replica);
          const hit = await underWay(field);
          if (hit === undefined) throw new Error(`${replica.name} was replaced without any load`);
          field.doing();
          const exit = await replica.kill('SIGTERM');
          if (exit.code !== 0)
            throw new Error(`${replica.name} ended with ${JSON.stringify(exit)}`);
          replaced.add(replica.name);
          field.undoing();
          await replica.restart();
          mustRunIn(repository, replica);
          field.fired(`${replica.name} is of ${to} instead of ${from} now, ${hit}`);
          await aMoment(field);
        }
      }
    },
  };
}

function commitOf(checkout: string): string {
  return execFileSync('git', ['-C', checkout, 'rev-parse', '--short', 'HEAD'], {
    encoding: 'utf8',
  }).trim();
}

function mustRunIn(checkout: string, { name, pid }: { name: string; pid: number }): void {
  const cwd = realpathSync(`/proc/${pid}/cwd`);
  if (!cwd.startsWith(`${realpathSync(checkout)}/`)) throw new Error(`${name} runs in ${cwd}`);
}
