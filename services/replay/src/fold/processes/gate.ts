/** Holds work up while something more important goes on. */
export type Gate = {
  hold(): void;
  release(): void;
  /** Does it while the gate is open; aborted when it closes, and called again when it opens. */
  whileOpen(work: (signal: AbortSignal) => Promise<void>): Promise<void>;
};

export function createGate(): Gate {
  let closing = new AbortController();
  let opened = Promise.withResolvers<void>();
  opened.resolve();
  return {
    hold() {
      if (closing.signal.aborted) return;
      opened = Promise.withResolvers();
      closing.abort(new Error('held up'));
    },
    release() {
      if (!closing.signal.aborted) return;
      closing = new AbortController();
      opened.resolve();
    },
    async whileOpen(work) {
      for (;;) {
        await opened.promise;
        const { signal } = closing;
        try {
          return await work(signal);
        } catch (error) {
          if (!signal.aborted) throw error;
        }
      }
    },
  };
}
