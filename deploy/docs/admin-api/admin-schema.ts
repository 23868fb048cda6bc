import type { Json } from '../openapi/json-schema.ts';

/** A schema with a name of its own becomes a component, referred to wherever it stands. */
export type Components = Map<string, Json>;

/**
 * A TypeBox schema of the admin API as JSON Schema 2020-12, the dialect of OpenAPI 3.1. What only
 * our own validation knows becomes a standard keyword or words, or goes.
 */
export function toAdminSchema(schema: object, components: Components): Json {
  return convert(JSON.parse(JSON.stringify(schema)) as Json, components);
}

/** Keywords of ours. `expected` is told as the description. */
const own = ['maxCodePoints', 'unknownMember', 'isList', 'instant', 'expected', 'extends'];
/** An object by currency names each one, so that a wrong one is found; nobody reads them all. */
const mostMembers = 100;

function convert(schema: Json, components: Components): Json {
  const { title } = schema;
  if (typeof title !== 'string') return convertPlain(schema, components);
  const name = componentName(title);
  if (!components.has(name)) {
    // In front of what is inside, which may be of the same kind.
    components.set(name, {});
    components.set(name, convertPlain(schema, components));
  }
  return { $ref: `#/components/schemas/${name}` };
}

function convertPlain(schema: Json, components: Components): Json {
  const inner = (part: unknown) => convert(part as Json, components);
  const constants = constantsOf(schema);
  if (constants) return { type: 'string', enum: constants };
  if (schema['type'] === 'RegExp') {
    return { type: 'string', ...described(schema), pattern: schema['source'] };
  }
  const kept = Object.entries(schema).filter(
    ([keyword]) => !own.includes(keyword) && keyword !== 'additionalItems',
  );
  const converted = kept.map(([keyword, value]): [string, unknown] => {
    switch (keyword) {
      case 'properties':
      case 'patternProperties':
        return [keyword, mapValues(value as Record<string, Json>, inner)];
      case 'items':
        return Array.isArray(value) ? ['prefixItems', value.map(inner)] : [keyword, inner(value)];
      case 'anyOf':
        return [keyword, (value as Json[]).map(inner)];
      default:
        return [keyword, value];
    }
  });
  return shortened({ ...described(schema), ...Object.fromEntries(converted) });
}

function described({ expected, description }: Json): Json {
  if (typeof description === 'string') return { description };
  if (typeof expected !== 'string') return {};
  return { description: `${expected.charAt(0).toUpperCase()}${expected.slice(1)}.` };
}

function shortened(schema: Json): Json {
  const members = Object.values((schema['properties'] ?? {}) as Record<string, Json>);
  const [first] = members;
  if (first === undefined || members.length < mostMembers) return schema;
  const { properties: _all, additionalProperties: _none, ...rest } = schema;
  return { ...rest, additionalProperties: first };
}

/** The texts of a union of literals; undefined for any other schema. */
function constantsOf({ anyOf }: Json): unknown[] | undefined {
  if (!Array.isArray(anyOf)) return undefined;
  const constants = (anyOf as Json[]).map((form) => form['const']);
  return constants.every((text) => typeof text === 'string') ? constants : undefined;
}

/** "Campaign revision" → `CampaignRevision` */
function componentName(title: string): string {
  return title.replaceAll(/(?:^| )(\w)/g, (_all, letter: string) => letter.toUpperCase());
}

function mapValues(object: Record<string, Json>, change: (part: unknown) => Json): Json {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, change(value)]));
}
