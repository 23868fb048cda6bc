import { type CodeHistory, toHistory } from '@tributary/attribution-fold/code-history';
import type { CodeRecord } from '@tributary/contracts/code-record';
import { type Cut, isInTime } from '../cut.ts';
import { readSpooled, recordOf } from '../store/spooled.ts';
import { byKey, type Store } from '../store/store.ts';

/**
 * By `recordKey(tenantId, ucc)`. Of two records with one version the first is kept, as the service
 * does.
 */
export function readHistories(log: Store, cut: Cut, bucket: number): Map<string, CodeHistory> {
  const histories = new Map<string, CodeHistory>();
  const entries = readSpooled(log, 'codes', { name: `codes/${bucket}`, cut });
  for (const [key, own] of byKey(entries)) {
    const records = own
      .map((entry) => recordOf<CodeRecord>(entry))
      .filter(({ at }) => isInTime(cut, at));
    const versions = new Map(records.toReversed().map((record) => [record.version, record]));
    if (versions.size > 0) histories.set(key, toHistory([...versions.values()]));
  }
  return histories;
}
