/**
 * JSON as old integrations send it: anything JSON.parse takes. Numbers keep their source text, so
 * that an amount is rounded from what was written and not from a float.
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
    return (JSON.parse as ParseWithSource)(text, (_name, value, context) =>
      typeof value === 'number' ? new NumberText(context.source) : value,
    ) as RawJson;
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

/** The reviver's third argument (ES proposal "JSON.parse source text access") has no types yet. */
type ParseWithSource = (
  text: string,
  reviver: (name: string, value: unknown, context: { source: string }) => unknown,
) => unknown;
