import type { CodeRecord } from '@tributary/contracts/code-record';
import type { Incoming } from '@tributary/event-log/projection';
import type { Tx } from '@tributary/runtime/postgres';
import { upsertReferralCodes } from '../db/referral-codes.ts';

/** One batch of the codes topic into the look-up table. */
export async function applyCodes(tx: Tx, batch: readonly Incoming[]): Promise<void> {
  const latest = new Map<string, CodeRecord>();
  for (const { value } of batch as readonly Incoming<CodeRecord>[]) {
    if (value === null) continue;
    // One statement must not meet a row twice; equal versions: the first publication wins.
    const id = JSON.stringify([value.tenantId, value.ucc]);
    const seen = latest.get(id);
    if (!seen || seen.version < value.version) latest.set(id, value);
  }
  if (latest.size > 0) await upsertReferralCodes(tx, [...latest.values()]);
}
