import type { LogTime } from '@tributary/event-log/appender';
import type { Tx } from '@tributary/runtime/postgres';
import { readDatabaseTime } from './database-time.ts';

/**
 * What time it is for everything that moves money: the database's time, which all processes share.
 * That clock may be wrong as well, and then it would pay holds before their end. So it is
 * compared with two others: this process's, and the one by which the brokers stamp what is
 * appended. Nobody can tell which of two clocks is wrong; while they are further apart than
 * {@link maxSkewMs}, nothing may be paid, and a person must look (decision 28).
 *
 * Positive skew: the database is ahead.
 */
export type CheckedTime = { now: Date; differ?: string };
/** In milliseconds; of the log, undefined when nothing was appended lately. */
export type Skews = { process: number; log: number | undefined; differ: boolean };
export type TimeOf = (tx: Tx) => Promise<CheckedTime>;

/** Clocks that are kept by NTP are milliseconds apart, and the shortest hold is a day. */
export const maxSkewMs = 60_000;
/** An older acknowledgement says nothing: clocks drift. */
const logTimeHoldsMs = 600_000;
/**
 * Nor does one from before the machine slept or was paused: the monotonic clock stood still then,
 * and the wall clock has moved away from it. Whoever is not allowed to release appends nothing that
 * would renew it.
 */
const maxDriftMs = 5_000;

export function createClockCheck(options: {
  /** The time of this process's last append. */
  logTime: () => LogTime | undefined;
  onCompared: (skews: Skews) => void;
}): TimeOf {
  const { logTime, onCompared } = options;

  return async function timeOf(tx) {
    const [sentAt, sentMs] = [Date.now(), performance.now()];
    const now = await readDatabaseTime(tx);
    const [receivedAt, receivedMs] = [Date.now(), performance.now()];
    const ofProcess = skewOf(now, { from: sentAt, to: receivedAt });
    const ofLog = skewOfLog(now, { sentMs, receivedMs, receivedAt }, logTime());
    const wrong = [
      ...differenceOf(ofProcess, "this process's"),
      ...(ofLog === undefined ? [] : differenceOf(ofLog, "the brokers'")),
    ];
    onCompared({ process: ofProcess, log: ofLog, differ: wrong.length > 0 });
    if (wrong.length === 0) return { now };
    return { now, differ: `the database's clock is ${wrong.join(' and ')}` };
  };
}

/**
 * `asked`: when, by the monotonic clock, the database was asked and had answered, the latter also
 * by the wall clock.
 */
export function skewOfLog(
  now: Date,
  asked: { sentMs: number; receivedMs: number; receivedAt: number },
  logTime: LogTime | undefined,
): number | undefined {
  if (logTime === undefined) return undefined;
  const { at, sentMs, sentAt, looseMs } = logTime;
  const elapsedMs = asked.receivedMs - sentMs;
  const driftMs = asked.receivedAt - sentAt.getTime() - elapsedMs;
  if (elapsedMs > logTimeHoldsMs || Math.abs(driftMs) > maxDriftMs) return undefined;
  return skewOf(now, {
    from: at.getTime() + asked.sentMs - sentMs - looseMs,
    to: at.getTime() + elapsedMs,
  });
}

/** How far it is outside of the span in which the other clock was read. */
function skewOf(now: Date, span: { from: number; to: number }): number {
  const nowMs = now.getTime();
  if (nowMs > span.to) return nowMs - span.to;
  return nowMs < span.from ? nowMs - span.from : 0;
}

function differenceOf(skewMs: number, whose: string): string[] {
  if (Math.abs(skewMs) <= maxSkewMs) return [];
  return [`${describeMs(Math.abs(skewMs))} ${skewMs > 0 ? 'ahead of' : 'behind'} ${whose}`];
}

function describeMs(ms: number): string {
  const days = ms / 86_400_000;
  if (days >= 2) return `${Math.round(days)} days`;
  return ms >= 7_200_000 ? `${Math.round(ms / 3_600_000)} hours` : `${Math.round(ms / 1_000)} s`;
}
