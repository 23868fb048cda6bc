import type { ReadModel } from '@tributary/generations/start-read-model';
import type { InternalClient } from '@tributary/http/internal-client';
import type { Logger } from '@tributary/runtime/logger';
import { createRepeater, type Repeater } from '@tributary/runtime/repeater';
import type { Office } from '../accounts/commands/office.ts';
import { removeEverybody } from '../accounts/commands/people.ts';
import { processorQuestions } from '../catalog/commands/ask-processor.ts';
import type { Deployment } from '../catalog/commands/deployment.ts';
import { erasePerson } from '../catalog/commands/erase-person.ts';
import { disconnectAll } from '../catalog/commands/remove-tenant.ts';
import { readErasedAt } from '../catalog/db/erasures.ts';
import { type DueRemoval, finishRemovalOf, takeDueRemoval } from '../catalog/db/tenants.ts';
import { countKnownPeople, listKnownPeople } from '../console/db/queries/known-people.ts';

export type RemovalParts = {
  deployment: Deployment;
  office: Office;
  processor: InternalClient;
  readModel: ReadModel;
  /** In tests, which do not wait as long for an export. */
  settleMs?: number;
};

/** What the catalog's transaction leaves to do; each part may be done any number of times. */
export async function finishRemoval(
  { deployment, office, processor }: RemovalParts,
  tenantId: string,
  { by, requestId }: { by: string; requestId: string | undefined },
): Promise<{ connectionId: string; detail: string }[]> {
  await removeEverybody(office, tenantId);
  return disconnectAll(deployment, processorQuestions(processor, { requestId }), tenantId, by);
}

const atOnce = 200;

/** Everybody of whom something is known that was received after they were erased, if they were. */
async function eraseEverybody(
  { deployment, readModel }: RemovalParts,
  tenantId: string,
  stopping: () => boolean,
): Promise<void> {
  let after = '';
  for (;;) {
    const people = await listKnownPeople(readModel.pool, tenantId, { after, limit: atOnce });
    const userIds = people.map(({ userId }) => userId);
    const erased = await readErasedAt(deployment.pool, tenantId, userIds);
    for (const { userId, receivedAt } of people) {
      if (stopping()) return;
      const erasedAt = erased.get(userId);
      // The read model has not read it yet.
      if (erasedAt !== undefined && erasedAt.toISOString() >= receivedAt) continue;
      await erasePerson(deployment, tenantId, userId);
    }
    if (people.length < atOnce) return;
    after = userIds.at(-1)!;
  }
}

const hourMs = 3_600_000;
/** As long as this after the removal, somebody may still be heard of for the first time. */
const watchedMs = 24 * hourMs;

/**
 * Goes on with removals, whatever became of the process that was asked, and erases whom the read
 * model hears of later. Each is looked at more and more seldom, down to once an hour, so that
 * Stripe is not asked all the time for what it refuses; after a day, with nothing left, never
 * again.
 */
export function createRemovals(
  options: RemovalParts & { logger: Logger; everyMs?: number },
): Repeater {
  const { deployment, logger, everyMs = 10_000 } = options;
  const { pool, clock } = deployment;

  async function goOn({ tenantId, removedAt }: DueRemoval, stopping: () => boolean) {
    await eraseEverybody(options, tenantId, stopping);
    const by = 'tenant-removal';
    const left = await finishRemoval(options, tenantId, { by, requestId: undefined });
    if (left.length > 0) logger.warn('a removed tenant is still connected', { tenantId, left });
    const watchedUntil = removedAt.getTime() + watchedMs;
    const readUntil = options.readModel.freshness.asOf()?.getTime() ?? 0;
    if (left.length > 0 || stopping() || readUntil < watchedUntil) return;
    if ((await countKnownPeople(options.readModel.pool, tenantId)) > 0) return;
    await finishRemovalOf(pool, tenantId);
  }

  return createRepeater({
    everyMs,
    work: async (stopping) => {
      while (!stopping()) {
        const bounds = { leastMs: everyMs, mostMs: hourMs };
        const due = await takeDueRemoval(pool, clock.now(), bounds);
        if (due === undefined) return;
        await goOn(due, stopping).catch((error: unknown) => {
          const { tenantId } = due;
          logger.warn('the removal of a tenant cannot go on; trying again', { tenantId, error });
        });
      }
    },
    onFailure: (error) => {
      logger.warn('removals of tenants cannot go on; trying again', { error });
    },
  });
}
