import { startThrowawayStack } from '../../deploy/local/throwaway-stack.ts';
import { type Benchmark, median } from '../report.ts';
import { type Load, runLoad } from './load.ts';
import { largeRefusedBodies, largeValidBody, refusedBodies } from './reject-bodies.ts';
import { startServer } from './start-server.ts';
import { stopServices } from './stop-services.ts';

const rounds = 5;
const secondsPerRun = 3;

const accepted = 'accepted, 202';
const largeAccepted = 'accepted, 60 KiB valid body';

/**
 * 422s per second beside 202s per second of the same server, without Kafka: what a refusal costs
 * that stores nothing. All bodies take turns on one process, so that a machine that slows down
 * slows them all.
 */
export const benchReject: Benchmark = async ({ progress }) => {
  progress('starting the stack');
  const stack = await startThrowawayStack();
  try {
    const token = await stopServices(stack);
    const server = await startServer(stack, 'no-kafka');
    try {
      const runs = await measure(server.url, token, progress);
      return report(runs);
    } finally {
      await server.stop();
    }
  } finally {
    await stack.stop();
  }
};

type Runs = Map<string, Load[]>;

const bodies = new Map<string, string | undefined>([
  [accepted, undefined],
  ...Object.entries(refusedBodies),
  [largeAccepted, largeValidBody],
  ...Object.entries(largeRefusedBodies),
]);

async function measure(
  url: string,
  token: string,
  progress: (line: string) => void,
): Promise<Runs> {
  const runs: Runs = new Map();
  for (let round = 0; round <= rounds; round++) {
    for (const [name, body] of bodies) {
      const about = { url, token, keyed: false, ...(body === undefined ? {} : { body }) };
      if (round === 0) {
        await requireStatus(about, isAccepted(name) ? 202 : 422);
        await runLoad({ ...about, seconds: 1 });
        continue;
      }
      const load = await runLoad({ ...about, seconds: secondsPerRun });
      runs.set(name, [...(runs.get(name) ?? []), load]);
      progress(`round ${round}/${rounds} ${name}: ${Math.round(answersPerSecond(load))} answers/s`);
    }
  }
  return runs;
}

/** A body that gets another answer than the one to be measured would give a wrong figure. */
async function requireStatus(
  about: { url: string; token: string; body?: string },
  status: number,
): Promise<void> {
  if (about.body === undefined) return;
  const answer = await fetch(`${about.url}/v2/events/purchase-created`, {
    method: 'POST',
    headers: { authorization: `Bearer ${about.token}`, 'content-type': 'application/json' },
    body: about.body,
  });
  await answer.body?.cancel();
  if (answer.status !== status) throw new Error(`expected ${status}, got ${answer.status}`);
}

function isAccepted(name: string): boolean {
  return name === accepted || name === largeAccepted;
}

function answersPerSecond({ perSecond, refusedPerSecond }: Load): number {
  return perSecond + refusedPerSecond;
}

function report(runs: Runs) {
  const rate = (name: string) => median((runs.get(name) ?? []).map(answersPerSecond));
  /** The median, over the rounds, of the ratio to the accept rate of the same round. */
  const ratio = (name: string, to: string) =>
    median(
      (runs.get(name) ?? []).map(
        (load, n) => answersPerSecond(load) / answersPerSecond(runs.get(to)![n]!),
      ),
    );
  const rows = [...runs].map(([name, loads]) => [
    name,
    Math.round(rate(name)),
    median(loads.map((l) => l.p50Ms)).toFixed(1),
    median(loads.map((l) => l.p99Ms)).toFixed(1),
    loads.reduce((sum, l) => sum + l.broken, 0),
  ]);
  return {
    name: 'reject',
    figures: Object.fromEntries([...runs.keys()].map((name) => [`${name} per second`, rate(name)])),
    ratios: Object.fromEntries([
      ...Object.keys(refusedBodies).map((name) => [`422 (${name}) / 202`, ratio(name, accepted)]),
      ...Object.keys(largeRefusedBodies).map((name) => [
        `422 (${name}) / 202 of a valid body of that size`,
        ratio(name, largeAccepted),
      ]),
    ]) as Record<string, number>,
    tables: [
      [['answers on one core, no Kafka', 'per second', 'p50 ms', 'p99 ms', 'broken'], ...rows],
    ],
  };
}
