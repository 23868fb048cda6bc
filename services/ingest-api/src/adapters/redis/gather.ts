/**
 * Puts what many requests want into few round trips: one batch is under way at a time, and what
 * arrives meanwhile forms the next one. So a lone request waits for nobody, and under load the
 * batches grow by themselves. What waits behind a round trip that fails is refused with it: behind
 * a server that does not answer, everybody would wait for a time-out of their own.
 */
export function createGather<Item, Answer>(options: {
  maxItems: number;
  /** Gives an answer per item, in order. Must settle in bounded time. */
  send: (items: readonly Item[]) => Promise<readonly Answer[]>;
}): (item: Item) => Promise<Answer> {
  const { maxItems, send } = options;
  let waiting: Waiting<Item, Answer>[] = [];
  let underWay = false;

  async function sendNext(): Promise<void> {
    underWay = true;
    while (waiting.length > 0) {
      const batch = waiting.slice(0, maxItems);
      waiting = waiting.slice(maxItems);
      try {
        const answers = await send(batch.map(({ item }) => item));
        batch.forEach(({ resolve }, i) => resolve(answers[i]!));
      } catch (error) {
        const refused = [...batch, ...waiting];
        waiting = [];
        for (const { reject } of refused) reject(error);
      }
    }
    underWay = false;
  }

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (underWay) return;
      underWay = true;
      // Requests of one turn of the event loop go together.
      setImmediate(() => void sendNext());
    });
}

type Waiting<Item, Answer> = {
  item: Item;
  resolve: (answer: Answer) => void;
  reject: (error: unknown) => void;
};
