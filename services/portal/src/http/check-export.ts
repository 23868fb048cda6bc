import type { ReadModel } from '@tributary/generations/start-read-model';
import type { Deployment } from '../catalog/commands/deployment.ts';
import { newestEventAt } from '../console/db/queries/known-people.ts';
import { Refusal } from './refusal.ts';

/** Within which every process knows that a tenant is suspended, and has ended what it accepted. */
const settledAfterMs = 10_000;

/**
 * Whether an export that began at `exportedUntil` has all of a suspended tenant. It began once
 * nothing was accepted any more, and the read model has read what was on the log by then: an event
 * that is not known by then is none.
 * @throws {Refusal}
 */
export async function checkExport(
  parts: { deployment: Pick<Deployment, 'clock'>; readModel: ReadModel; settleMs?: number },
  asked: { tenantId: string; exportedUntil: string; changedAt: Date },
): Promise<void> {
  const { deployment, readModel, settleMs = settledAfterMs } = parts;
  const { tenantId, exportedUntil, changedAt } = asked;
  if (exportedUntil > deployment.clock.now().toISOString()) {
    const detail = 'must be the time at which an export began, not a time in the future';
    const errors = [{ pointer: '/exportedUntil', code: 'OUT_OF_RANGE' as const, detail }];
    throw new Refusal('VALIDATION_ERROR', { errors });
  }
  const settledAt = new Date(changedAt.getTime() + settleMs).toISOString();
  if (exportedUntil < settledAt) {
    const since = `The tenant was suspended or changed at ${changedAt.toISOString()}.`;
    const detail = `${since} Take an export that begins at ${settledAt} or later, then remove the tenant.`;
    throw new Refusal('CONFLICT', { detail });
  }
  const asOf = readModel.freshness.asOf()?.toISOString();
  if (asOf === undefined || asOf < exportedUntil) {
    const behind =
      'The portal has not yet read everything that was on the log when the export began.';
    const detail = `${behind} Try again soon with the same export.`;
    throw new Refusal('SERVICE_UNAVAILABLE', { detail });
  }
  const newest = await newestEventAt(readModel.pool, tenantId);
  if (newest === undefined || newest < exportedUntil) return;
  const lacks = `An event was received at ${newest}, so an export of ${exportedUntil} does not contain it.`;
  throw new Refusal('CONFLICT', {
    detail: `${lacks} Take another export, then remove the tenant.`,
  });
}
