import type { CodeRecord } from '@tributary/contracts/code-record';
import { compareDecimal } from '@tributary/contracts/canonical-order';
import { isDerivedUccForm } from '@tributary/contracts/ucc';
import { plusSeconds, secondsOf, secondsPerDay } from './seconds.ts';

/** All that is known of one code, in order of version; never empty. */
export type CodeHistory = readonly CodeRecord[];

export type CodeState = {
  campaignId: string;
  ownerId: string;
  /** Since when the code is disabled, at the time that was asked for. */
  disabledSince?: string;
};

/** For how long an event waits for its code. */
export const waitDays = 30;
/** A custom code is chosen by somebody who may know which codes are waited for. */
const customCodeWaitDays = 1;

export function toHistory(records: readonly CodeRecord[]): CodeHistory {
  return records.toSorted((a, b) => a.version - b.version);
}

/** The first publication makes the code whose it is, for all events. */
export function originOf(history: CodeHistory): CodeRecord {
  const first = history[0];
  if (!first) throw new Error('a code without a record');
  return first;
}

/**
 * The code as an event received at that time meets it. An event may come before its code. A later
 * change holds from its own time, whenever it arrives here: disabled, or issued again, which
 * enables it.
 */
export function codeAt(history: CodeHistory, receivedAt: string): CodeState {
  const { campaignId, productUserId: ownerId } = originOf(history);
  const at = secondsOf(receivedAt);
  const current = history.findLast((record) => compareDecimal(secondsOf(record.at), at) <= 0);
  return current?.type === 'code-disabled'
    ? { campaignId, ownerId, disabledSince: current.at }
    : { campaignId, ownerId };
}

/**
 * Why the code does not count for an event received at that time: it was issued too long after it.
 * By the times on the log alone, so that it does not matter when somebody looks.
 */
export function issuedTooLate(history: CodeHistory, receivedAt: string): string | undefined {
  const { ucc, at } = originOf(history);
  const received = secondsOf(receivedAt);
  const waited = (days: number) =>
    compareDecimal(secondsOf(at), plusSeconds(received, days * secondsPerDay)) > 0;
  if (waited(waitDays)) return `${waitDays} days`;
  return !isDerivedUccForm(ucc) && waited(customCodeWaitDays) ? '24 hours' : undefined;
}

/** Until when a code must have been issued to count for an event received then. */
export function waitsUntil(receivedAt: string): string {
  return new Date(Date.parse(receivedAt) + waitDays * secondsPerDay * 1_000).toISOString();
}
