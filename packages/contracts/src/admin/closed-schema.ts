import { Kind, OptionalKind, type TSchema } from '@sinclair/typebox';

/**
 * A schema of the contract as a request must follow it: closed at every level, so that a misspelt
 * member is refused instead of being ignored. `instead` has members by name that a request is asked
 * for in more words, or more strictly, than a record.
 */
export function closeSchema<S extends TSchema>(
  schema: S,
  instead: Readonly<Record<string, TSchema>> = {},
): S {
  const close = (inner: TSchema): TSchema => closeSchema(inner, instead);
  switch (schema[Kind]) {
    case 'Object': {
      const members = Object.entries(schema['properties'] as Record<string, TSchema>);
      const properties = Object.fromEntries(
        members.map(([name, member]) => [
          name,
          likeOptional(member, instead[name] ?? close(member)),
        ]),
      );
      return { ...schema, properties, additionalProperties: false };
    }
    case 'Array':
      return { ...schema, items: close(schema['items'] as TSchema) };
    case 'Union':
      return { ...schema, anyOf: (schema['anyOf'] as TSchema[]).map(close) };
    default:
      return schema;
  }
}

function likeOptional(original: TSchema, replaced: TSchema): TSchema {
  return original[OptionalKind] === 'Optional'
    ? { ...replaced, [OptionalKind]: 'Optional' }
    : replaced;
}
