/** Any JSON object: a schema, or a part of the document. */
export type Json = { [name: string]: unknown };

/**
 * A TypeBox schema as plain JSON Schema 2020-12, the dialect of OpenAPI 3.1. What only our own
 * validator knows becomes a standard keyword or words:
 *
 * - `anyOf` of constants is an `enum`;
 * - `trimmedLength` is a pattern;
 * - the format `text` goes (the introduction tells what no text may hold);
 * - a description, which completes "expected …" for a violation, becomes a sentence.
 *
 * `refer` may put a reference in the place of a part; it is not asked about the schema itself.
 */
export function toJsonSchema(schema: object, refer: (part: Json) => Json | undefined): Json {
  const plain = JSON.parse(JSON.stringify(schema)) as Json;
  return convert(plain, (part) => refer(part) ?? convertPart(part));

  function convertPart(part: Json): Json {
    return convert(part, (inner) => refer(inner) ?? convertPart(inner));
  }
}

type Convert = (part: Json) => Json;

function convert(schema: Json, convertPart: Convert): Json {
  const constants = constantsOf(schema);
  const { type, description, ...rest } = schema;
  const texts = {
    ...(type !== undefined && { type }),
    ...(typeof description === 'string' && { description: sentence(description) }),
  };
  if (constants) return { ...texts, type: 'string', enum: constants };
  const converted = Object.entries(rest).flatMap(([keyword, value]): [string, unknown][] => {
    switch (keyword) {
      case 'trimmedLength':
        return [['pattern', trimmedPattern(value as [number, number])]];
      case 'format':
        return value === 'text' ? [] : [[keyword, value]];
      case 'properties':
        return [[keyword, mapValues(value as Record<string, Json>, convertPart)]];
      case 'items':
        return [[keyword, convertPart(value as Json)]];
      case 'anyOf':
        return [[keyword, (value as Json[]).map(convertPart)]];
      default:
        return [[keyword, value]];
    }
  });
  return { ...texts, ...Object.fromEntries(converted) };
}

/** The texts of a union of literals, nested or not; undefined for any other schema. */
function constantsOf({ anyOf }: Json): unknown[] | undefined {
  if (!Array.isArray(anyOf)) return undefined;
  const lists = (anyOf as Json[]).map((one) => {
    return typeof one['const'] === 'string' ? [one['const']] : constantsOf(one);
  });
  return lists.every((list) => list !== undefined) ? lists.flat() : undefined;
}

/** White space at both ends does not count. `\s` and `\S` part the characters as `trim` does. */
function trimmedPattern([min, max]: [number, number]): string {
  if (min !== 1) throw new Error('only texts of at least one character are trimmed');
  return String.raw`^\s*\S([\s\S]{0,${max - 2}}\S)?\s*$`;
}

/** "the referral code, a string" → "The referral code, a string." */
function sentence(text: string): string {
  const closed = /[.:)]$/.test(text) ? text : `${text}.`;
  return closed.charAt(0).toUpperCase() + closed.slice(1);
}

function mapValues(object: Record<string, Json>, change: Convert): Json {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, change(value)]));
}
