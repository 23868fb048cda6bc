import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { namespace } from '../cluster/addresses.ts';
import type { Kubectl } from '../cluster/kubectl.ts';

/** How many replicas a Deployment was told to have, and how many were ready. */
export type Sample = { atMs: number; wanted: number; ready: number };

const columns = 'jsonpath={.metadata.name} {.spec.replicas} {.status.readyReplicas}{"\\n"}';

/** Notes every change of the Deployments' replicas, as the API server tells it. */
export function watchReplicas({ kubeconfig }: Kubectl, say: (line: string) => void) {
  const samples = new Map<string, Sample[]>();
  const args = ['--kubeconfig', kubeconfig, '-n', namespace, 'get', 'deployments', '--watch'];
  const child = spawn('kubectl', [...args, '-o', columns], { stdio: ['ignore', 'pipe', 'ignore'] });
  const ended = once(child, 'close');
  const beganAt = performance.now();
  createInterface({ input: child.stdout }).on('line', (line) => {
    const [name = '', wanted = '0', ready = ''] = line.split(' ');
    const known = samples.get(name) ?? [];
    const sample = { atMs: performance.now() - beganAt, wanted: +wanted, ready: +(ready || 0) };
    const last = known.at(-1);
    if (last?.wanted === sample.wanted && last.ready === sample.ready) return;
    samples.set(name, [...known, sample]);
    if (last === undefined) return;
    const after = (sample.atMs / 1_000).toFixed(0);
    say(`${name}: ${sample.ready} of ${sample.wanted} replicas ready after ${after} s`);
  });
  return {
    of: (name: string): readonly Sample[] => samples.get(name) ?? [],
    async stop() {
      child.kill();
      await ended;
    },
  };
}

/** What the samples of one Deployment tell of its scaling. */
export function scalingOf(samples: readonly Sample[]) {
  const wanted = samples.map((sample) => sample.wanted).filter((n, i, all) => n !== all[i - 1]);
  const steps = wanted.slice(1).map((n, i) => Math.sign(n - wanted[i]!));
  return {
    /** The numbers it was told to have, in order. */
    wanted,
    mostReady: Math.max(0, ...samples.map(({ ready }) => ready)),
    /** Up and then down is one turn; each further one is flapping. */
    turns: steps.filter((step, i) => i > 0 && step !== steps[i - 1]).length,
  };
}
