import { appendFileSync, closeSync, mkdirSync, openSync, readFileSync, readSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Entry, Store } from './store.ts';

/**
 * A store in files. Each process (`part`) appends to files of its own, `steps/12.0`, so that none
 * waits for another and no two writes mix; a list is all of its parts. An entry is two lengths of
 * 32 bits, little endian, then the key and the value.
 *
 * `Entry.at` is the part and the offset of the entry in it.
 */
export function createFileStore(options: {
  dir: string;
  part: number;
  parts: number;
  /** Appends that are kept in memory, over all lists. */
  bufferBytes?: number;
}): Store {
  const { dir, part, parts, bufferBytes = 24 << 20 } = options;
  const open = new Map<string, Pending>();
  const folders = new Set<string>();
  let pendingBytes = 0;

  const pathOf = (name: string, of: number) => join(dir, `${name}.${of}`);

  function room(name: string, bytes: number): Pending {
    if (pendingBytes + bytes > bufferBytes) flush();
    let pending = open.get(name);
    if (!pending) open.set(name, (pending = { bytes: Buffer.allocUnsafe(4_096), used: 0 }));
    if (pending.used + bytes > pending.bytes.length) {
      const larger = Buffer.allocUnsafe(Math.max(pending.bytes.length * 2, pending.used + bytes));
      pending.bytes.copy(larger, 0, 0, pending.used);
      pending.bytes = larger;
    }
    pendingBytes += bytes;
    return pending;
  }

  function flush(): void {
    for (const [name, { bytes, used }] of open) {
      const path = pathOf(name, part);
      const folder = dirname(path);
      if (!folders.has(folder)) mkdirSync(folder, { recursive: true });
      folders.add(folder);
      appendFileSync(path, bytes.subarray(0, used));
    }
    open.clear();
    pendingBytes = 0;
  }

  return {
    part,

    append(name, key, value) {
      const keyBytes = Buffer.byteLength(key);
      const valueBytes = typeof value === 'string' ? Buffer.byteLength(value) : value.length;
      const pending = room(name, head + keyBytes + valueBytes);
      const { bytes } = pending;
      let at = bytes.writeUInt32LE(keyBytes, pending.used);
      at = bytes.writeUInt32LE(valueBytes, at);
      at += bytes.write(key, at);
      at += typeof value === 'string' ? bytes.write(value, at) : value.copy(bytes, at);
      pending.used = at;
    },

    line(name, text) {
      const pending = room(name, Buffer.byteLength(text) + 1);
      pending.used += pending.bytes.write(text, pending.used);
      pending.used = pending.bytes.writeUInt8(newline, pending.used);
    },

    lines(name) {
      flush();
      const texts = Array.from({ length: parts }, (_, of) => readIfThere(pathOf(name, of)));
      return texts.flatMap((text) => text.toString().split('\n').slice(0, -1));
    },

    read(name) {
      flush();
      const entries: Entry[] = [];
      for (let of = 0; of < parts; of++) {
        const bytes = readIfThere(pathOf(name, of));
        for (let at = 0; at < bytes.length;) {
          const keyEnd = at + head + bytes.readUInt32LE(at);
          const end = keyEnd + bytes.readUInt32LE(at + 4);
          const key = bytes.toString('utf8', at + head, keyEnd);
          entries.push({ key, value: bytes.subarray(keyEnd, end), at: placeOf(of, at) });
          at = end;
        }
      }
      return entries;
    },

    readAt(name, places) {
      flush();
      const values: Buffer[] = [];
      for (const [of, own] of Map.groupBy(places, partOf)) {
        const file = openSync(pathOf(name, of), 'r');
        try {
          for (const place of own) values.push(readOne(file, place % partSize));
        } finally {
          closeSync(file);
        }
      }
      return values;
    },

    flush,
  };
}

type Pending = { bytes: Buffer; used: number };

const head = 8;
const newline = 10;
/** More than a part ever has, and few enough of them for an exact number. */
const partSize = 2 ** 44;
const placeOf = (part: number, offset: number) => part * partSize + offset;
const partOf = (place: number) => Math.floor(place / partSize);

function readOne(file: number, offset: number): Buffer {
  const lengths = Buffer.allocUnsafe(head);
  readSync(file, lengths, 0, head, offset);
  const value = Buffer.allocUnsafe(lengths.readUInt32LE(4));
  readSync(file, value, 0, value.length, offset + head + lengths.readUInt32LE(0));
  return value;
}

function readIfThere(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return Buffer.alloc(0);
    throw error;
  }
}
