import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { readPatience } from '@tributary/testkit/patience';

/** What TRIBUTARY_TEST_PATIENCE says, or else what this machine needs now, to one decimal. */
export async function choosePatience(env: NodeJS.ProcessEnv): Promise<number> {
  const asked = env['TRIBUTARY_TEST_PATIENCE'] ?? '';
  return asked === '' ? Number((await measurePatience()).toFixed(1)) : readPatience(asked);
}

/**
 * By how much deadlines of tests must be longer here and now than their specs say: the same work on
 * as many threads as there are cores, against what it takes an idle core of the machine on which
 * the deadlines were chosen. A busy machine shows as a slow one.
 */
async function measurePatience(threads = availableParallelism()): Promise<number> {
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: threads }, work));
  const slowness = (performance.now() - startedAt) / idleMs;
  return Math.min(Math.max(1, slowness), most) * besideOthers;
}

/** What the work takes with nothing beside it. */
const idleMs = 400;

/** A test runs beside those of the other lanes. */
const besideOthers = 3;

/** On a machine that is slower than this, tests are not late but broken. */
const most = 5;

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
