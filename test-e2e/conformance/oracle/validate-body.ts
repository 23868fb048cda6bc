import { readDateTime } from './date-time.ts';
import { type EventType, eventMembers, type Member } from './event-rules.ts';
import { type Json, readJson } from './json-text.ts';
import { validateScalar } from './validate-value.ts';

/** `pointer CODE`, where CODE may be `A|B`. */
export type Finding = `${string} ${string}`;

export type Verdict =
  | { status: 400; code: 'MALFORMED_JSON' }
  | { status: 422; code: 'VALIDATION_ERROR'; errors: Finding[] }
  | { status: 202; warnings: Finding[] };

const fiveMinutes = 5 * 60;
const ninetyDays = 90 * 24 * 60 * 60;

/** What the contract says of this body, every violation in the order of design 8 (not yet cut). */
export function validateBody(type: EventType, body: Uint8Array, nowSeconds: number): Verdict {
  const json = readJson(body);
  if (json === undefined) return { status: 400, code: 'MALFORMED_JSON' };
  const errors = validateObject(eventMembers[type], json, '');
  if (errors.length > 0) return { status: 422, code: 'VALIDATION_ERROR', errors };
  return { status: 202, warnings: warningsOf(type, json, nowSeconds) };
}

function validateObject(members: readonly Member[], value: Json, at: string): Finding[] {
  if (value.kind !== 'object') return [`${at} INVALID_TYPE`];
  const found: Finding[] = [];
  for (const [name, given] of value.members) {
    const pointer = `${at}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    const member = members.find((known) => known.name === name);
    if (!member) found.push(`${pointer} UNKNOWN_FIELD`);
    else if (member.rule.is === 'object') {
      found.push(...validateObject(member.rule.members, given, pointer));
    } else {
      const code = validateScalar(member.rule.is, given);
      if (code) found.push(`${pointer} ${code}`);
    }
  }
  const present = new Set(value.members.map(([name]) => name));
  for (const { name, required } of members) {
    if (required && !present.has(name)) found.push(`${at}/${name} REQUIRED`);
  }
  return found;
}

function warningsOf(type: EventType, root: Json, nowSeconds: number): Finding[] {
  const warnings: Finding[] = unusedMembers(eventMembers[type], root, '');
  const occurredAt = memberOf(root, 'occurredAt');
  const at = readDateTime(occurredAt?.kind === 'string' ? occurredAt.text : '') ?? nowSeconds;
  if (at > nowSeconds + fiveMinutes) warnings.push('/occurredAt OCCURRED_AT_IN_FUTURE');
  if (at < nowSeconds - ninetyDays) warnings.push('/occurredAt OCCURRED_AT_BACKDATED');
  return warnings;
}

function unusedMembers(members: readonly Member[], value: Json, at: string): Finding[] {
  return members.flatMap(({ name, rule, unused }) => {
    const given = memberOf(value, name);
    if (!given) return [];
    const pointer = `${at}/${name}`;
    if (unused) return [`${pointer} FIELD_NOT_YET_HONOURED` as const];
    return rule.is === 'object' ? unusedMembers(rule.members, given, pointer) : [];
  });
}

export function memberOf(value: Json, name: string): Json | undefined {
  if (value.kind !== 'object') return undefined;
  return value.members.find(([found]) => found === name)?.[1];
}
