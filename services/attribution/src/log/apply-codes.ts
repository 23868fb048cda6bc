import type { CodeRecord } from '@tributary/contracts/code-record';
import { recordKey } from '@tributary/contracts/topics';
import type { Tx } from '@tributary/runtime/postgres';
import { lockCodes, lockTenants } from '../db/advisory-locks.ts';
import { type CodeOwner, readCodeOwners, writeCodeOwners } from '../db/code-owners.ts';
import { insertCodes, readCodes } from '../db/codes.ts';
import { readFactsOfCodes } from '../db/facts.ts';
import { addRecomputeJobs } from '../db/recompute-jobs.ts';
import type { UserKey } from '../db/referred-users.ts';
import type { ApplyOptions } from './apply-events.ts';
import { originOf } from '@tributary/attribution-fold/code-history';
import { usualLimits } from '../fold/batch-limits.ts';
import { lockUsersOf } from '../db/lock-users.ts';
import { withRefunds } from '../db/read-invoices.ts';

type CodeKey = { tenantId: string; ucc: string };

/**
 * Codes, new or changed: the events that carry them are decided again, those that waited above all,
 * and those about their owners, who may now be existing users or part of a loop.
 * Very many are left to the sweeper, so that no transaction grows without bound. For the locks see
 * apply-events.ts.
 */
export function createApplyCodes({ decideFacts, limits = usualLimits }: ApplyOptions) {
  return async function applyCodes(tx: Tx, records: readonly CodeRecord[]): Promise<void> {
    await lockTenants(
      tx,
      'shared',
      records.map((record) => record.tenantId),
    );
    await lockCodes(tx, 'exclusive', records);
    const changed = await insertCodes(tx, records);
    if (changed.length === 0) return;

    const owners = await changeOwners(tx, changed);
    let facts = await readFactsOfCodes(tx, changed, limits.factsAtOnce + 1);
    if (facts.length > limits.factsAtOnce) {
      await addRecomputeJobs(
        tx,
        changed.map(({ tenantId, ucc }) => ({ tenantId, scope: 'code' as const, subject: ucc })),
      );
      facts = [];
    }
    const users = await lockUsersOf(tx, { facts: await withRefunds(tx, facts), others: owners });
    await decideFacts(tx, { facts, users, sumUp: owners, recheck: true });
  };
}

/** Whose codes these are now; all whose they became and were. */
async function changeOwners(tx: Tx, codes: readonly CodeKey[]): Promise<UserKey[]> {
  const before = new Map(
    (await readCodeOwners(tx, codes)).map((owner) => [recordKey(owner.tenantId, owner.ucc), owner]),
  );
  const changed: CodeOwner[] = [];
  const touched = new Map<string, UserKey>();
  for (const [key, history] of await readCodes(tx, codes)) {
    const { tenantId, ucc, productUserId: ownerId, at: issuedAt, campaignId } = originOf(history);
    const was = before.get(key);
    const isSame = was?.ownerId === ownerId && was.issuedAt === issuedAt;
    if (isSame && was.campaignId === campaignId) continue;
    changed.push({ tenantId, ucc, ownerId, issuedAt, campaignId });
    if (isSame) continue;
    for (const newUserId of [ownerId, was?.ownerId ?? ownerId]) {
      touched.set(recordKey(tenantId, newUserId), { tenantId, newUserId });
    }
  }
  if (changed.length > 0) await writeCodeOwners(tx, changed);
  return [...touched.values()];
}
