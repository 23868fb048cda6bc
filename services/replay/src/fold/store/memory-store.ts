import type { Entry, Store } from './store.ts';

/** A store for histories that fit into memory. */
export function createMemoryStore(): Store {
  const lists = new Map<string, Entry[]>();
  const texts = new Map<string, string[]>();
  return {
    part: 0,
    append(name, key, value) {
      const list = lists.get(name) ?? [];
      lists.set(name, list);
      list.push({ key, value: Buffer.from(value), at: list.length });
    },
    line(name, text) {
      texts.set(name, [...(texts.get(name) ?? []), text]);
    },
    read: (name) => [...(lists.get(name) ?? [])],
    readAt: (name, places) => places.map((place) => lists.get(name)![place]!.value),
    flush: () => undefined,
    lines: (name) => texts.get(name) ?? [],
  };
}
