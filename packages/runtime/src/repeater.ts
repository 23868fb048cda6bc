/**
 * The worker loop: does a piece of work again and again, one run at a time.
 *
 *   started ──▶ running ──▶ waiting ──interval over, or woken──▶ gathering ──▶ running
 *                  └─failed──▶ backing off ──▶ running
 *
 * A wake during a run is not lost: another run follows. Every run but the first is preceded by a
 * moment of gathering, in which no wake counts: what comes in a flurry is served by one run.
 */
export type Repeater = {
  start(): void;
  /** Runs now instead of at the next interval. Before the start it does nothing. */
  wake(): void;
  /** Runs that failed in a row. */
  failures(): number;
  /** Waits for the run under way. */
  stop(): Promise<void>;
};

/** One run. It looks at `stopping` between its steps, and says when it wants the next one. */
export type Work = (stopping: () => boolean) => Promise<number | void>;

export function createRepeater(options: {
  /** Between two runs when nobody wakes it, where a run names no other time. */
  everyMs: number;
  gatherMs?: number;
  /**
   * A pause after a failed run that no wake shortens. Otherwise a failure is followed as any run.
   */
  retryMs?: number;
  work: Work;
  /** Without it the work must not throw. */
  onFailure?: (error: unknown, failures: number) => void;
}): Repeater {
  const { everyMs, gatherMs = 0, retryMs, work, onFailure } = options;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  let dueMs = 0;
  let isWaiting = false;
  let woken = false;
  let stopping = false;
  let failures = 0;

  function runIn(ms: number, wakeable: boolean): void {
    clearTimeout(timer);
    if (stopping) return;
    dueMs = performance.now() + ms;
    isWaiting = wakeable;
    timer = setTimeout(run, ms);
  }

  function run(): void {
    woken = false;
    isWaiting = false;
    running = tryWork().finally(() => (running = undefined));
  }

  async function tryWork(): Promise<void> {
    try {
      const nextMs = await work(() => stopping);
      failures = 0;
      follow(nextMs ?? everyMs);
    } catch (error) {
      if (!onFailure) throw error;
      failures += 1;
      onFailure(error, failures);
      if (retryMs === undefined) follow(everyMs);
      else runIn(retryMs + gatherMs, false);
    }
  }

  function follow(ms: number): void {
    if (woken) runIn(gatherMs, false);
    else runIn(ms + gatherMs, true);
  }

  return {
    start() {
      if (timer === undefined && !stopping) runIn(0, false);
    },
    wake() {
      woken = true;
      // What is due anyway is not put off.
      if (isWaiting) runIn(Math.min(gatherMs, dueMs - performance.now()), false);
    },
    failures: () => failures,
    async stop() {
      stopping = true;
      isWaiting = false;
      clearTimeout(timer);
      await running;
    },
  };
}
