/**
 * Does a piece of work again and again: at once when woken, else after an interval. One run at a
 * time; a wake during a run is not lost, another run follows at once.
 */
export type Repeater = {
  start(): void;
  wake(): void;
  /** Waits for the run under way. */
  stop(): Promise<void>;
};

/** `work` must not throw; it looks at `stopping` between its steps. */
export function createRepeater(options: {
  everyMs: number;
  work: (stopping: () => boolean) => Promise<void>;
}): Repeater {
  const { everyMs, work } = options;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  let woken = false;
  let stopping = false;

  function schedule(delayMs: number): void {
    clearTimeout(timer);
    if (!stopping) timer = setTimeout(run, delayMs);
  }

  function run(): void {
    woken = false;
    running = work(() => stopping).finally(() => {
      running = undefined;
      schedule(woken ? 0 : everyMs);
    });
  }

  return {
    start: () => schedule(0),
    wake() {
      woken = true;
      if (!running) schedule(0);
    },
    async stop() {
      stopping = true;
      clearTimeout(timer);
      await running;
    },
  };
}
