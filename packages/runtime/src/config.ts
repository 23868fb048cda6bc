import { Kind, OptionalKind, type Static, type TObject, type TSchema } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { mistakeOfGuessable } from './guessable.ts';
import { nearestName } from './nearest-name.ts';

/**
 * A service's configuration: a TypeBox object whose keys are the names of environment variables.
 * Beyond TypeBox, a property may say:
 * - `secret: true`: its value is never repeated, not even when it is wrong, and with
 *   `SERVICE_ENV=prod` it must not be one that can be guessed;
 * - `expected`: how to say in words what it must be;
 * - `verify(value, all)`: a mistake that its type cannot express, or undefined. `all` holds every
 *   value that is right by its own type, for rules that span variables.
 */
export type VariableNotes = {
  secret?: boolean;
  expected?: string;
  verify?: (value: never, all: Readonly<Record<string, unknown>>) => string | undefined;
};

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The configuration, or all mistakes of the environment at once. An empty variable counts as
 * absent.
 */
export function parseConfig<S extends TObject>(
  schema: S,
  env: Environment,
): { config: Static<S> } | { mistakes: string[] } {
  const values: Record<string, unknown> = {};
  const mistakes: string[] = [];

  for (const [name, property] of Object.entries(schema.properties)) {
    const reading = readVariable(property, env[name]);
    if ('mistake' in reading) mistakes.push(`${name}: ${reading.mistake}`);
    else if (reading.value !== undefined) values[name] = reading.value;
  }
  for (const [name, value] of Object.entries(values)) {
    const { verify } = schema.properties[name] as VariableNotes;
    const mistake = verify?.(value as never, values);
    if (mistake !== undefined) mistakes.push(`${name}: ${mistake}`);
    else mistakes.push(...guessableInProduction(schema, name, values));
  }
  mistakes.push(...unknownVariables(Object.keys(schema.properties), env));

  return mistakes.length > 0 ? { mistakes } : { config: values };
}

function guessableInProduction(
  { properties }: TObject,
  name: string,
  values: Readonly<Record<string, unknown>>,
): string[] {
  if (values['SERVICE_ENV'] !== 'prod') return [];
  if (!(properties[name] as VariableNotes).secret) return [];
  const value = values[name];
  const mistake = typeof value === 'string' ? mistakeOfGuessable(value) : undefined;
  return mistake === undefined ? [] : [`${name}: ${mistake} (SERVICE_ENV is prod)`];
}

/**
 * For `main.ts`: prints every mistake to stderr and exits with code 1, or gives the configuration.
 */
export function loadConfig<S extends TObject>(
  schema: S,
  env: Environment,
  service: string,
): Static<S> {
  const result = parseConfig(schema, env);
  if ('config' in result) return result.config;
  const { mistakes } = result;
  const count = mistakes.length === 1 ? '1 mistake' : `${mistakes.length} mistakes`;
  const lines = mistakes.map((mistake) => `  - ${mistake}\n`);
  process.stderr.write(`${service}: ${count} in the environment\n${lines.join('')}`);
  process.exit(1);
}

type Reading = { value: unknown } | { mistake: string };

function readVariable(property: TSchema, text: string | undefined): Reading {
  if (text === undefined || text === '') {
    if (property.default !== undefined) return { value: property.default };
    // Optional is a mark of TypeBox on the property; the schema's `required` follows from it.
    if (property[OptionalKind] === 'Optional') return { value: undefined };
    return { mistake: `is missing; it must be ${describe(property)}` };
  }
  const value = coerce(property, text);
  if (Value.Check(property, value)) return { value };
  const { secret } = property as VariableNotes;
  const found = secret || property[Kind] === 'String' ? '' : `, not ${JSON.stringify(text)}`;
  return { mistake: `must be ${describe(property)}${found}` };
}

/** Text stays text where it does not have the form of the type; the check then refuses it. */
function coerce(property: TSchema, text: string): unknown {
  switch (property[Kind]) {
    case 'Integer':
      return /^[+-]?\d{1,15}$/.test(text) ? Number(text) : text;
    case 'Number':
      return /^[+-]?\d{1,15}(\.\d+)?$/.test(text) ? Number(text) : text;
    case 'Boolean':
      return text === 'true' ? true : text === 'false' ? false : text;
    default:
      return text;
  }
}

function describe(property: TSchema): string {
  const { expected } = property as VariableNotes;
  if (expected !== undefined) return expected;
  switch (property[Kind]) {
    case 'Union':
      return (property['anyOf'] as TSchema[]).map(describe).join(' or ');
    case 'Literal':
      return String(property['const']);
    case 'Boolean':
      return 'true or false';
    case 'Integer':
      return `a whole number${describeBounds(property)}`;
    case 'Number':
      return `a number${describeBounds(property)}`;
    default:
      return property['pattern'] === undefined ? 'text' : `text like ${property['pattern']}`;
  }
}

function describeBounds({ minimum, maximum }: TSchema): string {
  if (minimum !== undefined && maximum !== undefined) return ` from ${minimum} to ${maximum}`;
  if (minimum !== undefined) return `, at least ${minimum}`;
  return maximum === undefined ? '' : `, at most ${maximum}`;
}

/**
 * A misspelled variable would otherwise mean a silent default. Only our own prefix is validated.
 */
function unknownVariables(known: readonly string[], env: Environment): string[] {
  return Object.keys(env)
    .filter((name) => name.startsWith('TRIBUTARY_') && !known.includes(name))
    .sort()
    .map((name) => {
      const nearest = nearestName(name, known);
      const hint = nearest === undefined ? '' : `; the nearest known name is ${nearest}`;
      return `${name}: is not a variable of this service${hint}`;
    });
}
