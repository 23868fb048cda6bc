import type {
  DeliveryFact,
  DeliveryRecord,
  DeliveryResendRecord,
} from '@tributary/contracts/delivery-record';
import type { Tx } from '@tributary/runtime/postgres';
import {
  foldFacts,
  isSameStatus,
  joinStatuses,
  type KnownOutcome,
  type DeliveryStatus,
} from '../domain/known-outcome.ts';
import { findForgotten } from '../db/forget-deliveries.ts';
import { notifyDue } from '../db/notify-due.ts';
import { planByKey } from '../db/plan-by-key.ts';
import { insertResends } from '../db/resends.ts';
import { restoreAttempts } from '../db/restore-attempts.ts';
import {
  lockOrMakeDeliveries,
  readStatuses,
  type StoredStatus,
  writeStatuses,
} from '../db/delivery-statuses.ts';
import { type EndpointTouch, touchEndpoints } from '../db/touch-endpoints.ts';

/**
 * Brings rows to what facts of the deliveries topic record: read from the log, or just put there.
 * In normal running they are there already: one look without a lock shows that, and nothing is
 * written. Rows only ever go up the lattice of known-outcome.ts, so that look cannot be too old to
 * be true.
 *
 * Locks: rows of `resend`, `delivery`, `attempt`, then `endpoint`, each in the order of its key;
 * before them, rows of `delivery` that are just being forgotten.
 *
 * @returns what was written, which is little or nothing in normal running.
 */
export async function restoreFacts(tx: Tx, given: readonly DeliveryFact[]): Promise<Restored[]> {
  const facts = await leaveOutForgotten(tx, given);
  if (facts.length === 0) return [];
  const resends = facts.filter((fact): fact is DeliveryResendRecord => fact.type === 'resent');
  const attempts = facts.filter((fact): fact is DeliveryRecord => fact.type === 'attempted');
  await planByKey(tx);
  await insertResends(tx, resends);

  const resent = new Set(resends.map((fact) => fact.webhookEventId));
  const known = foldFacts(facts);
  const seen = await readStatuses(tx, idsOf(known));
  // A resend may also move the start of a round that is known from its attempts.
  const news = known.filter(
    (outcome) =>
      resent.has(outcome.webhookEventId) || changes(seen.get(outcome.webhookEventId), outcome),
  );
  const written = news.length > 0 ? await bringUp(tx, news) : [];
  await restoreAttempts(tx, attempts);
  await touchEndpoints(tx, written.flatMap(touchOf));
  if (written.some(({ after }) => after.state === 'pending')) await notifyDue(tx);
  return written.map(({ before, after }) => ({
    webhookEventId: before.webhookEventId,
    before: before.status,
    after,
  }));
}

/** All that is kept of these is that they were delivered, in whatever round. */
async function leaveOutForgotten(tx: Tx, facts: readonly DeliveryFact[]): Promise<DeliveryFact[]> {
  const forgotten = await findForgotten(tx, [
    ...new Set(facts.map(({ webhookEventId }) => webhookEventId)),
  ]);
  return facts.filter(({ webhookEventId }) => !forgotten.has(webhookEventId));
}

export type Restored = { webhookEventId: string; before: DeliveryStatus; after: DeliveryStatus };

type Written = { before: StoredStatus; after: DeliveryStatus; keepsClaim: boolean };

async function bringUp(tx: Tx, outcomes: readonly KnownOutcome[]): Promise<Written[]> {
  await lockOrMakeDeliveries(tx, outcomes);
  const stored = await readStatuses(tx, idsOf(outcomes));
  const written = outcomes.map(({ webhookEventId, status }): Written => {
    const before = stored.get(webhookEventId)!;
    const after = joinStatuses(before.status, status);
    return { before, after, keepsClaim: isSameClaim(before.status, after) };
  });
  await writeStatuses(
    tx,
    written.map(({ before, after, keepsClaim }) => ({
      webhookEventId: before.webhookEventId,
      status: after,
      keepsClaim,
    })),
  );
  return written;
}

function changes(stored: StoredStatus | undefined, { status }: KnownOutcome): boolean {
  if (!stored) return true;
  return !isSameStatus(stored.status, joinStatuses(stored.status, status));
}

/** The attempt that a claim is for is still the next one. */
function isSameClaim(before: DeliveryStatus, after: DeliveryStatus): boolean {
  return (
    after.state === 'pending' &&
    before.round === after.round &&
    before.attempts === after.attempts &&
    before.step === after.step
  );
}

function touchOf({ before, after, keepsClaim }: Written): EndpointTouch[] {
  const { tenantId, takesRoom, status } = before;
  const lost = takesRoom && !keepsClaim;
  if (!lost && after.state !== 'pending') return [];
  return [
    {
      tenantId,
      ...(after.state === 'pending' && { nextAt: new Date(after.dueMs) }),
      ...(lost && { lostClaims: 1, lostRetries: status.step > 0 ? 1 : 0 }),
    },
  ];
}

function idsOf(outcomes: readonly KnownOutcome[]): string[] {
  return outcomes.map((outcome) => outcome.webhookEventId);
}
