import {
  Kind,
  OptionalKind,
  type Static,
  type TObject,
  type TOptional,
  type TSchema,
} from '@sinclair/typebox';
import { TypeCompiler } from '@sinclair/typebox/compiler';
import type { Violation } from '../violation.ts';
import { isHandedOnAsUtc, isInstant, toUtc, validateInstant } from './instant.ts';
import { toViolations } from './to-violations.ts';

/**
 * What a schema cannot say of a body. It sees the top-level fields that have the right shape, so
 * that a wrong name does not hide a wrong address; and the pointers of those mistakes, where it
 * looks deeper itself.
 */
export type Refinement<S extends TObject> = (
  wellShaped: Partial<Static<S>>,
  misshapen: ReadonlySet<string>,
  body: unknown,
) => Violation[];

export type Validation<T> = { violations: []; value: T } | { violations: Violation[] };

const refinement = Symbol('refinement');

/** A schema together with what it cannot say itself. */
export function refined<S extends TObject>(schema: S, refine: Refinement<S>): S {
  return { ...schema, [refinement]: refine };
}

/** A member that may be left out and then has the value given here. */
export function orDefault<S extends TSchema>(
  schema: S,
  value: Static<S>,
): TOptional<S> & { default: Static<S> } {
  return { ...(schema as S & TOptional<S>), default: value, [OptionalKind]: 'Optional' };
}

/** The value of a body once defaults are filled in. */
export type Completed<S extends TObject> = Static<S> & {
  [
    M in keyof S['properties'] as S['properties'][M] extends { default: unknown } ? M : never
  ]: Static<S['properties'][M]>;
};

/** More mistakes than a person reads: a body full of nonsense costs no more than this. */
const maxCollected = 1_000;

/**
 * Finds every mistake of one kind of body, each with its pointer; without any, gives the value with
 * its defaults, and its times as {@link instant} says. `refine` adds what only a service knows.
 */
export function createBodyValidator<S extends TObject>(
  schema: S,
  refine: Refinement<S> = () => [],
): (body: unknown) => Validation<Completed<S>> {
  const compiled = TypeCompiler.Compile(schema);
  const own = (schema as { [refinement]?: Refinement<S> })[refinement] ?? (() => []);

  return (body) => {
    const errors = firstOf(compiled.Errors(body), maxCollected);
    const misshapen = firstPerPointer(errors.flatMap(toViolations));
    if (errors.length === maxCollected) return { violations: misshapen };
    const pointers = new Set(misshapen.map(({ pointer }) => pointer));
    const part = soundMembers(body, '', pointers) as Partial<Static<S>>;
    const found = [
      ...wrongInstants(schema, part, ''),
      ...own(part, pointers, body),
      ...refine(part, pointers, body),
    ].filter((violation) => !isThere(violation, pointers));
    const violations = [...misshapen, ...found];
    if (violations.length > 0 || !compiled.Check(body)) return { violations };
    return { violations: [], value: complete(schema, body) as Completed<S> };
  };
}

function wrongInstants(schema: TSchema, value: unknown, pointer: string): Violation[] {
  if (isInstant(schema)) return validateInstant(value as string, pointer);
  return membersOf(schema, value).flatMap(([name, member, inner]) =>
    wrongInstants(member, inner, `${pointer}/${name}`),
  );
}

/**
 * The value itself where it is complete already: a copy of an object has lost the order in which
 * the document names its members, see namesInDocumentOrder.
 */
function complete(schema: TSchema, value: unknown): unknown {
  if (isHandedOnAsUtc(schema)) return toUtc(value as string);
  if (schema[Kind] !== 'Object') return value;
  const given = value as Record<string, unknown>;
  const defaults = defaultsOf(schema);
  const completed = membersOf(schema, value).map(
    ([name, member, inner]) => [name, complete(member, inner)] as const,
  );
  const isComplete =
    Object.keys(defaults).every((name) => Object.hasOwn(given, name)) &&
    completed.every(([name, inner]) => inner === given[name]);
  return isComplete ? value : { ...defaults, ...given, ...Object.fromEntries(completed) };
}

/** The declared members of an object that it has: name, schema and value of each. */
function membersOf(schema: TSchema, value: unknown): [string, TSchema, unknown][] {
  if (schema[Kind] !== 'Object') return [];
  const given = value as Record<string, unknown>;
  return Object.entries((schema as TObject).properties).flatMap(([name, member]) =>
    Object.hasOwn(given, name) ? [[name, member, given[name]] as [string, TSchema, unknown]] : [],
  );
}

function defaultsOf(schema: TSchema): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries((schema as TObject).properties).flatMap(([name, member]) =>
      member.default === undefined ? [] : [[name, member.default as unknown]],
    ),
  );
}

function firstOf<T>(items: Iterable<T>, most: number): T[] {
  const found: T[] = [];
  for (const item of items) {
    found.push(item);
    if (found.length === most) break;
  }
  return found;
}

/** A missing field is reported as missing first and then as having the wrong type. */
function firstPerPointer(violations: readonly Violation[]): Violation[] {
  const seen = new Set<string>();
  return violations.filter(({ pointer }) => !seen.has(pointer) && seen.add(pointer));
}

/** A member with a mistake is not seen by a refinement; it is not missing either. */
function isThere({ pointer, code }: Violation, misshapen: ReadonlySet<string>): boolean {
  if (code !== 'REQUIRED') return false;
  return [...misshapen].some((wrong) => wrong === pointer || wrong.startsWith(`${pointer}/`));
}

/** The members of an object that hold no mistake. */
export function soundMembers(
  value: unknown,
  pointer: string,
  misshapen: ReadonlySet<string>,
): Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return {};
  const depth = pointer.split('/').length;
  const inside = [...misshapen].filter((wrong) => wrong.startsWith(`${pointer}/`));
  const wrong = new Set(inside.map((text) => text.split('/')[depth]));
  return Object.fromEntries(
    Object.entries(value).filter(([name]) => !wrong.has(escapePointer(name))),
  );
}

function escapePointer(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}
