export type Steps = {
  /** Runs one step of the start and says how long it took; refuses when the start was given up. */
  run<T>(name: string, step: () => Promise<T>): Promise<T>;
};

export function createSteps(say: (line: string) => void, signal: AbortSignal | undefined): Steps {
  return {
    async run(name, step) {
      signal?.throwIfAborted();
      const startedAt = performance.now();
      const result = await step();
      say(`✓ ${name} (${((performance.now() - startedAt) / 1000).toFixed(1)} s)`);
      signal?.throwIfAborted();
      return result;
    },
  };
}
