import type { Held } from './held-partition.ts';
import type { Controls } from './supervised-consumer.ts';

/** Kafka's own offsets are only for tools that show lag; losing a commit costs nothing. */
export function createToolOffsets(options: {
  held: () => Iterable<Held>;
  controls: () => Controls | undefined;
}): { start(): void; stop(): void } {
  const { held, controls } = options;
  let timer: NodeJS.Timeout | undefined;
  /** By partition, what was committed of this very claim. */
  let committed = new WeakMap<Held, bigint>();

  function commit(): void {
    const moved = [...held()].filter((h) => h.position.next > (committed.get(h) ?? 0n));
    const to = controls();
    if (moved.length === 0 || !to) return;
    for (const h of moved) committed.set(h, h.position.next);
    const offsets = moved.map(({ topic, partition, position }) => ({
      topic,
      partition,
      offset: position.next,
    }));
    to.commit(offsets).catch(() => (committed = new WeakMap()));
  }

  return {
    start() {
      timer = setInterval(commit, 1_000);
    },
    stop() {
      clearInterval(timer);
    },
  };
}
