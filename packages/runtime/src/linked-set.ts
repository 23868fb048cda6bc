/**
 * A set in order of insertion, for what comes and goes thousands of times a second. A `Set` whose
 * size swings moves to a new table each time, and V8's old table refers to the new one: once such a
 * table is among the old objects, everything that later tables held stays in memory until the rare
 * collections of those (docs/decisions/0087).
 *
 * Items know their place in it by a property of their own, so a copy of an item is not in it.
 */
export type LinkedSet<Item extends object> = Iterable<Item> & {
  /** Does nothing if it is there. */
  add(item: Item): void;
  /** Does nothing if it is not there. */
  delete(item: Item): void;
  has(item: Item): boolean;
  /** The one that has been there longest. */
  first(): Item | undefined;
  readonly size: number;
};

type Link<Item> = {
  item: Item;
  previous: Link<Item> | undefined;
  next: Link<Item> | undefined;
};

export function createLinkedSet<Item extends object>(): LinkedSet<Item> {
  const link = Symbol('link in a set');
  type Linked = Item & { [link]?: Link<Linked> | undefined };
  let head: Link<Linked> | undefined;
  let tail: Link<Linked> | undefined;
  let size = 0;

  return {
    get size() {
      return size;
    },
    first: () => head?.item,
    has: (item: Linked) => item[link]?.item === item,
    add(item: Linked) {
      if (item[link]?.item === item) return;
      const added: Link<Linked> = { item, previous: tail, next: undefined };
      item[link] = added;
      if (tail) tail.next = added;
      else head = added;
      tail = added;
      size += 1;
    },
    delete(item: Linked) {
      const gone = item[link];
      if (gone?.item !== item) return;
      const { previous, next } = gone;
      if (previous) previous.next = next;
      else head = next;
      if (next) next.previous = previous;
      else tail = previous;
      // What is old and dead must not keep what came later.
      gone.previous = gone.next = undefined;
      item[link] = undefined;
      size -= 1;
    },
    *[Symbol.iterator]() {
      // Read before it is given out, which may be the end of it here.
      for (let at = head, next = at?.next; at; at = next, next = at?.next) yield at.item;
    },
  };
}
