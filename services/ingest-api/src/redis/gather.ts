import { ask, type Asked, createBatcher, upTo } from '@tributary/runtime/batcher';

/**
 * Puts what many requests want into few round trips. What waits behind a round trip that fails is
 * refused with it: behind a server that does not answer, everybody would wait for a time-out of
 * their own.
 */
export function createGather<Item, Answer>(options: {
  maxItems: number;
  /** So many go at once and not at the end of the turn of the event loop. */
  enoughItems?: number;
  maxUnderWay?: number;
  /** A batch first waits that long for company: for what nobody waits for. */
  lingerMs?: number;
  /** Gives an answer per item, in order. Must settle in bounded time. */
  send: (items: readonly Item[]) => Promise<readonly Answer[]>;
}): (item: Item) => Promise<Answer> {
  const { maxItems, enoughItems, maxUnderWay, lingerMs, send } = options;
  const batcher = createBatcher<Asked<Item, Answer>>({
    take: upTo(maxItems),
    enoughItems,
    maxUnderWay,
    gatherMs: lingerMs,
    async send(batch) {
      try {
        const answers = await send(batch.map(({ item }) => item));
        batch.forEach(({ resolve }, i) => resolve(answers[i]!));
      } catch (error) {
        for (const { reject } of [...batch, ...batcher.takeWaiting()]) reject(error);
      }
    },
  });
  return (item) => ask(batcher, item);
}
