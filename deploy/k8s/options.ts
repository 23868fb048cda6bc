import { parseArgs } from 'node:util';

export const phaseNames = ['main-job', 'scaling', 'rolling-update', 'faults'] as const;
/** The last one is played alone, on an earlier release. */
export type PhaseName = (typeof phaseNames)[number] | 'upgrade';

export type Options = {
  phases: readonly PhaseName[];
  /** A checkout of the release that is upgraded; absent: that of this checkout is installed. */
  from?: string;
  /** Nothing but what a run needs is built. */
  build: boolean;
  /** The cluster stays until Ctrl-C. */
  keep: boolean;
  /** How long pods are killed. */
  minutes: number;
};

export const usage =
  'usage: npm run k8s [-- --only PHASES --keep --minutes M | --from CHECKOUT | --build]\n' +
  `  PHASES, by name or number, with commas: ${phaseNames.join(', ')}\n` +
  '  --keep: the cluster stays when the phases are over, until Ctrl-C\n' +
  '  --minutes: for how long a pod is killed every five seconds, default 3\n' +
  '  --from: the release of that checkout is upgraded to this one, and rolled back\n' +
  '  --build: only fills the cache with what a run needs';

/** Undefined where the arguments are none of this command's. */
export function readOptions(args: readonly string[]): Options | undefined {
  const values = parse(args);
  if (values === undefined) return undefined;
  const { build = false, keep = false, only, minutes = '3', from } = values;
  if (from !== undefined) {
    const isAlone = only === undefined && !build && from !== '';
    return isAlone ? { phases: ['upgrade'], from, build, keep, minutes: 0 } : undefined;
  }
  const chosen = only?.split(',') ?? [...phaseNames];
  const phases = phaseNames.filter((name, i) =>
    chosen.some((one) => one === name || one === String(i + 1)),
  );
  const isRight = phases.length === new Set(chosen).size && Number(minutes) > 0;
  return isRight ? { phases, build, keep, minutes: Number(minutes) } : undefined;
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        only: { type: 'string' },
        build: { type: 'boolean' },
        keep: { type: 'boolean' },
        minutes: { type: 'string' },
        from: { type: 'string' },
      },
    }).values;
  } catch {
    return undefined;
  }
}
