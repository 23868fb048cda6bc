export type JsonSchema = { [keyword: string]: unknown };

const prefix = '#/definitions/';

/**
 * Puts every definition where it is named. One that names itself stays open at the second time.
 * What Kubernetes takes as text or number is described as text only, so it is put right here.
 */
export function inlineReferences(
  schema: JsonSchema,
  definitions: Readonly<Record<string, JsonSchema>>,
  within: readonly string[] = [],
): JsonSchema {
  const reference = schema['$ref'];
  if (typeof reference === 'string') {
    const name = reference.slice(prefix.length);
    const own = textOrNumber.exec(name) ? { type: ['string', 'number'] } : definitions[name];
    if (own === undefined) throw new Error(`no definition ${name}`);
    if (within.includes(name)) return {};
    return inlineReferences(own, definitions, [...within, name]);
  }
  return mapSchemas(schema, (each) => inlineReferences(each, definitions, within));
}

const textOrNumber = /\.(IntOrString|Quantity)$/;

/** Objects with known properties take no others, so that a misspelled name is found. */
export function closeObjects(schema: JsonSchema): JsonSchema {
  const closed = mapSchemas(schema, closeObjects);
  if (schema['x-kubernetes-int-or-string'] === true) return {};
  const isOpen = schema['x-kubernetes-preserve-unknown-fields'] === true;
  if (schema['properties'] === undefined || isOpen) return closed;
  return { additionalProperties: false, ...closed };
}

/** The same of each schema directly in it. */
function mapSchemas(schema: JsonSchema, change: (of: JsonSchema) => JsonSchema): JsonSchema {
  return Object.fromEntries(
    Object.entries(schema).map(([keyword, value]) => {
      if (keyword === 'properties') {
        const properties = Object.entries(value as Record<string, JsonSchema>);
        return [keyword, Object.fromEntries(properties.map(([name, of]) => [name, change(of)]))];
      }
      const holdsOne = keyword === 'items' || keyword === 'additionalProperties';
      const isSchema = typeof value === 'object' && value !== null && !Array.isArray(value);
      return [keyword, holdsOne && isSchema ? change(value as JsonSchema) : value];
    }),
  );
}
