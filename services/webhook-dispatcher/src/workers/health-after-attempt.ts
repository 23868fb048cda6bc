import type { EndpointHealth } from '../db/endpoint-health.ts';
import { type BreakerSettings, evolveBreaker } from '../domain/breaker.ts';
import type { Judgement } from '../domain/outcome.ts';
import type { AttemptResult } from './result-writer.ts';

/** How an endpoint fares once one more attempt has ended. */
export function healthAfterAttempt(
  health: EndpointHealth,
  { claim, judgement, endedAt }: AttemptResult,
  nowMs: number,
  settings: BreakerSettings,
): EndpointHealth {
  const { delivered } = judgement;
  const attempt = { delivered, probe: claim.probe, atMs: nowMs };
  const breaker = evolveBreaker(health.breaker, attempt, settings);
  if (delivered) return { ...health, breaker, failingSince: null, lastSuccessAt: endedAt };
  return {
    ...health,
    breaker,
    failingSince: health.failingSince ?? endedAt,
    lastFailureAt: endedAt,
    lastFailure: inWords(judgement),
  };
}

function inWords({ result, statusCode, detail }: Judgement): string {
  const what = statusCode === undefined ? result : `${result} ${statusCode}`;
  return detail === undefined ? what : `${what}: ${detail}`.replaceAll('\0', '');
}
