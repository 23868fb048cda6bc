import { deflateRawSync, inflateRawSync } from 'node:zlib';
import samples from './dictionary-1.json' with { type: 'json' };

/**
 * A record in as few bytes as it can be told apart from others of its kind: deflated, with a
 * dictionary of what all of them repeat. The first byte says how it was packed; what was packed
 * once is unpacked for as long as there are rows of it, so a dictionary never changes.
 */
export type Kind = keyof typeof numbers;

/** Plain, and the numbers of the dictionaries. */
const plain = 0;
const numbers = { event: 1, decision: 2, reward: 3, issuance: 4, delivery: 5 } as const;

export function pack(kind: Kind, record: object): Buffer {
  const text = Buffer.from(JSON.stringify(record));
  const number = numbers[kind];
  const packed = deflateRawSync(text, { dictionary: dictionaryOf(number), ...small });
  const [how, bytes] = packed.length < text.length ? [number, packed] : [plain, text];
  return Buffer.concat([Buffer.of(how), bytes]);
}

/**
 * A window that holds a dictionary and a record, and little else to make ready for each of them:
 * half the time of the defaults, which are for streams. A reader need not know.
 */
const small = { level: 6, windowBits: 13, memLevel: 5, chunkSize: 1_024 };

export function unpack<T>(packed: Buffer): T {
  const bytes = packed.subarray(1);
  const how = packed[0];
  const isPlain = how === plain;
  const text = isPlain ? bytes : inflateRawSync(bytes, { dictionary: dictionaryOf(how) });
  return JSON.parse(text.toString()) as T;
}

/** Null where a fact or a decision is not there yet. */
export function unpackMaybe<T>(packed: Buffer | null): T | null {
  return packed === null ? null : unpack<T>(packed);
}

/** Records as they come, each as one line; those that are most like others come last. */
const dictionaries: Readonly<Record<number, Buffer>> = Object.fromEntries(
  (Object.keys(numbers) as Kind[]).map((kind) => {
    const lines = samples[kind].map((sample) => JSON.stringify(sample));
    return [numbers[kind], Buffer.from(lines.join('\n'))];
  }),
);

/** By the first byte of what was packed with it. */
export function dictionaryOf(number: number | undefined): Buffer {
  const dictionary = number === undefined ? undefined : dictionaries[number];
  if (!dictionary) throw new Error(`a record is packed in a way that is not known: ${number}`);
  return dictionary;
}
