import { isV2EventType } from '@tributary/contracts/public/v2-events';
import type { JsonText } from '../admin-client.ts';
import { UsageError } from '../failures.ts';

export type ScenarioEvent = { type: string; body: object | JsonText; idempotencyKey?: string };

/**
 * The events of a scenario file, checked before the first is sent; every mistake is reported.
 *
 * @throws {UsageError}
 */
export function readScenario(text: string, file: string, ucc: string | undefined): ScenarioEvent[] {
  const steps = parse(text, file);
  const mistakes = steps.flatMap((step, index) => mistakesIn(step).map((it) => `/${index}${it}`));
  if (mistakes.length > 0) throw new UsageError([`${file}:`, ...mistakes].join('\n  '));
  return (steps as Step[]).map(({ type, event, idempotencyKey }) => ({
    type,
    body: type === 'legacy' ? event : { ...defaults(ucc), ...event },
    ...(idempotencyKey !== undefined && { idempotencyKey }),
  }));
}

type Step = { type: string; event: object; idempotencyKey?: string };

function defaults(ucc: string | undefined): object {
  return { ...(ucc !== undefined && { ucc }), occurredAt: new Date().toISOString() };
}

function parse(text: string, file: string): unknown[] {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (error) {
    throw new UsageError(`${file} is not JSON: ${(error as Error).message}`, { cause: error });
  }
  if (Array.isArray(parsed) && parsed.length > 0) return parsed;
  throw new UsageError(`${file} must be an array of at least one event.`);
}

function mistakesIn(step: unknown): string[] {
  if (!isObject(step)) return [': must be an object'];
  const { type, event, idempotencyKey, ...others } = step;
  const isKnown = typeof type === 'string' && (type === 'legacy' || isV2EventType(type));
  return [
    ...(isKnown ? [] : ['/type: must be a type of event']),
    ...(isObject(event) ? [] : ['/event: must be an object']),
    ...(idempotencyKey === undefined || typeof idempotencyKey === 'string'
      ? []
      : ['/idempotencyKey: must be a text']),
    ...Object.keys(others).map((name) => `/${name}: is no field of a scenario`),
  ];
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
