/**
 * Slices of several partitions in one transaction. A transaction costs about the same for one
 * record as for fifty, and a fetch brings few records of many partitions, so what arrives together
 * is committed together.
 *
 *   submitted ──next turn of the event loop──▶ group ──one transaction──▶ committed
 *                                                └─fails─▶ each slice alone ─▶ committed or failed
 *
 * A group is of one kind (a source, as a rule): sources take their locks differently, and a
 * transaction that did the work of several could deadlock with its like in another process.
 *
 * A slice that cannot be applied, or whose partition is fenced, so fails by itself only. When the
 * failure is the database's, trying slice by slice would only take longer: all fail at once.
 */
export type GroupCommit<S> = {
  /** Resolves when the slice is committed; rejects with the reason of its own failure. */
  submit(slice: S): Promise<void>;
};

export function createGroupCommit<S>(options: {
  commit: (slices: readonly S[]) => Promise<void>;
  sizeOf: (slice: S) => number;
  kindOf: (slice: S) => string;
  maxRecords: number;
  isTransient: (error: unknown) => boolean;
}): GroupCommit<S> {
  const { commit, sizeOf, kindOf, maxRecords, isTransient } = options;
  let queue: Waiting<S>[] = [];
  let running = 0;
  let scheduled = false;

  function schedule(): void {
    if (scheduled || queue.length === 0 || running >= maxGroups) return;
    // A second group only for a backlog: small ones do better waiting for the next.
    if (running > 0 && queue.reduce((sum, { slice }) => sum + sizeOf(slice), 0) < maxRecords)
      return;
    scheduled = true;
    setImmediate(() => {
      scheduled = false;
      const { taken, rest } = takeGroup(queue);
      queue = rest;
      running += 1;
      void runGroup(taken).finally(() => {
        running -= 1;
        schedule();
      });
      schedule();
    });
  }

  async function runGroup(group: readonly Waiting<S>[]): Promise<void> {
    try {
      await commit(group.map(({ slice }) => slice));
      for (const { resolve } of group) resolve();
    } catch (error) {
      if (group.length === 1 || isTransient(error)) {
        for (const { reject } of group) reject(error);
        return;
      }
      for (const { slice, resolve, reject } of group) await commit([slice]).then(resolve, reject);
    }
  }

  /** The oldest slice and what may go with it, in order. */
  function takeGroup(waiting: readonly Waiting<S>[]): { taken: Waiting<S>[]; rest: Waiting<S>[] } {
    const first = waiting[0];
    const taken: Waiting<S>[] = [];
    const rest: Waiting<S>[] = [];
    let records = 0;
    for (const item of waiting) {
      const kin = first !== undefined && kindOf(item.slice) === kindOf(first.slice);
      const fits = kin && (records === 0 || records + sizeOf(item.slice) <= maxRecords);
      if (fits) records += sizeOf(item.slice);
      (fits ? taken : rest).push(item);
    }
    return { taken, rest };
  }

  return {
    submit(slice) {
      return new Promise((resolve, reject) => {
        queue.push({ slice, resolve, reject });
        schedule();
      });
    },
  };
}

const maxGroups = 2;

type Waiting<S> = { slice: S; resolve: () => void; reject: (reason: unknown) => void };
