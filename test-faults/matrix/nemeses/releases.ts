import { repository } from '../../../deploy/local/state-dir.ts';
import { serviceTable } from '../../../deploy/local/service-table.ts';
import { aMoment, underWay } from './load.ts';
import type { Nemesis } from './nemesis.ts';

/** Of these, processes of both releases work side by side; the others follow one another. */
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
 */
export function olderRelease(checkout: string): Nemesis {
  let replaced = new Set<string>();
  return {
    name: 'older-release',
    says: 'all processes are of an earlier release, and replaced one by one by those of this one',
    stack() {
      replaced = new Set();
      const checkoutOf = (replica: string) => (replaced.has(replica) ? repository : checkout);
      return Promise.resolve({ replicas, checkoutOf });
    },
    async run(field) {
      for (const { name } of serviceTable) {
        for (const replica of field.stack.services[name].replicas) {
          const hit = await underWay(field);
          field.doing();
          const exit = await replica.kill('SIGTERM');
          if (exit.code !== 0)
            throw new Error(`${replica.name} ended with ${JSON.stringify(exit)}`);
          replaced.add(replica.name);
          field.undoing();
          await replica.restart();
          if (hit !== undefined) field.fired(`${replica.name} is of this release now, ${hit}`);
          await aMoment(field);
        }
      }
    },
  };
}
