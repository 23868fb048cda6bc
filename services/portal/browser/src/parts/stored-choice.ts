import { useSyncExternalStore } from 'react';

export type StoredChoice<T extends string> = {
  get(): T;
  set(value: T): void;
  /** As a hook: the component is drawn again when it changes. */
  use(): T;
};

/** A choice that this browser remembers, and that every place that shows it follows at once. */
export function createStoredChoice<T extends string>(
  key: string,
  values: readonly T[],
  otherwise: () => T,
): StoredChoice<T> {
  const listeners = new Set<() => void>();
  let current = read();

  function read(): T {
    try {
      const kept = localStorage.getItem(key);
      return values.find((each) => each === kept) ?? otherwise();
    } catch {
      return otherwise();
    }
  }
  function set(value: T): void {
    current = value;
    try {
      localStorage.setItem(key, value);
    } catch {
      // Not remembered by a browser that keeps nothing; it holds for this page.
    }
    for (const listener of listeners) listener();
  }
  function subscribe(listener: () => void): () => void {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  }
  const get = () => current;
  return { get, set, use: () => useSyncExternalStore(subscribe, get) };
}
