/**
 * A set, in no order, for what comes and goes thousands of times a second. A `Set` whose size
 * swings moves to a new table each time, and V8's old table refers to the new one: once such a
 * table is among the old objects, everything that later tables held stays in memory until the rare
 * collections of those (docs/decisions/0087).
 */
export type Bag<Item extends object> = {
  /** Does nothing if it is there. */
  add(item: Item): void;
  /** Does nothing if it is not there. */
  delete(item: Item): void;
  readonly size: number;
  /** What is in it now; to be copied by whoever adds or deletes while reading it. */
  readonly items: readonly Item[];
};

export function createBag<Item extends object>(): Bag<Item> {
  const place = Symbol('place in a bag');
  type Placed = Item & { [place]?: number | undefined };
  const items: Placed[] = [];
  return {
    items,
    get size() {
      return items.length;
    },
    add(item: Placed) {
      if (item[place] === undefined) item[place] = items.push(item) - 1;
    },
    delete(item: Placed) {
      const at = item[place];
      if (at === undefined) return;
      item[place] = undefined;
      const last = items.pop()!;
      if (last === item) return;
      items[at] = last;
      last[place] = at;
    },
  };
}
