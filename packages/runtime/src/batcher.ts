/**
 * Puts what many want into few calls.
 *
 *   added ──▶ waiting ──gathered, and a call is free──▶ under way, together
 *
 * The first that waits starts the gathering, until the end of this turn of the event loop or for
 * `gatherMs`. While all calls are busy the next batch grows by itself: a lone item waits for
 * nobody, and under load the batches grow.
 */
export type Batcher<Item> = {
  add(item: Item): void;
  /** Takes out what waits, to be refused for example. */
  takeWaiting(): Item[];
};

/** Splits off what goes together next. The rest keeps its order. */
export type Take<Item> = (waiting: Item[]) => { taken: Item[]; rest: Item[] };

export function createBatcher<Item>(options: {
  take: Take<Item>;
  /** Must settle in bounded time, and must not reject: each item has somebody who waits for it. */
  send: (batch: readonly Item[]) => Promise<void>;
  /** Absent: until the end of the turn. */
  gatherMs?: number | undefined;
  /**
   * So many go at once: a turn may read a hundred requests, and the other side can work meanwhile.
   */
  enoughItems?: number | undefined;
  maxUnderWay?: number | undefined;
  /** Whether what waits goes beside a batch under way; otherwise it waits for the end of that. */
  worthAnother?: (waiting: readonly Item[]) => boolean;
  /** What waits at the end of a call goes at once, without gathering. */
  nextAtOnce?: boolean;
}): Batcher<Item> {
  const { take, send, gatherMs, enoughItems = Infinity, maxUnderWay = 1 } = options;
  const { worthAnother = () => true, nextAtOnce = false } = options;
  let waiting: Item[] = [];
  let underWay = 0;
  let cancel: (() => void) | undefined;

  function maySend(): boolean {
    if (waiting.length === 0 || underWay >= maxUnderWay) return false;
    return underWay === 0 || worthAnother(waiting);
  }

  function schedule(): void {
    if (cancel === undefined && maySend()) cancel = defer(sendNext, gatherMs);
  }

  function sendNext(): void {
    cancel?.();
    cancel = undefined;
    if (!maySend()) return;
    const { taken, rest } = take(waiting);
    waiting = rest;
    if (taken.length === 0) return;
    underWay += 1;
    void send(taken).finally(() => {
      underWay -= 1;
      goOn();
    });
    goOn();
  }

  function goOn(): void {
    if (nextAtOnce) sendNext();
    else schedule();
  }

  return {
    add(item) {
      waiting.push(item);
      if (waiting.length >= enoughItems) sendNext();
      schedule();
    },
    takeWaiting() {
      const taken = waiting;
      waiting = [];
      return taken;
    },
  };
}

function defer(run: () => void, afterMs: number | undefined): () => void {
  if (afterMs === undefined) {
    const turn = setImmediate(run);
    return () => clearImmediate(turn);
  }
  const timer = setTimeout(run, afterMs);
  return () => clearTimeout(timer);
}

/** The oldest, so many at most. */
export function upTo<Item>(maxItems: number): Take<Item> {
  return (waiting) => ({ taken: waiting.slice(0, maxItems), rest: waiting.slice(maxItems) });
}

/** An item, and who waits for its answer. */
export type Asked<Item, Answer> = {
  item: Item;
  resolve: (answer: Answer) => void;
  reject: (error: unknown) => void;
};

/** Adds the item and waits for its answer. */
export function ask<Item, Answer>(
  batcher: Batcher<Asked<Item, Answer>>,
  item: Item,
): Promise<Answer> {
  return new Promise((resolve, reject) => batcher.add({ item, resolve, reject }));
}
