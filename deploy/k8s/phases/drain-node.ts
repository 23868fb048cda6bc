import { namespace, nodes } from '../cluster/addresses.ts';
import type { World } from '../world.ts';
import type { Outcome } from './faults.ts';

/** As before the maintenance of a node: its pods are evicted, as far as their budgets allow. */
export async function drainNode({ kubectl, addNode, say }: World): Promise<Outcome> {
  const [from, to] = nodes;
  await addNode();
  say(`${to.name} is there`);
  await kubectl('drain', from.name, '--delete-emptydir-data', '--timeout=300s');
  const wait = ['wait', '--for=condition=available', 'deployment', '--all', '--timeout=240s'];
  await kubectl('-n', namespace, ...wait);
  const counts = await Promise.all([podsOn(kubectl, from.name), podsOn(kubectl, to.name)]);
  await kubectl('uncordon', from.name);
  return {
    seen: `${counts[0]} pods left on ${from.name}, ${counts[1]} run on ${to.name}`,
    ok: counts[0] === 0 && counts[1] > 0,
  };
}

async function podsOn(kubectl: World['kubectl'], node: string): Promise<number> {
  const chosen = `--field-selector=spec.nodeName=${node},status.phase=Running`;
  const names = await kubectl('-n', namespace, 'get', 'pods', chosen, '-o', 'name');
  return names.split('\n').filter((name) => name !== '').length;
}
