import { codePoints } from '../strict-ajv.ts';
import { Kind, type TObject, type TSchema } from '@sinclair/typebox';
import { type ValueError, ValueErrorType } from '@sinclair/typebox/errors';
import type { Violation, ViolationCode } from '../violation.ts';
import type { FieldNotes } from './text-fields.ts';

/** One mistake that TypeBox found, as violations that say what would be right. */
export function toViolations(error: ValueError): Violation[] {
  return withinUnions(error).map(toViolation);
}

/**
 * A choice of objects is distinguished by `kind`: the mistakes are those of the form that was
 * meant, or that `kind` names none. Of a number that may be null they are those of the number.
 */
function withinUnions(error: ValueError): ValueError[] {
  const { schema, value, path } = error;
  if (error.type !== ValueErrorType.Union) return [error];
  if (isNumberOrNull(schema)) {
    return [...(error.errors[0] ?? [])].map((inner) => ({
      ...inner,
      schema: { ...inner.schema, expected: describe(schema) },
    }));
  }
  const forms = formsByKind(schema);
  if (forms === undefined) return [error];
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return [{ ...error, type: ValueErrorType.Object }];
  }
  const { kind } = value as { kind?: unknown };
  const index = forms.findIndex((form) => form === kind);
  if (index >= 0) return [...(error.errors[index] ?? [])].flatMap(withinUnions);
  const type = kind === undefined ? ValueErrorType.ObjectRequiredProperty : ValueErrorType.Union;
  const choices = { ...schema, expected: oneOf(forms) };
  return [{ ...error, type, path: `${path}/kind`, value: kind, schema: choices }];
}

function isNumberOrNull(schema: TSchema): boolean {
  const kinds = (schema['anyOf'] as TSchema[]).map((form) => form[Kind]);
  return kinds.length === 2 && kinds[0] === 'Integer' && kinds[1] === 'Null';
}

/** The kinds of a union whose every form is an object with one. */
function formsByKind(schema: TSchema): string[] | undefined {
  const forms = (schema['anyOf'] as TSchema[]).map((form) => {
    const properties = form['properties'] as Record<string, TSchema> | undefined;
    return properties?.['kind']?.['const'] as unknown;
  });
  return forms.every((form) => typeof form === 'string') ? forms : undefined;
}

function oneOf(choices: readonly string[]): string {
  return `one of ${choices.map((choice) => JSON.stringify(choice)).join(', ')}`;
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
      if ((schema as FieldNotes).isList) return 'INVALID_ENUM';
      return isWrongLength(schema, value) ? 'OUT_OF_RANGE' : 'INVALID_FORMAT';
    case ValueErrorType.StringPattern:
      return 'INVALID_FORMAT';
    case ValueErrorType.StringMinLength:
    case ValueErrorType.StringMaxLength:
    case ValueErrorType.ArrayMinItems:
    case ValueErrorType.ArrayMaxItems:
    case ValueErrorType.ObjectMinProperties:
    case ValueErrorType.ObjectMaxProperties:
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
    const { unknownMember } = schema as FieldNotes;
    if (unknownMember !== undefined) return unknownMember;
    const names = Object.keys((schema as TObject).properties);
    const known = names.length === 0 ? 'none' : names.join(', ');
    return `is no field of this request; known here: ${known}`;
  }
  const expected = (schema as FieldNotes).expected ?? describe(schema);
  return code === 'REQUIRED' ? `is missing; it must be ${expected}` : `must be ${expected}`;
}

function describe(schema: TSchema): string {
  switch (schema[Kind]) {
    case 'Literal':
      return JSON.stringify(schema['const']);
    case 'Union': {
      const kinds = formsByKind(schema);
      if (kinds !== undefined) return `an object whose kind is ${oneOf(kinds)}`;
      return `one of ${(schema['anyOf'] as TSchema[]).map(describe).join(', ')}`;
    }
    case 'Null':
      return 'null';
    case 'Object':
      return schema['minProperties'] === undefined
        ? 'an object'
        : 'an object with at least one member';
    case 'Integer':
      return `a whole number${rangeOf(schema['minimum'], schema['maximum'])}`;
    case 'Array':
      return `an array${rangeOf(schema['minItems'], schema['maxItems'], ' entries')}`;
    default:
      return `of type ${schema[Kind].toLowerCase()}`;
  }
}

function rangeOf(least: unknown, most: unknown, what = ''): string {
  if (typeof least === 'number' && typeof most === 'number') {
    return what === '' ? ` from ${least} to ${most}` : ` of ${least} to ${most}${what}`;
  }
  if (typeof least === 'number') return what === '' ? ` from ${least}` : ' of at least one entry';
  return typeof most === 'number' ? ` of up to ${most}${what}` : '';
}
