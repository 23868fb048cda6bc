import type { EndpointHealth } from '../db/endpoint-health.ts';
import { type BreakerSettings, evolveBreaker } from '../domain/breaker.ts';
import type { Evaluation } from '../domain/outcome.ts';
import type { AttemptResult } from './result-writer.ts';

/** How an endpoint fares once one more attempt has ended. */
export function healthAfterAttempt(
  health: EndpointHealth,
  { claim, evaluation, endedAt }: AttemptResult,
  nowMs: number,
  settings: BreakerSettings,
): EndpointHealth {
  const { delivered } = evaluation;
  const attempt = { delivered, probe: claim.probe, atMs: nowMs };
  const breaker = evolveBreaker(health.breaker, attempt, settings);
  if (delivered) return { ...health, breaker, failingSince: null, lastSuccessAt: endedAt };
  return {
    ...health,
    breaker,
    failingSince: health.failingSince ?? endedAt,
    lastFailureAt: endedAt,
    lastFailure: inWords(evaluation),
  };
}

function inWords({ result, statusCode, detail }: Evaluation): string {
  const what = statusCode === undefined ? result : `${result} ${statusCode}`;
  return detail === undefined ? what : `${what}: ${detail}`.replaceAll('\0', '');
}
