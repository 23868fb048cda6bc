import type { CodeRecord } from '@tributary/contracts/code-record';
import { compareDecimal } from '@tributary/contracts/canonical-order';
import { parseTimestamp } from '@tributary/contracts/rfc3339';

/** All that is known of one code, in order of version; never empty. */
export type CodeHistory = readonly CodeRecord[];

export type CodeState = {
  campaignId: string;
  ownerId: string;
  /** Since when the code is disabled, at the time that was asked for. */
  disabledSince?: string;
};

export function toHistory(records: readonly CodeRecord[]): CodeHistory {
  return records.toSorted((a, b) => a.version - b.version);
}

/**
 * The code as an event received at that time meets it. An event may come before its code: the first
 * publication makes the code whose it is, for all events. A later change holds from its own time,
 * whenever it arrives here.
 */
export function codeAt(history: CodeHistory, receivedAt: string): CodeState {
  const first = history[0];
  if (!first) throw new Error('a code without a record');
  const { campaignId, productUserId: ownerId } = first;
  const at = secondsOf(receivedAt);
  const current = history.findLast((record) => compareDecimal(secondsOf(record.at), at) <= 0);
  return current?.type === 'code-disabled'
    ? { campaignId, ownerId, disabledSince: current.at }
    : { campaignId, ownerId };
}

function secondsOf(timestamp: string): string {
  const instant = parseTimestamp(timestamp);
  if (!instant) throw new Error('a time of a code or event is not RFC 3339');
  return instant.seconds;
}
