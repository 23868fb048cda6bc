/**
 * Keeps pieces of work apart that would wait for each other's rows: a lane is a partition's number,
 * and two that need the same lane take turns in the order in which they asked. Of one process; what
 * rows must not be written twice at once is for the database to hold.
 */
export type Lanes = {
  /** Runs as soon as none of these lanes is in use, nor wanted by anybody who asked before. */
  use<T>(lanes: readonly number[], work: () => Promise<T>): Promise<T>;
  /** Runs with those of these lanes that are free; as soon as one is. */
  useFree<T>(among: readonly number[], work: (lanes: readonly number[]) => Promise<T>): Promise<T>;
};

type Waiting = {
  /** Which it takes, of those that are free now; undefined while it cannot run. */
  choose: (isFree: (lane: number) => boolean) => readonly number[] | undefined;
  /** What it waits for: nobody who asked later goes first. */
  wants: readonly number[];
  run: (lanes: readonly number[]) => void;
};

export function createLanes(): Lanes {
  const inUse = new Set<number>();
  let queue: Waiting[] = [];

  function runWhatCan(): void {
    const wanted = new Set<number>();
    const isFree = (lane: number) => !inUse.has(lane) && !wanted.has(lane);
    const left: Waiting[] = [];
    for (const waiting of queue) {
      const lanes = waiting.choose(isFree);
      if (lanes === undefined) {
        left.push(waiting);
        for (const lane of waiting.wants) wanted.add(lane);
        continue;
      }
      for (const lane of lanes) inUse.add(lane);
      waiting.run(lanes);
    }
    queue = left;
  }

  function ask<T>(
    waiting: Omit<Waiting, 'run'>,
    work: (lanes: readonly number[]) => Promise<T>,
  ): Promise<T> {
    return new Promise((resolve, reject) => {
      const run = (lanes: readonly number[]) => {
        void Promise.resolve(lanes)
          .then(work)
          .then(resolve, reject)
          .finally(() => {
            for (const lane of lanes) inUse.delete(lane);
            runWhatCan();
          });
      };
      queue.push({ ...waiting, run });
      runWhatCan();
    });
  }

  return {
    use(lanes, work) {
      const all = [...new Set(lanes)];
      const choose: Waiting['choose'] = (isFree) => (all.every(isFree) ? all : undefined);
      return ask({ choose, wants: all }, work);
    },
    useFree(among, work) {
      const choose: Waiting['choose'] = (isFree) => {
        const free = among.filter(isFree);
        return free.length > 0 || among.length === 0 ? free : undefined;
      };
      return ask({ choose, wants: among }, work);
    },
  };
}
