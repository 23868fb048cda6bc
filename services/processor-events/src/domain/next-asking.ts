import type { Need, Reading, Verdict } from './model.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** Ages of an item at which what it needs is asked again, though there is an answer. */
const againAtAgesMs = [
  minuteMs,
  10 * minuteMs,
  hourMs,
  6 * hourMs,
  dayMs,
  3 * dayMs,
  7 * dayMs,
  // A bank debit may take two weeks.
  14 * dayMs,
  // Every 30 days from there, while it is not older than 90.
  37 * dayMs,
  67 * dayMs,
];

/** What an item has of questions and answers. */
export type Asking = {
  state: Verdict['state'];
  reason: string | null;
  /** When its first telling was received, UTC with milliseconds. */
  knownSince: string;
  /** When the last event about its customer was; what a customer has may have changed with it. */
  lastEventAt: string;
};

/**
 * When to ask for what an item needs (UTC, ms), and for how young an answer: at once while there is
 * no answer that counts; with one, which was not enough, at the next of some ages of the item; null
 * when it is too old for all of them. By times of the log alone, so that it is the same after a
 * rebuild.
 */
export function nextAsking(
  item: Asking,
  need: Need,
  reading: Reading | undefined,
): { need: Need; dueAt: string } | null {
  const { knownSince } = item;
  if (!reading) return { need, dueAt: knownSince };
  if (!isToWait(item)) {
    const isAnswered = need.since === undefined || reading.receivedAt >= need.since;
    if (!isAnswered) return { need, dueAt: knownSince };
  }
  const changedAt = need.type === 'customer' ? later(item.lastEventAt, knownSince) : knownSince;
  if (reading.receivedAt < changedAt) {
    return { need: { ...need, since: later(need.since, changedAt) }, dueAt: changedAt };
  }
  const startMs = Date.parse(knownSince);
  const ageMs = Date.parse(reading.receivedAt) - startMs;
  const againMs = againAtAgesMs.find((atMs) => atMs > ageMs);
  return againMs === undefined ? null : { need, dueAt: new Date(startMs + againMs).toISOString() };
}

/** What was read is the truth for now; only time, or an event, changes it. */
function isToWait({ state, reason }: Asking): boolean {
  return state === 'unmatched' || (state === 'waiting' && reason === 'unpaid');
}

/** The later of two moments in UTC with milliseconds. */
function later(a: string | undefined, b: string): string {
  return a !== undefined && a > b ? a : b;
}
