import type { Static, TObject } from '@sinclair/typebox';
import { TypeCompiler } from '@sinclair/typebox/compiler';
import { maxViolations, type Violation } from '@tributary/contracts/violation';
import { Refusal } from './refusal.ts';
import { toViolations } from './to-violations.ts';

/**
 * What a schema cannot say of a body. It sees the top-level fields that have the right shape, so
 * that a wrong name does not hide a wrong address; and the pointers of those mistakes, where it
 * looks deeper itself.
 */
export type Judge<S extends TObject> = (
  wellShaped: Partial<Static<S>>,
  misshapen: ReadonlySet<string>,
  body: unknown,
) => Violation[];

export type Judgement<T> = { violations: []; value: T } | { violations: Violation[] };

/** More mistakes than a person reads: a body full of nonsense costs no more than this. */
const maxCollected = 1_000;

/** Finds every mistake of one kind of request body, each with its pointer. */
export function createBodyJudge<S extends TObject>(
  schema: S,
  judge: Judge<S> = () => [],
): (body: unknown) => Judgement<Static<S>> {
  const compiled = TypeCompiler.Compile(schema);

  return (body) => {
    const errors = firstOf(compiled.Errors(body), maxCollected);
    const misshapen = firstPerPointer(errors.flatMap(toViolations));
    if (errors.length === maxCollected) return { violations: misshapen };
    const pointers = new Set(misshapen.map(({ pointer }) => pointer));
    const part = soundMembers(body, '', pointers) as Partial<Static<S>>;
    const judged = judge(part, pointers, body).filter((found) => !isThere(found, pointers));
    const violations = [...misshapen, ...judged];
    if (violations.length === 0 && compiled.Check(body)) return { violations: [], value: body };
    return { violations };
  };
}

/**
 * A reader of one request body: gives the typed value or refuses with every mistake at once.
 *
 * @throws {Refusal} VALIDATION_ERROR
 */
export function createBodyReader<S extends TObject>(
  schema: S,
  judge?: Judge<S>,
): (body: unknown) => Static<S> {
  const judgeBody = createBodyJudge(schema, judge);

  return (body) => {
    const judgement = judgeBody(body);
    if ('value' in judgement) return judgement.value;
    throw refusalOf(judgement.violations);
  };
}

export function refusalOf(violations: readonly Violation[]): Refusal {
  const errors = violations.slice(0, maxViolations);
  if (errors.length === violations.length) return new Refusal('VALIDATION_ERROR', { errors });
  const detail = `The request breaks the contract; the first ${errors.length} of ${violations.length} violations are listed.`;
  return new Refusal('VALIDATION_ERROR', { errors, detail });
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

/** A member with a mistake is not seen by the judge; it is not missing either. */
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
