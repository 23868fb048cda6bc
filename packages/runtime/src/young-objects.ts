import { setFlagsFromString } from 'node:v8';

/**
 * For a process in which much waits for an acknowledgement. V8 allocates objects of a kind that
 * often outlived a collection among the old ones at once; then each of them, dead or not, keeps all
 * that its request has made until the next rare collection of those (docs/decisions/0087).
 */
export function keepYoungObjectsYoung(): void {
  // NODE_OPTIONS does not take it.
  setFlagsFromString('--no-allocation-site-pretenuring');
}
