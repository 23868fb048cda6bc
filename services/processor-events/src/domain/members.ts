/**
 * Reads the members of an object of Stripe's, whatever its API version. What is not as it must be
 * is a {@link WrongShape} that names the member and what it should be, never its value.
 */
export type Members = {
  has(name: string): boolean;
  /** null when it is missing, null, or no object. */
  object(name: string): Members | null;
  /** A list of Stripe's: its items, and whether Stripe has more. null when missing or null. */
  list(name: string): { items: Members[]; more: boolean } | null;
  /** The id of this object. */
  id(): string;
  /**
   * The id of another object, which is there as its id or expanded; null when missing, null, or no
   * id.
   */
  reference(name: string): string | null;
  integer(name: string): number;
  integerOrNull(name: string): number | null;
  /** Seconds since the epoch. */
  seconds(name: string): number;
  secondsOrNull(name: string): number | null;
  text(name: string): string;
  textOrNull(name: string): string | null;
  isTrue(name: string): boolean;
};

export class WrongShape extends Error {
  constructor(path: string, expected: string) {
    super(`${path || 'the object'}: ${expected} is expected`);
  }
}

export function membersOf(value: unknown, path = ''): Members {
  if (!isObject(value)) throw new WrongShape(path, 'an object');
  const raw: Record<string, unknown> = value;
  const at = (name: string) => (path === '' ? name : `${path}.${name}`);

  function orNull<T>(name: string, read: (name: string) => T): T | null {
    return raw[name] === undefined || raw[name] === null ? null : read(name);
  }
  function integer(name: string): number {
    const found = raw[name];
    if (typeof found === 'number' && Number.isInteger(found)) return found === 0 ? 0 : found;
    throw new WrongShape(at(name), 'a whole number');
  }
  function seconds(name: string): number {
    const found = integer(name);
    if (found >= 0 && found <= latestSecond) return found;
    throw new WrongShape(at(name), 'seconds since 1970');
  }
  function text(name: string): string {
    const found = raw[name];
    if (typeof found === 'string' && isStorable(found)) return found;
    throw new WrongShape(at(name), 'text of whole characters without NUL');
  }

  return {
    has: (name) => raw[name] !== undefined,
    object: (name) => (isObject(raw[name]) ? membersOf(raw[name], at(name)) : null),
    list: (name) => orNull(name, () => readList(raw[name], at(name))),
    id() {
      const found = raw['id'];
      if (isId(found)) return found;
      throw new WrongShape(at('id'), 'the id of an object');
    },
    reference: (name) => idOf(raw[name]),
    integer,
    integerOrNull: (name) => orNull(name, integer),
    seconds,
    secondsOrNull: (name) => orNull(name, seconds),
    text,
    textOrNull: (name) => orNull(name, text),
    isTrue: (name) => raw[name] === true,
  };
}

/** An array, or a list object of Stripe's. */
export function readList(value: unknown, path = ''): { items: Members[]; more: boolean } {
  const data = Array.isArray(value) ? value : isObject(value) ? value['data'] : undefined;
  if (!Array.isArray(data)) throw new WrongShape(path, 'a list');
  const items = data.map((item: unknown, n) => membersOf(item, `${path}[${n}]`));
  return { items, more: isObject(value) && value['has_more'] === true };
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The id of what is there as its id, or expanded. */
export function idOf(value: unknown): string | null {
  const id = isObject(value) ? value['id'] : value;
  return isId(id) ? id : null;
}

/** As records take it (contracts `record-text`). */
export function isId(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= 510 && isStorable(value);
}

/** Postgres takes neither NUL nor half of a surrogate pair. */
export function isStorable(text: string): boolean {
  return !text.includes('\u0000') && text.isWellFormed();
}

/** 9999-12-31T23:59:59Z: later ones have no RFC 3339 text. */
const latestSecond = 253_402_300_799;
