import type { DeliveryFact } from '@tributary/contracts/delivery-record';

/**
 * What the deliveries topic says about a delivery, folded from its facts in any order, any number
 * of times and in any portions: a join of a lattice, so a rebuilt row ends where the one that lived
 * did.
 *
 *   the higher round wins; within it delivered > exhausted > pending;
 *   of a pending one, the later step of the schedule wins, then the later plan;
 *   a finished one was finished at the earliest time recorded;
 *   attempts are the most ever recorded, in whichever round: their numbers never come again.
 *
 * Attempts do not decide within a round: a process that was overtaken may record a high number in
 * a round that is over, and the number would then hide what the present round says.
 */
export type DeliveryState = 'pending' | 'delivered' | 'exhausted';

export type DeliveryStatus = {
  state: DeliveryState;
  round: number;
  attempts: number;
  step: number;
  /** When a pending one is due. */
  dueMs: number;
  /** Null of a pending one. */
  finishedMs: number | null;
};

export type KnownOutcome = {
  webhookEventId: string;
  tenantId: string;
  issuanceId: string;
  status: DeliveryStatus;
};

/** One outcome for each delivery that the facts name. */
export function foldFacts(facts: readonly DeliveryFact[]): KnownOutcome[] {
  const known = new Map<string, KnownOutcome>();
  for (const fact of facts) {
    const { webhookEventId, tenantId, issuanceId } = fact;
    const before = known.get(webhookEventId);
    const byFact = statusOf(fact);
    const status = before ? joinStatuses(before.status, byFact) : byFact;
    known.set(webhookEventId, { webhookEventId, tenantId, issuanceId, status });
  }
  return [...known.values()];
}

export function joinStatuses(a: DeliveryStatus, b: DeliveryStatus): DeliveryStatus {
  const attempts = Math.max(a.attempts, b.attempts);
  if (a.round !== b.round) return { ...(a.round > b.round ? a : b), attempts };
  const step = Math.max(a.step, b.step);
  if (rank[a.state] !== rank[b.state]) {
    return { ...(rank[a.state] > rank[b.state] ? a : b), attempts, step };
  }
  if (a.state === 'pending') {
    return { ...(isLaterPlan(b, a) ? b : a), attempts, step };
  }
  return { ...a, attempts, step, finishedMs: earliest(a.finishedMs, b.finishedMs) };
}

/** When a finished one would have been due means nothing. */
export function isSameStatus(a: DeliveryStatus, b: DeliveryStatus): boolean {
  return (
    a.state === b.state &&
    a.round === b.round &&
    a.attempts === b.attempts &&
    a.step === b.step &&
    a.finishedMs === b.finishedMs &&
    (a.state !== 'pending' || a.dueMs === b.dueMs)
  );
}

function statusOf(fact: DeliveryFact): DeliveryStatus {
  const { round } = fact;
  switch (fact.type) {
    case 'attempted': {
      const { attempt: attempts, step } = fact;
      const endedMs = Date.parse(fact.startedAt) + fact.durationMs;
      const common = { round, attempts, step };
      if (fact.outcome === 'failed') {
        const dueMs = fact.nextAttemptAt === undefined ? endedMs : Date.parse(fact.nextAttemptAt);
        return { ...common, state: 'pending', dueMs, finishedMs: null };
      }
      return { ...common, state: fact.outcome, dueMs: endedMs, finishedMs: endedMs };
    }
    case 'expired': {
      const atMs = Date.parse(fact.at);
      const { attempts } = fact;
      return { state: 'exhausted', round, attempts, step: 0, dueMs: atMs, finishedMs: atMs };
    }
    case 'resent': {
      const { attempts } = fact;
      const dueMs = Date.parse(fact.at);
      return { state: 'pending', round, attempts, step: 0, dueMs, finishedMs: null };
    }
    default:
      return fact satisfies never;
  }
}

const rank: Record<DeliveryState, number> = { pending: 0, exhausted: 1, delivered: 2 };

function isLaterPlan(a: DeliveryStatus, b: DeliveryStatus): boolean {
  return a.step !== b.step ? a.step > b.step : a.dueMs > b.dueMs;
}

function earliest(a: number | null, b: number | null): number | null {
  if (a === null || b === null) return a ?? b;
  return Math.min(a, b);
}
