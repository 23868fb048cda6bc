/**
 * JSON as old integrations send it: anything JSON.parse takes, a byte order mark and doubled names
 * included (the last one counts). Two things differ from JSON.parse: numbers keep their source
 * text, so that an amount is rounded from what was written and not from a float; and objects have
 * no prototype, so that `__proto__` is a name like any other.
 */
export class NumberText {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

export type RawJson = null | boolean | string | NumberText | RawJson[] | RawObject;
export type RawObject = { [name: string]: RawJson };

/** Undefined when the bytes are no UTF-8 or no JSON. */
export function parseRawJson(bytes: Buffer): RawJson | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    JSON.parse(text);
    return buildFrom(text);
  } catch {
    return undefined;
  }
}

export function isRawObject(value: RawJson | undefined): value is RawObject {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    !(value instanceof NumberText)
  );
}

const tokens = /[{}[\]]|"(?:[^"\\]|\\.)*"|[^\s{}[\],:"]+/g;

/**
 * Builds the value from text that is known to be JSON, hence no grammar here. With a list of what
 * is open instead of recursion: 64 KiB hold 32,000 levels, and a JSON.parse reviver, the other way
 * to the source text of numbers, overflows the stack on them.
 */
function buildFrom(text: string): RawJson {
  let root: RawJson = null;
  const open: (RawJson[] | RawObject)[] = [];
  let name: string | undefined;

  const put = (value: RawJson): void => {
    const parent = open.at(-1);
    if (parent === undefined) root = value;
    else if (Array.isArray(parent)) parent.push(value);
    else parent[name!] = value;
    name = undefined;
  };
  const begin = (container: RawJson[] | RawObject): void => {
    put(container);
    open.push(container);
  };

  for (const [token] of text.matchAll(tokens)) {
    if (token === '{') begin(Object.create(null) as RawObject);
    else if (token === '[') begin([]);
    else if (token === '}' || token === ']') open.pop();
    else {
      const value = scalarOf(token);
      const namesMember = name === undefined && isRawObject(open.at(-1));
      if (namesMember) name = value as string;
      else put(value);
    }
  }
  return root;
}

function scalarOf(token: string): string | boolean | null | NumberText {
  if (/^[-\d]/.test(token)) return new NumberText(token);
  return JSON.parse(token) as string | boolean | null;
}
