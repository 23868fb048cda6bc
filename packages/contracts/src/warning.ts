import { type Static, Type } from '@sinclair/typebox';
import { closedObject } from './closed-object.ts';

/**
 * Remarks on an accepted event (interface 2.7). A warning changes neither the status nor the
 * processing. New codes may appear at any time.
 */
export const Warning = closedObject({
  code: Type.Union([
    Type.Literal('OCCURRED_AT_IN_FUTURE'),
    Type.Literal('OCCURRED_AT_BACKDATED'),
    Type.Literal('FIELD_NOT_YET_HONOURED'),
  ]),
  detail: Type.String(),
  pointer: Type.Optional(Type.String()),
});
export type Warning = Static<typeof Warning>;

/**
 * Optional fields of the contract that nothing downstream uses yet (design 8). A row goes when a
 * rule starts to read the field.
 */
export const fieldsNotYetHonoured: readonly string[] = [
  '/newUser/organizationId',
  '/subscription/id',
];

const futureThresholdMs = 5 * 60_000;
const dayMs = 86_400_000;

/**
 * The warnings of one valid event, in a fixed order: the timestamp first, then the fields.
 * `occurredAtMs` may have a fraction; both thresholds are exclusive.
 */
export function warningsOf(event: {
  occurredAtMs: number;
  receivedAtMs: number;
  backdatingWindowDays: number;
  body: Readonly<Record<string, unknown>>;
}): Warning[] {
  const { occurredAtMs, receivedAtMs, backdatingWindowDays, body } = event;
  const warnings: Warning[] = [];
  if (occurredAtMs > receivedAtMs + futureThresholdMs) {
    warnings.push(warningOf('OCCURRED_AT_IN_FUTURE'));
  }
  if (occurredAtMs < receivedAtMs - backdatingWindowDays * dayMs) {
    warnings.push(warningOf('OCCURRED_AT_BACKDATED', String(backdatingWindowDays)));
  }
  for (const { pointer, path } of notYetHonoured) {
    if (isPresent(body, path)) warnings.push(warningOf('FIELD_NOT_YET_HONOURED', pointer));
  }
  return warnings;
}

export const warningCodes = Warning.properties.code.anyOf.map((code) => code.const);

/**
 * `argument` is the window in days of a backdated one, or the pointer of a field. Repeated requests
 * are answered by these texts, too: ingest-api keeps code and argument. So changing a text changes
 * answers of the last 72 hours.
 */
export function warningOf(code: Warning['code'], argument = ''): Warning {
  if (code === 'FIELD_NOT_YET_HONOURED') {
    const detail = `${argument} is stored but does not influence attribution or rewards yet.`;
    return { code, detail, pointer: argument };
  }
  const detail =
    code === 'OCCURRED_AT_IN_FUTURE'
      ? 'occurredAt is more than five minutes ahead of the service clock.'
      : `occurredAt is older than the backdating window of ${argument} days.`;
  return { code, detail, pointer: '/occurredAt' };
}

const notYetHonoured = fieldsNotYetHonoured.map((pointer) => ({
  pointer,
  path: pointer.split('/').slice(1),
}));

function isPresent(body: Readonly<Record<string, unknown>>, path: readonly string[]): boolean {
  let value: unknown = body;
  for (const name of path) {
    if (typeof value !== 'object' || value === null) return false;
    value = (value as Record<string, unknown>)[name];
  }
  return value !== undefined;
}
