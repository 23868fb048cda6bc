import { codePoints } from '@tributary/contracts/strict-ajv';
import { parseTimestamp } from '@tributary/contracts/rfc3339';
import { maxViolations, type Violation, type ViolationCode } from '@tributary/contracts/violation';
import { Refusal } from './refusal.ts';

/**
 * Query parameters of the admin API, as strict as its bodies: an unknown or repeated parameter is a
 * mistake, and all mistakes are reported at once, each under the pointer `/<name>`.
 */
export type Parameter<T> = {
  /** What would be right. */
  expected: string;
  /** The value, or what is wrong with the text. */
  read(text: string): { value: T } | { code: ViolationCode };
};
type Parameters = Record<string, Parameter<unknown>>;
export type QueryOf<P extends Parameters> = {
  [N in keyof P]: (P[N] extends Parameter<infer T> ? T : never) | undefined;
};

/** @throws {Refusal} VALIDATION_ERROR */
export function readQuery<P extends Parameters>(search: string, parameters: P): QueryOf<P> {
  const values: Record<string, unknown> = {};
  const errors: Violation[] = [];
  const seen = new Set<string>();
  const refuse = (name: string, code: ViolationCode, detail: string) =>
    void errors.push({ pointer: pointerOf(name), code, detail });

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
  if (errors.length > 0) {
    throw new Refusal('VALIDATION_ERROR', {
      detail: 'The query parameters of the request are not right; see errors.',
      errors: errors.slice(0, maxViolations),
    });
  }
  return values as QueryOf<P>;
}

const unreadable = { code: 'INVALID_FORMAT' } as const;
const maxLength = 255;

/** An id of somebody else: any text that the contract takes as one. */
export function idText(): Parameter<string> {
  return {
    expected: `a text of 1 to ${maxLength} characters`,
    read: (text) => {
      if (text === '' || codePoints(text) > maxLength) return { code: 'OUT_OF_RANGE' };
      return text.includes('\0') ? unreadable : { value: text };
    },
  };
}

export function oneOf<T extends string>(...choices: readonly T[]): Parameter<T> {
  return {
    expected: `one of ${choices.join(', ')}`,
    read: (text) => {
      const value = choices.find((choice) => choice === text);
      return value === undefined ? { code: 'INVALID_ENUM' } : { value };
    },
  };
}

export function wholeNumber(minimum: number, maximum: number): Parameter<number> {
  return {
    expected: `a whole number from ${minimum} to ${maximum}`,
    read: (text) => {
      if (!/^[0-9]+$/.test(text)) return { code: 'INVALID_TYPE' };
      const value = Number(text);
      return value < minimum || value > maximum ? { code: 'OUT_OF_RANGE' } : { value };
    },
  };
}

/** RFC 3339 with an offset; given as UTC with milliseconds. */
export function time(): Parameter<string> {
  return {
    expected: 'an RFC 3339 date-time with an offset, such as 2026-03-01T12:00:00Z',
    read: (text) => {
      const instant = parseTimestamp(text);
      if (instant === undefined) return unreadable;
      // Years that do not have four digits would not sort as text.
      const at = new Date(Math.ceil(instant.epochMs)).toISOString();
      return /^[0-9]{4}-/.test(at) ? { value: at } : { code: 'OUT_OF_RANGE' };
    },
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

function own(parameters: Parameters, name: string): Parameter<unknown> | undefined {
  return Object.hasOwn(parameters, name) ? parameters[name] : undefined;
}

function pointerOf(name: string): string {
  return `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}
