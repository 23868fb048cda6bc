/**
 * Puts what many requests want into few round trips. Only `maxUnderWay` batches are under way at a
 * time, and what arrives meanwhile forms the next one. So a lone request waits for nobody, and
 * under load the batches grow by themselves. What waits behind a round trip that fails is refused
 * with it: behind a server that does not answer, everybody would wait for a time-out of their own.
 *
 * With `lingerMs` a batch first waits that long for company: for what nobody waits for.
 */
export function createGather<Item, Answer>(options: {
  maxItems: number;
  /**
   * So many go at once and not at the end of the turn of the event loop: a turn may read a hundred
   * requests, and the other side can work meanwhile.
   */
  enoughItems?: number;
  maxUnderWay?: number;
  lingerMs?: number;
  /** Gives an answer per item, in order. Must settle in bounded time. */
  send: (items: readonly Item[]) => Promise<readonly Answer[]>;
}): (item: Item) => Promise<Answer> {
  const { maxItems, enoughItems = Infinity, maxUnderWay = 1, lingerMs, send } = options;
  let waiting: Waiting<Item, Answer>[] = [];
  let underWay = 0;
  let scheduled = false;

  function schedule(): void {
    if (scheduled || waiting.length === 0 || underWay >= maxUnderWay) return;
    scheduled = true;
    const run = () => {
      scheduled = false;
      void sendNext();
    };
    if (lingerMs === undefined) setImmediate(run);
    else setTimeout(run, lingerMs);
  }

  async function sendNext(): Promise<void> {
    // Since this was scheduled, they may have gone with another batch, or been refused.
    if (waiting.length === 0 || underWay >= maxUnderWay) return;
    const batch = waiting.slice(0, maxItems);
    waiting = waiting.slice(maxItems);
    underWay += 1;
    schedule();
    try {
      const answers = await send(batch.map(({ item }) => item));
      batch.forEach(({ resolve }, i) => resolve(answers[i]!));
    } catch (error) {
      const refused = [...batch, ...waiting];
      waiting = [];
      for (const { reject } of refused) reject(error);
    }
    underWay -= 1;
    schedule();
  }

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (waiting.length >= enoughItems) void sendNext();
      schedule();
    });
}

type Waiting<Item, Answer> = {
  item: Item;
  resolve: (answer: Answer) => void;
  reject: (error: unknown) => void;
};
