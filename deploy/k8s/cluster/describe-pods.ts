import { namespace } from './addresses.ts';
import type { Kubectl } from './kubectl.ts';

/** The pods of the release and what happened last, for who wonders why they do not come. */
export async function describePods(kubectl: Kubectl): Promise<string> {
  const pods = await kubectl('-n', namespace, 'get', 'pods', '-o', 'wide');
  const sort = ['--sort-by=.lastTimestamp'];
  const events = await kubectl('-n', namespace, 'get', 'events', ...sort);
  return `${pods}\n${events.split('\n').slice(-20).join('\n')}`;
}
