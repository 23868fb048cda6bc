import { Worker } from 'node:worker_threads';
import { readPatience } from '@tributary/testkit/patience';

/** What TRIBUTARY_TEST_PATIENCE says, or else what this machine needs now, to one decimal. */
export async function choosePatience(env: NodeJS.ProcessEnv): Promise<number> {
  const asked = env['TRIBUTARY_TEST_PATIENCE'] ?? '';
  return asked === '' ? Number((await measurePatience()).toFixed(1)) : readPatience(asked);
}

/**
 * By how much deadlines of tests must be longer here and now than their specs say: the same work on
 * `threads`, against what it took the machine on which the deadlines were chosen, which has two
 * cores and nothing else to do. A busy machine shows as a slow one, and so does one with a single
 * core, on which lanes wait for each other.
 */
async function measurePatience(): Promise<number> {
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: threads }, work));
  const slowness = (performance.now() - startedAt) / idleMs;
  return Math.min(Math.max(1, slowness), most) * besideOthers;
}

/** So many on every machine: what a run does side by side does not depend on its cores either. */
const threads = 2;

/** What the work takes then on two idle cores. */
const idleMs = 400;

/**
 * A test runs beside those of the other lanes, and a machine may become slower while they run: a
 * deadline costs time only where something is broken.
 */
export const besideOthers = 6;

/** On a machine that is slower than this, tests are not late but broken. */
const most = 3;

const script = `
  let x = 1;
  for (let i = 0; i < 2e8; i += 1) x = Math.imul(x ^ i, 2654435761);
  require('node:worker_threads').parentPort.postMessage(x);
`;

function work(): Promise<void> {
  return new Promise((resolve, reject) => {
    new Worker(script, { eval: true }).once('exit', () => resolve()).once('error', reject);
  });
}
