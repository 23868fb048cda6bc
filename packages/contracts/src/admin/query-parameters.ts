import { type TSchema, Type } from '@sinclair/typebox';
import { parseTimestamp } from '../rfc3339.ts';
import { codePoints } from '../strict-ajv.ts';
import type { Violation, ViolationCode } from '../violation.ts';

/**
 * Query parameters of the admin API, as strict as its bodies: an unknown or repeated parameter is a
 * mistake, and all mistakes are found at once, each under the pointer `/<name>`.
 */
export type QueryParameter<T> = {
  /** What would be right. */
  expected: string;
  /** The same as far as JSON Schema can say it. */
  schema: TSchema;
  /** The value, or what is wrong with the text. */
  read(text: string): { value: T } | { code: ViolationCode };
};
export type QueryParameters = Readonly<Record<string, QueryParameter<unknown>>>;
export type QueryOf<P extends QueryParameters> = {
  [N in keyof P]: (P[N] extends QueryParameter<infer T> ? T : never) | undefined;
};
/** What a list is asked for, but for which page of it and how that is given. */
export type FilterOf<P extends QueryParameters> = Partial<
  Omit<QueryOf<P>, 'limit' | 'cursor' | 'order' | 'format'>
>;

export function validateQuery<P extends QueryParameters>(
  search: string,
  parameters: P,
): { violations: []; value: QueryOf<P> } | { violations: Violation[] } {
  const values: Record<string, unknown> = {};
  const violations: Violation[] = [];
  const seen = new Set<string>();
  const refuse = (name: string, code: ViolationCode, detail: string) =>
    void violations.push({ pointer: pointerOf(name), code, detail });

  for (const part of search.split('&').filter((text) => text !== '')) {
    const equals = part.indexOf('=');
    const name = decode(equals === -1 ? part : part.slice(0, equals));
    const text = decode(equals === -1 ? '' : part.slice(equals + 1));
    const parameter = name === undefined ? undefined : own(parameters, name);
    if (name === undefined || parameter === undefined) {
      const known = Object.keys(parameters).join(', ');
      refuse(name ?? '', 'UNKNOWN_FIELD', `is no parameter of this request; known here: ${known}`);
    } else if (seen.has(name)) {
      refuse(name, 'INVALID_FORMAT', 'must be given once');
    } else {
      const reading = text === undefined ? unreadable : parameter.read(text);
      if ('code' in reading) refuse(name, reading.code, `must be ${parameter.expected}`);
      else values[name] = reading.value;
    }
    if (name !== undefined) seen.add(name);
  }
  return violations.length > 0 ? { violations } : { violations: [], value: values as QueryOf<P> };
}

const unreadable = { code: 'INVALID_FORMAT' } as const;
const maxLength = 255;

/** An id of somebody else: any text that the contract takes as one. */
export function idText(): QueryParameter<string> {
  return {
    expected: `a text of 1 to ${maxLength} characters`,
    schema: Type.String({ minLength: 1, maxLength }),
    read: (text) => {
      if (text === '' || codePoints(text) > maxLength) return { code: 'OUT_OF_RANGE' };
      return text.includes('\0') ? unreadable : { value: text };
    },
  };
}

export function oneOf<T extends string>(...choices: readonly T[]): QueryParameter<T> {
  return {
    expected: `one of ${choices.join(', ')}`,
    schema: Type.Union(choices.map((choice) => Type.Literal(choice))),
    read: (text) => {
      const value = choices.find((choice) => choice === text);
      return value === undefined ? { code: 'INVALID_ENUM' } : { value };
    },
  };
}

export function wholeNumber(minimum: number, maximum: number): QueryParameter<number> {
  return {
    expected: `a whole number from ${minimum} to ${maximum}`,
    schema: Type.Integer({ minimum, maximum }),
    read: (text) => {
      if (!/^[0-9]+$/.test(text)) return { code: 'INVALID_TYPE' };
      const value = Number(text);
      return value < minimum || value > maximum ? { code: 'OUT_OF_RANGE' } : { value };
    },
  };
}

/** RFC 3339 with an offset; given as UTC with milliseconds. */
export function time(): QueryParameter<string> {
  return {
    expected: 'an RFC 3339 date-time with an offset, such as 2026-03-01T12:00:00Z',
    schema: Type.String({ format: 'date-time' }),
    read: (text) => {
      const instant = parseTimestamp(text);
      if (instant === undefined) return unreadable;
      // Years that do not have four digits would not sort as text.
      const at = new Date(Math.ceil(instant.epochMs)).toISOString();
      return /^[0-9]{4}-/.test(at) ? { value: at } : { code: 'OUT_OF_RANGE' };
    },
  };
}

/** A text of a form, such as a cursor whose meaning only the service that gave it knows. */
export function textLike(form: RegExp, expected: string): QueryParameter<string> {
  return {
    expected,
    schema: Type.String({ pattern: form.source }),
    read: (text) => (form.test(text) ? { value: text } : unreadable),
  };
}

/** `+` is a blank, as forms write it. Undefined for what no text was encoded to. */
function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}

function own(parameters: QueryParameters, name: string): QueryParameter<unknown> | undefined {
  return Object.hasOwn(parameters, name) ? parameters[name] : undefined;
}

function pointerOf(name: string): string {
  return `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}
