import { ask, type Asked, createBatcher } from '@tributary/runtime/batcher';

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
  const groups = createBatcher<Asked<S, void>>({
    take: takeGroup,
    send: runGroup,
    maxUnderWay: 2,
    // A second group only for a backlog: small ones do better waiting for the next.
    worthAnother: (waiting) =>
      waiting.reduce((sum, { item }) => sum + sizeOf(item), 0) >= maxRecords,
  });

  async function runGroup(group: readonly Asked<S, void>[]): Promise<void> {
    try {
      await commit(group.map(({ item }) => item));
      for (const { resolve } of group) resolve();
    } catch (error) {
      if (group.length === 1 || isTransient(error)) {
        for (const { reject } of group) reject(error);
        return;
      }
      for (const { item, resolve, reject } of group) await commit([item]).then(resolve, reject);
    }
  }

  /** The oldest slice and what may go with it, in order. */
  function takeGroup(waiting: Asked<S, void>[]) {
    const first = waiting[0];
    const taken: Asked<S, void>[] = [];
    const rest: Asked<S, void>[] = [];
    let records = 0;
    for (const asked of waiting) {
      const kin = first !== undefined && kindOf(asked.item) === kindOf(first.item);
      const fits = kin && (records === 0 || records + sizeOf(asked.item) <= maxRecords);
      if (fits) records += sizeOf(asked.item);
      (fits ? taken : rest).push(asked);
    }
    return { taken, rest };
  }

  return { submit: (slice) => ask(groups, slice) };
}
