/** In the order in which a running system is taken down. */
const phases = ['edge', 'services', 'receiver', 'servers', 'disks'] as const;
export type Phase = (typeof phases)[number];

export type Shutdown = {
  add(phase: Phase, stop: () => Promise<unknown>): void;
  /** Phase by phase, all of one phase together. Runs once; every later call waits for it. */
  run(): Promise<void>;
};

/** A stop that fails is reported and never keeps another from being stopped. */
export function createShutdown(say: (line: string) => void): Shutdown {
  const stops: { phase: Phase; stop: () => Promise<unknown> }[] = [];
  let running: Promise<void> | undefined;

  async function stopPhase(phase: Phase) {
    const of = stops.filter((entry) => entry.phase === phase);
    const outcomes = await Promise.allSettled(of.map(({ stop }) => stop()));
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') say(`stopping ${phase}: ${String(outcome.reason)}`);
    }
  }

  async function stopAll() {
    for (const phase of phases) await stopPhase(phase);
  }

  return {
    add: (phase, stop) => void stops.push({ phase, stop }),
    run: () => (running ??= stopAll()),
  };
}
