/**
 * Which names the objects of a text have used, as places in its bytes: a Set of strings costs
 * several times as much per name. Open addressing over hashes; names are compared where owner and
 * hash are equal. Its size is fixed: more names than it takes are `false` too, like a repeated one.
 */
export type NameTable = {
  clear(): void;
  /** False when this owner has the name already, or when the table is full. */
  add(bytes: Buffer, owner: number, hash: number, start: number, end: number): boolean;
};

/** More than 64 KiB of JSON can hold: a member has at least five bytes. */
const maxNames = 16_384;
const slotCount = 2 * maxNames;

export function createNameTable(): NameTable {
  /** The index of an entry plus one; 0 is free. */
  const slots = new Int32Array(slotCount);
  const owners = new Int32Array(maxNames);
  const hashes = new Int32Array(maxNames);
  const starts = new Int32Array(maxNames);
  const ends = new Int32Array(maxNames);
  let count = 0;

  function isEntry(index: number, bytes: Buffer, owner: number, start: number, end: number) {
    if (owners[index] !== owner) return false;
    const length = end - start;
    const from = starts[index]!;
    if (ends[index]! - from !== length) return false;
    for (let i = 0; i < length; i++) if (bytes[from + i] !== bytes[start + i]) return false;
    return true;
  }

  return {
    clear() {
      if (count > 0) slots.fill(0);
      count = 0;
    },

    add(bytes, owner, hash, start, end) {
      if (count === maxNames) return false;
      let slot = hash & (slotCount - 1);
      for (let entry = slots[slot]!; entry !== 0; entry = slots[slot]!) {
        if (hashes[entry - 1] === hash && isEntry(entry - 1, bytes, owner, start, end))
          return false;
        slot = (slot + 1) & (slotCount - 1);
      }
      owners[count] = owner;
      hashes[count] = hash;
      starts[count] = start;
      ends[count] = end;
      slots[slot] = ++count;
      return true;
    },
  };
}

/** Another in every process, so that nobody can prepare names that meet in one slot. */
const seed = Math.trunc(Math.random() * 0x7fff_ffff);

/** The hash of an owner's empty name; go on with {@link withByte} and finish with {@link mixed}. */
export function firstHash(owner: number): number {
  return Math.imul(owner, 0x9e37_79b1) ^ seed;
}

export function withByte(hash: number, byte: number): number {
  return Math.imul(hash ^ byte, 0x0100_0193);
}

export function mixed(hash: number): number {
  const once = Math.imul(hash ^ (hash >>> 15), 0x85eb_ca6b);
  return once ^ (once >>> 13);
}
