/**
 * Where phases leave what later phases take up: lists of keyed values under names such as
 * `steps/12`. Whatever does not fit into memory goes through here. Several processes append to one
 * list; its order is that of the appends within each process, and nothing may depend on more.
 */
export type Store = {
  /** Which of the processes that write to it this is. */
  readonly part: number;
  /** `value` is copied at once. */
  append(name: string, key: string, value: string | Buffer): void;
  /** A line of text, also for readers outside. */
  line(name: string, text: string): void;
  lines(name: string): readonly string[];
  /** Loaded as a whole: a list is as large as one task may take. */
  read(name: string): Entry[];
  /** The values at these places of a list, `Entry.at`, without loading the rest. */
  readAt(name: string, places: readonly number[]): Buffer[];
  /** Appends become readable by others. */
  flush(): void;
};

export type Entry = {
  key: string;
  value: Buffer;
  /** Finds it again in its list. */
  at: number;
};

/** Values by key, in order of the first of each. */
export function byKey(entries: readonly Entry[]): Map<string, Entry[]> {
  const groups = new Map<string, Entry[]>();
  for (const entry of entries) {
    const group = groups.get(entry.key);
    if (group) group.push(entry);
    else groups.set(entry.key, [entry]);
  }
  return groups;
}

export function jsonOf<T>({ value }: Pick<Entry, 'value'>): T {
  return JSON.parse(value.toString()) as T;
}
