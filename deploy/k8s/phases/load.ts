import { createRandom } from '../../../test-faults/chain/random.ts';
import { createCustomers } from '../../upgrade-drill/customers.ts';
import { startTraffic, type Traffic } from '../../upgrade-drill/traffic.ts';
import type { World } from '../world.ts';

let parts = 0;

/**
 * What becomes of the reports of customers while `work` is done, at a steady rate or at the one
 * that it sets; they never give an event up, unless the work fails.
 */
export async function underLoad<T>(
  world: World,
  perSecond: number,
  work: (setPace: (perSecond: number) => void) => Promise<T>,
): Promise<{ traffic: Traffic; result: T }> {
  const load = startLoad(world, perSecond);
  try {
    const result = await work(load.setPace);
    return { result, traffic: await Promise.race([load.end(), givenUp(world.signal)]) };
  } finally {
    load.giveUp();
  }
}

/** More would only wait, and take from the services what they need to answer. */
const mostUnderWay = 500;

function givenUp(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const rejects = () => reject(signal.reason as Error);
    if (signal.aborted) rejects();
    signal.addEventListener('abort', rejects, { once: true });
  });
}

function startLoad({ clients, codes }: World, perSecond: number) {
  const prefix = `k8s-${parts++}`;
  const random = createRandom(parts);
  const customers = createCustomers({ codes, random, now: Date.now(), prefix });
  return startTraffic(clients, () => customers.next(), perSecond, mostUnderWay);
}

/** Attempts that were not answered 202, in a few words. */
export function refusalsOf({ tried, late }: Traffic): string {
  const counts = Object.entries(tried).map(([what, count]) => `${count} × ${what}`);
  const answers = counts.length === 0 ? 'only 202' : `besides 202: ${counts.join(', ')}`;
  return late === 0 ? answers : `${answers}; ${late} reports too late for the pace`;
}
