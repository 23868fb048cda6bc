import pg from 'pg';

/**
 * A client that sends arrays in Postgres' binary form. As text, which is what pg makes of them,
 * each element is quoted here and parsed there; for the arrays of a batch that costs more than all
 * else that a statement needs of Node.
 *
 * The type of the elements is what the statement says where it names the parameter first
 * (`$1::uuid[]`). Where it says none, and where an element is not of the form that a type has here,
 * the array goes as text, so that the server says what is wrong with it.
 */
export class ArrayClient extends pg.Client {}

const { query } = pg.Client.prototype as unknown as {
  query: (this: pg.Client, config: unknown, values?: unknown, ...more: unknown[]) => unknown;
};

ArrayClient.prototype.query = function send(
  this: pg.Client,
  config: unknown,
  values?: unknown,
  ...more: unknown[]
) {
  if (typeof config === 'string') {
    const encoded = Array.isArray(values) ? encodeArrays(config, values) : values;
    return query.call(this, config, encoded, ...more);
  }
  const { text, values: own } = config as Partial<pg.QueryConfig<unknown[]>>;
  const isPlain = typeof text === 'string' && Array.isArray(own);
  const encoded = isPlain ? { ...(config as object), values: encodeArrays(text, own) } : config;
  return query.call(this, encoded, values, ...more);
} as pg.Client['query'];

function encodeArrays(text: string, values: readonly unknown[]): unknown[] {
  const encoders = encodersOf(text);
  return values.map((value, i) => {
    const encoder = encoders[i];
    return encoder && Array.isArray(value) ? (encodeArray(value, encoder) ?? value) : value;
  });
}

/** Statements are of our own making, so there are some hundred of them. */
const encodersByText = new Map<string, readonly (Encoder | undefined)[]>();
const maxTexts = 5_000;

function encodersOf(text: string): readonly (Encoder | undefined)[] {
  const known = encodersByText.get(text);
  if (known) return known;
  const named = new Map<number, Encoder | undefined>();
  for (const [, number, type] of text.matchAll(/\$(\d+)(?:::([a-z]+)\[\])?/g)) {
    if (!named.has(Number(number))) named.set(Number(number), encoders[type ?? '']);
  }
  const found = Array.from({ length: Math.max(0, ...named.keys()) }, (_, i) => named.get(i + 1));
  if (encodersByText.size === maxTexts) encodersByText.clear();
  encodersByText.set(text, found);
  return found;
}

/** How the elements of a type are written; `undefined`: not in this form. */
type Encoder = {
  oid: number;
  /** Bytes of an element. */
  sizeOf(element: unknown): number | undefined;
  write(into: Buffer, element: unknown, at: number, size: number): void;
};

const headerBytes = 20;

/** Undefined when an element has no binary form. */
export function encodeArray(
  elements: readonly unknown[],
  { oid, sizeOf, write }: Encoder,
): Buffer | undefined {
  const sizes: number[] = [];
  let bytes = headerBytes + 4 * elements.length;
  let hasNull = false;
  for (const element of elements) {
    const size = isMissing(element) ? absent : sizeOf(element);
    if (size === undefined) return undefined;
    sizes.push(size);
    if (size === absent) hasNull = true;
    else bytes += size;
  }
  if (elements.length === 0) return emptyArray(oid);
  const buffer = Buffer.allocUnsafe(bytes);
  // One dimension, whether some are null, their type, how many, and the number of the first one.
  writeHeader(buffer, [1, hasNull ? 1 : 0, oid, elements.length, 1]);
  let at = headerBytes;
  for (let i = 0; i < elements.length; i++) {
    const size = sizes[i]!;
    at = buffer.writeInt32BE(size, at);
    if (size === absent) continue;
    write(buffer, elements[i], at, size);
    at += size;
  }
  return buffer;
}

const absent = -1;

function isMissing(element: unknown): boolean {
  return element === null || element === undefined;
}

function emptyArray(oid: number): Buffer {
  const buffer = Buffer.allocUnsafe(12);
  writeHeader(buffer, [0, 0, oid]);
  return buffer;
}

function writeHeader(buffer: Buffer, numbers: readonly number[]): void {
  numbers.forEach((number, i) => buffer.writeInt32BE(number, 4 * i));
}

const text: Encoder = {
  oid: 25,
  sizeOf: (element) => (typeof element === 'string' ? Buffer.byteLength(element) : undefined),
  write: (into, element, at, size) => void into.write(element as string, at, size, 'utf8'),
};

const uuid: Encoder = {
  oid: 2950,
  sizeOf: (element) => (typeof element === 'string' && uuidForm.test(element) ? 16 : undefined),
  write: (into, element, at) =>
    void into.write((element as string).replaceAll('-', ''), at, 16, 'hex'),
};

const uuidForm = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

function integer(oid: number, bytes: 2 | 4): Encoder {
  const limit = 2 ** (8 * bytes - 1);
  return {
    oid,
    sizeOf: (element) =>
      Number.isInteger(element) && (element as number) >= -limit && (element as number) < limit
        ? bytes
        : undefined,
    write: (into, element, at) => void into.writeIntBE(element as number, at, bytes),
  };
}

const bigint: Encoder = {
  oid: 20,
  sizeOf: (element) =>
    Number.isSafeInteger(element) ||
    (typeof element === 'string' && /^-?\d{1,18}$/.test(element)) ||
    (typeof element === 'bigint' && BigInt.asIntN(64, element) === element)
      ? 8
      : undefined,
  write: (into, element, at) =>
    void into.writeBigInt64BE(BigInt(element as string | number | bigint), at),
};

const boolean: Encoder = {
  oid: 16,
  sizeOf: (element) => (typeof element === 'boolean' ? 1 : undefined),
  write: (into, element, at) => void into.writeUInt8(element ? 1 : 0, at),
};

/** Postgres counts the microseconds since 2000. */
const epochMs = Date.UTC(2000, 0, 1);

const timestamptz: Encoder = {
  oid: 1184,
  sizeOf: (element) => (Number.isNaN(millisecondsOf(element)) ? undefined : 8),
  write: (into, element, at) =>
    void into.writeBigInt64BE(BigInt(millisecondsOf(element) - epochMs) * 1_000n, at),
};

/** NaN for what only the server should read. */
function millisecondsOf(element: unknown): number {
  if (element instanceof Date) return element.getTime();
  const [, day] = typeof element === 'string' ? (timeForm.exec(element) ?? []) : [];
  if (day === undefined) return Number.NaN;
  const ms = Date.parse(element as string);
  // Date takes the 30th of February for a day in March.
  return Number(day) <= 28 || new Date(ms).getUTCDate() === Number(day) ? ms : Number.NaN;
}

const timeForm = /^(?!0000)\d{4}-\d\d-(\d\d)T\d\d:\d\d:\d\d(?:\.\d{1,3})?Z$/;

const json: Encoder = { ...text, oid: 114 };

const bytea: Encoder = {
  oid: 17,
  sizeOf: (element) => (Buffer.isBuffer(element) ? element.length : undefined),
  write: (into, element, at) => void (element as Buffer).copy(into, at),
};

const encoders: Record<string, Encoder> = {
  ...{ text, uuid, bigint, boolean, timestamptz, json, bytea },
  ...{ int: integer(23, 4), integer: integer(23, 4), smallint: integer(21, 2) },
};
