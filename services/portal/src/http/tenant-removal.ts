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
import { listRemovedTenants } from '../catalog/db/tenants.ts';
import { listKnownPeople } from '../console/db/queries/known-people.ts';

export type RemovalParts = {
  deployment: Deployment;
  office: Office;
  processor: InternalClient;
  readModel: ReadModel;
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

/**
 * Everybody of whom something is known that was received after they were erased, if they were. Says
 * whether there was anybody.
 */
async function eraseEverybody(
  { deployment, readModel }: RemovalParts,
  tenantId: string,
  stopping: () => boolean,
): Promise<boolean> {
  let after = '';
  for (let hasSome = false; ;) {
    const people = await listKnownPeople(readModel.pool, tenantId, { after, limit: atOnce });
    hasSome ||= people.length > 0;
    const userIds = people.map(({ userId }) => userId);
    const erased = await readErasedAt(deployment.pool, tenantId, userIds);
    for (const { userId, receivedAt } of people) {
      if (stopping()) return hasSome;
      const erasedAt = erased.get(userId);
      // The read model has not read it yet.
      if (erasedAt !== undefined && erasedAt.toISOString() >= receivedAt) continue;
      await erasePerson(deployment, tenantId, userId);
    }
    if (people.length < atOnce) return hasSome;
    after = userIds.at(-1)!;
  }
}

/**
 * Goes on with removals, whatever became of the process that was asked, and erases whom the read
 * model hears of later. A tenant of which nobody was left is looked at again after twice as long as
 * before, and Stripe is asked once an hour at most: what it refuses, it refuses again. A tenant
 * with which it does not go on keeps no other one waiting.
 */
export function createRemovals(
  options: RemovalParts & { logger: Logger; everyMs?: number },
): Repeater {
  const { deployment, logger, everyMs = 10_000 } = options;
  const looks = new Map<string, { quietMs: number; nextMs: number; finishMs: number }>();

  async function goOn(tenantId: string, stopping: () => boolean): Promise<void> {
    const nowMs = performance.now();
    const look = looks.get(tenantId) ?? { quietMs: everyMs, nextMs: 0, finishMs: 0 };
    looks.set(tenantId, look);
    if (nowMs >= look.finishMs) {
      look.finishMs = nowMs + hourMs;
      const asked = { by: 'tenant-removal', requestId: undefined };
      const left = await finishRemoval(options, tenantId, asked);
      if (left.length > 0) logger.warn('a removed tenant is still connected', { tenantId, left });
    }
    if (nowMs < look.nextMs) return;
    const hadSome = await eraseEverybody(options, tenantId, stopping);
    look.quietMs = hadSome ? everyMs : Math.min(hourMs, 2 * look.quietMs);
    look.nextMs = nowMs + look.quietMs;
  }

  return createRepeater({
    everyMs,
    work: async (stopping) => {
      for (const tenantId of await listRemovedTenants(deployment.pool)) {
        if (stopping()) return;
        await goOn(tenantId, stopping).catch((error: unknown) => {
          logger.warn('a removal cannot go on; trying again', { tenantId, error });
        });
      }
    },
    onFailure: (error) => {
      logger.warn('removals of tenants cannot go on; trying again', { error });
    },
  });
}

const hourMs = 3_600_000;
