import type { CodeRecord } from '@tributary/contracts/code-record';
import type { Tx } from '@tributary/runtime/postgres';
import { lockCodes, lockTenants } from './adapters/postgres/advisory-locks.ts';
import { insertCodes } from './adapters/postgres/codes.ts';
import { readFactsOfCodes } from './adapters/postgres/facts.ts';
import { addRefolds } from './adapters/postgres/refolds.ts';
import type { DecideFacts } from './decide-facts.ts';
import { lockUsersOf } from './lock-users.ts';

const maxFactsAtOnce = 1_000;

/**
 * Codes, new or changed: the events that carry them are decided again, those that waited above all.
 * Very many are left to the sweeper, so that no transaction grows without bound. For the locks see
 * apply-events.ts.
 */
export function createApplyCodes({ decideFacts }: { decideFacts: DecideFacts }) {
  return async function applyCodes(tx: Tx, records: readonly CodeRecord[]): Promise<void> {
    await lockTenants(
      tx,
      'shared',
      records.map((record) => record.tenantId),
    );
    await lockCodes(tx, 'exclusive', records);
    const changed = await insertCodes(tx, records);
    if (changed.length === 0) return;

    const facts = await readFactsOfCodes(tx, changed, maxFactsAtOnce + 1);
    if (facts.length === 0) return;
    if (facts.length > maxFactsAtOnce) {
      return addRefolds(
        tx,
        changed.map(({ tenantId, ucc }) => ({ tenantId, scope: 'code' as const, subject: ucc })),
      );
    }
    await lockUsersOf(tx, facts);
    await decideFacts(tx, facts);
  };
}
