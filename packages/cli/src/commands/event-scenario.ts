import { parseStrictJson } from '@tributary/contracts/strict-json';
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
  const strict = parseStrictJson(Buffer.from(text));
  if (strict.outcome === 'malformed') throw new UsageError(`${file} is not JSON: ${strict.detail}`);
  const parsed = JSON.parse(text, asWritten as Reviver) as unknown;
  if (Array.isArray(parsed) && parsed.length > 0) return parsed;
  throw new UsageError(`${file} must be an array of at least one event.`);
}

/** 49.00 is refused where 49 is not, so that a number must be sent as it was written. */
function asWritten(_: string, value: unknown, { source }: { source: string }): unknown {
  return typeof value === 'number' ? rawJSON(source) : value;
}

/** TypeScript knows neither the third argument nor rawJSON yet. */
type Reviver = (name: string, value: unknown) => unknown;
const { rawJSON, isRawJSON } = JSON as unknown as {
  rawJSON(text: string): object;
  isRawJSON(value: unknown): boolean;
};

function mistakesIn(step: unknown): string[] {
  if (!isObject(step)) return [': must be an object'];
  const { type, event, idempotencyKey, ...others } = step;
  const isKnown = typeof type === 'string' && (type === 'legacy' || isV2EventType(type));
  return [
    ...(isKnown ? [] : ['/type: must be a type of event']),
    ...(isObject(event) ? [] : ['/event: must be an object']),
    ...mistakesOfKey(idempotencyKey, type, event),
    ...Object.keys(others).map((name) => `/${name}: is no field of a scenario`),
  ];
}

/** Another time at each run would be another event under the same key, which is refused. */
function mistakesOfKey(key: unknown, type: unknown, event: unknown): string[] {
  if (key !== undefined && (typeof key !== 'string' || key === '')) {
    return ['/idempotencyKey: must be a text that is not empty'];
  }
  if (type === 'legacy' || !isObject(event) || event['occurredAt'] !== undefined) return [];
  const isKeyed = key !== undefined || event['idempotencyKey'] !== undefined;
  return isKeyed ? ['/event/occurredAt: is required with an idempotencyKey'] : [];
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isRawJSON(value);
}
