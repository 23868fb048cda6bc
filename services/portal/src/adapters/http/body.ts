import { codePoints } from '@tributary/contracts/strict-ajv';
import { Kind, type Static, type TObject, type TSchema } from '@sinclair/typebox';
import { TypeCompiler } from '@sinclair/typebox/compiler';
import { type ValueError, ValueErrorType } from '@sinclair/typebox/errors';
import { maxViolations, type Violation, type ViolationCode } from '@tributary/contracts/violation';
import type { FieldNotes } from './fields.ts';
import { Refusal } from './refusal.ts';

/**
 * A reader of one request body: gives the typed value or refuses with every mistake at once, each
 * with its pointer. `judge` adds what a schema cannot say; it sees the top-level fields that have
 * the right shape, so that a wrong name does not hide a wrong address.
 *
 * @throws {Refusal} VALIDATION_ERROR
 */
export function createBodyReader<S extends TObject>(
  schema: S,
  judge: (wellShaped: Partial<Static<S>>) => Violation[] = () => [],
): (body: unknown) => Static<S> {
  const compiled = TypeCompiler.Compile(schema);

  return (body) => {
    const misshapen = firstPerPointer([...compiled.Errors(body)].map(toViolation));
    const violations = [...misshapen, ...judge(wellShapedPart<S>(body, misshapen))];
    if (violations.length === 0 && compiled.Check(body)) return body;
    throw refusalOf(violations);
  };
}

function refusalOf(violations: readonly Violation[]): Refusal {
  const errors = violations.slice(0, maxViolations);
  if (errors.length === violations.length) return new Refusal('VALIDATION_ERROR', { errors });
  const detail = `The request breaks the contract; the first ${errors.length} of ${violations.length} violations are listed.`;
  return new Refusal('VALIDATION_ERROR', { errors, detail });
}

/** A missing field is reported as missing first and then as having the wrong type. */
function firstPerPointer(violations: readonly Violation[]): Violation[] {
  const seen = new Set<string>();
  return violations.filter(({ pointer }) => !seen.has(pointer) && seen.add(pointer));
}

function wellShapedPart<S extends TObject>(
  body: unknown,
  misshapen: readonly Violation[],
): Partial<Static<S>> {
  if (typeof body !== 'object' || body === null) return {};
  const wrong = new Set(misshapen.map(({ pointer }) => pointer.split('/')[1]));
  const entries = Object.entries(body).filter(([name]) => !wrong.has(escapePointer(name)));
  return Object.fromEntries(entries) as Partial<Static<S>>;
}

function toViolation(error: ValueError): Violation {
  const code = codeOf(error);
  return { pointer: error.path, code, detail: detailOf(code, error.schema) };
}

function codeOf({ type, schema, value }: ValueError): ViolationCode {
  switch (type) {
    case ValueErrorType.ObjectRequiredProperty:
      return 'REQUIRED';
    case ValueErrorType.ObjectAdditionalProperties:
      return 'UNKNOWN_FIELD';
    case ValueErrorType.Literal:
    case ValueErrorType.Union:
      return typeof value === 'string' ? 'INVALID_ENUM' : 'INVALID_TYPE';
    case ValueErrorType.RegExp:
      return isWrongLength(schema, value) ? 'OUT_OF_RANGE' : 'INVALID_FORMAT';
    case ValueErrorType.StringPattern:
      return 'INVALID_FORMAT';
    case ValueErrorType.StringMaxLength:
    case ValueErrorType.ArrayMaxItems:
    case ValueErrorType.IntegerMinimum:
    case ValueErrorType.IntegerMaximum:
      return 'OUT_OF_RANGE';
    default:
      // Whole numbers too large for a number arrive as bigint: right type, wrong size.
      return typeof value === 'bigint' && schema[Kind] === 'Integer'
        ? 'OUT_OF_RANGE'
        : 'INVALID_TYPE';
  }
}

function isWrongLength(schema: TSchema, value: unknown): boolean {
  const { maxCodePoints } = schema as FieldNotes;
  if (maxCodePoints === undefined || typeof value !== 'string') return false;
  return value === '' || codePoints(value) > maxCodePoints;
}

function detailOf(code: ViolationCode, schema: TSchema): string {
  if (code === 'UNKNOWN_FIELD') {
    const names = Object.keys((schema as TObject).properties);
    const known = names.length === 0 ? 'none' : names.join(', ');
    return `is no field of this request; known here: ${known}`;
  }
  const expected = (schema as FieldNotes).expected ?? describe(schema);
  return code === 'REQUIRED' ? `is missing; it must be ${expected}` : `must be ${expected}`;
}

function describe(schema: TSchema): string {
  if (schema[Kind] === 'Literal') return JSON.stringify(schema['const']);
  if (schema[Kind] === 'Union') {
    const choices = schema['anyOf'] as TSchema[];
    return `one of ${choices.map(describe).join(', ')}`;
  }
  return schema[Kind] === 'Object' ? 'an object' : `of type ${schema[Kind].toLowerCase()}`;
}

function escapePointer(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}
