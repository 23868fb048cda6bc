import { format } from 'prettier';
import { blockOf, widestLine, wrap } from '../../lint/comment-form.ts';
import { type Schema, type WireType, wireTypes } from './wire-schemas.ts';

export const wireTypesUrl = new URL('../../packages/client/src/wire-types.ts', import.meta.url);

/** The client's wire-types.ts as it is kept: from the schemas, in the repository's format. */
export async function wireTypesFile(): Promise<string> {
  const text = [head, ...wireTypes.map(declaration)].join('\n\n');
  const options = { parser: 'typescript', printWidth: widestLine, singleQuote: true };
  return (await format(text, options)).replaceAll(/^( *)\/\*\* (.*) \*\/$/gm, wrapped);
}

/** The formatter leaves comments as they are. */
function wrapped(_line: string, indent: string, text: string): string {
  return indent + blockOf('/**', wrap([text], widestLine - indent.length - 3), indent);
}

const head = [
  '// What goes over the wire, from the schemas that the service validates by. Do not edit:',
  '// node deploy/client-types/main.ts writes this file.',
].join('\n');

function declaration(wireType: WireType): string {
  const { name, about, schema } = wireType;
  return `/** ${about} */\nexport type ${name} = ${typeText(schema, wireType)};`;
}

/** `within` is the type whose text this is part of: everything else that has a name goes by it. */
function typeText(schema: Schema, within: WireType): string {
  const named = schema === within.schema ? undefined : nameOf(schema);
  if (named !== undefined) return named;
  const literals = literalsOf(schema);
  if (literals !== undefined) return listText(literals, within);
  if (schema.properties !== undefined) return objectText(schema, schema.properties, within);
  if (schema.items !== undefined) return `Array<${typeText(schema.items, within)}>`;
  if (schema.anyOf !== undefined) {
    return schema.anyOf.map((one) => typeText(one, within)).join(' | ');
  }
  const text = plainTypes[schema.type ?? ''];
  if (text === undefined) throw new Error(`${within.name}: no type for ${JSON.stringify(schema)}`);
  return text;
}

const plainTypes: Readonly<Record<string, string>> = {
  string: 'string',
  boolean: 'boolean',
  integer: 'number',
  number: 'number',
  null: 'null',
};

function objectText(schema: Schema, properties: Record<string, Schema>, within: WireType): string {
  const members = Object.entries(properties).map(([name, member]) => {
    const about = member.description === undefined ? '' : `/** ${member.description} */\n`;
    const text = typeText(member, within);
    if (schema.required?.includes(name)) return `${about}${name}: ${text};`;
    // What is undefined is not sent; in an answer a member is there or not.
    return `${about}${name}?: ${text}${within.in === 'request' ? ' | undefined' : ''};`;
  });
  return `{\n${members.join('\n')}\n}`;
}

/** A list too long to be a type, the currencies, is left to the service to validate. */
function listText(literals: readonly string[], within: WireType): string {
  if (literals.length > 20) return 'string';
  const texts = literals.map((literal) => `'${literal}'`);
  return (within.in === 'answer' ? [...texts, '(string & {})'] : texts).join(' | ');
}

/** The values of an enum, a literal, or a union of those at any depth. */
function literalsOf(schema: Schema): readonly string[] | undefined {
  if (schema.enum !== undefined) return schema.enum;
  if (schema.const !== undefined) return [schema.const];
  const alternatives = schema.anyOf?.map(literalsOf);
  return alternatives?.every((list) => list !== undefined) ? alternatives.flat() : undefined;
}

/** TypeBox copies a schema to make it optional, so the same schema is one with the same text. */
function nameOf(schema: Schema): string | undefined {
  return wireTypes.find((wireType) => sameText(wireType.schema) === sameText(schema))?.name;
}

/** Lists are the same whether they are written as an enum or as a union. */
function sameText(schema: Schema): string {
  return JSON.stringify(literalsOf(schema) ?? schema);
}
