import { Kind, type Static, type TObject, type TSchema } from '@sinclair/typebox';
import { createViolationCollector } from './collect-violations.ts';
import { parseStrictJson } from './strict-json.ts';
import { compileStrict } from './strict-ajv.ts';
import { maxViolations, type Violation } from './violation.ts';

/** What a request body turned out to be. */
export type BodyReading<T> =
  | { outcome: 'valid'; body: T }
  /** 422: at most 20 violations; `truncated` says that there are more. */
  | { outcome: 'invalid'; violations: Violation[]; truncated: boolean }
  /** 400: not readable as JSON. */
  | { outcome: 'malformed'; detail: string };

/** Bytes → strict JSON → schema. The value is what was sent: nothing is coerced or removed. */
export function createBodyReader<S extends TObject>(
  schema: S,
): (bytes: Buffer) => BodyReading<Static<S>> {
  const isValid = compileStrict(schema);
  const collectViolations = createViolationCollector(schema);
  const maxMembers = isClosed(schema) ? manyMembers : Infinity;

  return (bytes) => {
    const json = parseStrictJson(bytes, maxMembers);
    if (json.outcome === 'malformed') return json;
    const body = json.value as Static<S>;
    if (isValid(body)) return { outcome: 'valid', body };
    // Not the last word: ajv takes no bigint for an integer, the collector does.
    const { violations, truncated } = collectViolations(json.value);
    if (violations.length === 0) return { outcome: 'valid', body };
    return { outcome: 'invalid', violations, truncated };
  };
}

/**
 * An object of a closed schema with more members than this has more than `maxViolations` unknown
 * ones among the first, whatever the schema: nothing depends on those that follow.
 */
const manyMembers = 64;

/** No object of the schema takes members that it does not name. */
function isClosed(schema: TSchema): boolean {
  if (schema[Kind] !== 'Object') return true;
  const { additionalProperties, properties } = schema as TObject;
  const members = Object.values(properties);
  if (members.length > manyMembers - maxViolations - 1) return false;
  return additionalProperties === false && members.every(isClosed);
}

/** The `detail` of a VALIDATION_ERROR (interface 2.8: it says so when the list was cut). */
export function violationsDetail(violations: readonly Violation[], truncated: boolean): string {
  if (truncated) {
    return `The request breaks more than ${violations.length} rules; only the first ${violations.length} are listed.`;
  }
  return violations.length === 1
    ? 'The request breaks 1 rule of the contract.'
    : `The request breaks ${violations.length} rules of the contract.`;
}
