import { Kind, type TObject, type TSchema } from '@sinclair/typebox';
import type { ValidateFunction } from 'ajv';
import { legacyHint } from './legacy-names.ts';
import { compileStrict } from './strict-ajv.ts';
import { type JsonObject, type JsonValue, namesInDocumentOrder } from './strict-json.ts';
import { maxViolations, type Violation, type ViolationCode } from './violation.ts';

/**
 * Says what is wrong with a body: every violation, one per member, in the order of design 8
 * ("Pointers"): within each object the present members in document order, then the missing ones
 * in schema order. An unknown member is one violation and its value is not validated; a missing
 * parent is one violation. Stops at the 21st, so a body full of nonsense is cheap to refuse.
 */
export type Collected = { violations: Violation[]; truncated: boolean };

export function createViolationCollector(schema: TObject): (body: JsonValue) => Collected {
  const root = compileObject(schema);

  return (body) => {
    const found: Violation[] = [];
    collectObject(root, root, body, '', found);
    const truncated = found.length > maxViolations;
    return { violations: found.slice(0, maxViolations), truncated };
  };
}

type ObjectRule = {
  kind: 'object';
  expected: string;
  closed: boolean;
  members: ReadonlyMap<string, Rule>;
  required: readonly string[];
};
type ValueRule = { kind: 'value'; expected: string; schema: TSchema; check: ValidateFunction };
type Rule = ObjectRule | ValueRule;

function compileRule(schema: TSchema): Rule {
  if (schema[Kind] === 'Object') return compileObject(schema as TObject);
  return { kind: 'value', expected: expectedOf(schema), schema, check: compileStrict(schema) };
}

function compileObject(schema: TObject): ObjectRule {
  return {
    kind: 'object',
    expected: expectedOf(schema),
    closed: schema.additionalProperties === false,
    members: new Map(
      Object.entries(schema.properties).map(([name, member]) => [name, compileRule(member)]),
    ),
    required: schema.required ?? [],
  };
}

function expectedOf(schema: TSchema): string {
  return schema.description ?? `a JSON ${String(schema.type)}`;
}

function collectObject(
  root: ObjectRule,
  rule: ObjectRule,
  value: JsonValue,
  pointer: string,
  found: Violation[],
): void {
  if (!isObject(value)) {
    found.push(violation(pointer, 'type', rule.expected));
    return;
  }
  for (const name of namesInDocumentOrder(value)) {
    if (found.length > maxViolations) return;
    const member = rule.members.get(name);
    const memberPointer = `${pointer}/${escapePointer(name)}`;
    if (!member) {
      if (rule.closed) found.push(unknownField(root, name, memberPointer));
    } else if (member.kind === 'object') {
      collectObject(root, member, value[name]!, memberPointer, found);
    } else {
      const keyword = brokenKeyword(member, value[name]!);
      if (keyword) found.push(violation(memberPointer, keyword, member.expected));
    }
  }
  for (const name of rule.required) {
    if (value[name] !== undefined) continue;
    const { expected } = rule.members.get(name)!;
    found.push(violation(`${pointer}/${escapePointer(name)}`, 'required', expected));
  }
}

/** The schema keyword that the value breaks, if any. */
function brokenKeyword(rule: ValueRule, value: JsonValue): string | undefined {
  if (typeof value === 'bigint' && rule.schema.type === 'integer') {
    const { minimum, maximum } = rule.schema as { minimum?: number; maximum?: number };
    if (minimum !== undefined && value < minimum) return 'minimum';
    return maximum !== undefined && value > maximum ? 'maximum' : undefined;
  }
  return rule.check(value) ? undefined : rule.check.errors?.[0]?.keyword;
}

/** Keyword → code of the violation, and what is wrong in words. */
const wrongs: Readonly<Record<string, readonly [ViolationCode, string]>> = {
  required: ['REQUIRED', 'The field is missing'],
  type: ['INVALID_TYPE', 'The value has the wrong type'],
  enum: ['INVALID_ENUM', 'The value is not an allowed one'],
  minLength: ['OUT_OF_RANGE', 'The text is too short'],
  maxLength: ['OUT_OF_RANGE', 'The text is too long'],
  trimmedLength: ['OUT_OF_RANGE', 'The text is too short or too long'],
  minimum: ['OUT_OF_RANGE', 'The number is too small'],
  maximum: ['OUT_OF_RANGE', 'The number is too large'],
  format: ['INVALID_FORMAT', 'The text has the wrong format'],
};

function violation(pointer: string, keyword: string, expected: string): Violation {
  const wrong = wrongs[keyword];
  if (!wrong) throw new Error(`no violation code for the schema keyword ${keyword}`);
  return { pointer, code: wrong[0], detail: `${wrong[1]}; expected ${expected}.` };
}

function unknownField(root: ObjectRule, name: string, pointer: string): Violation {
  const hint = legacyHint(name, (field) => isKnown(root, field));
  const detail = `The contract has no such field here${hint === undefined ? '' : `; ${hint}`}.`;
  return { pointer, code: 'UNKNOWN_FIELD', detail };
}

/** Whether this event has the field, given as `newUser.id`. */
function isKnown(root: ObjectRule, field: string): boolean {
  let rule: Rule | undefined = root;
  for (const name of field.split('.')) {
    rule = rule?.kind === 'object' ? rule.members.get(name) : undefined;
  }
  return rule !== undefined;
}

function isObject(value: JsonValue): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function escapePointer(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}
