/** What was seen of an overload; times in milliseconds. */
export type Overload = {
  /** Accepted per second before, at no more than the system takes. */
  capacityPerSecond: number;
  /** Requests sent per second. */
  offeredPerSecond: number;
  /** Answers by status. */
  statuses: ReadonlyMap<number, number>;
  /** Requests without any answer, by what happened instead. */
  unanswered: ReadonlyMap<string, number>;
  acceptedP99Ms: number;
  /** Resident memory of ingest-api, at equal intervals from the start. */
  residentMiB: readonly number[];
  log: OnLog;
};

export type OnLog = {
  accepted: number;
  /** Accepted and never on the log. */
  lost: number;
  /** Further records of an event under its key, as a repeated append leaves them. */
  copies: number;
  /** Idempotency keys with another event id than before, and event ids with another key. */
  doubled: number;
  /** Accepted with an event id that another key's record has. */
  mistaken: number;
};

export type Kept = { promise: string; kept: boolean; seen: string };

/** As long as the clients that we ship wait for an answer. */
export const patienceMs = 10_000;
/** What was meant to be twice the capacity; clients that wait for answers do not send meanwhile. */
const leastOffered = 1.8;
const allowedStatuses = new Set([202, 503]);

/** Each with what was seen of it; the benchmark fails when one was not kept. */
export function promisesOf(seen: Overload): Kept[] {
  const { log, residentMiB, capacityPerSecond, offeredPerSecond } = seen;
  const others = [...seen.statuses].filter(([status]) => !allowedStatuses.has(status));
  const unexpected = [...others, ...seen.unanswered].map(([what, count]) => `${count} × ${what}`);
  const memory = memoryOf(residentMiB);
  const offered = offeredPerSecond / capacityPerSecond;
  return [
    {
      promise: `the load was at least ${leastOffered} times the capacity`,
      kept: offered >= leastOffered,
      seen: `${offered.toFixed(2)} times`,
    },
    {
      promise: 'only 202 and 503 are answered',
      kept: unexpected.length === 0,
      seen: unexpected.length === 0 ? 'nothing else' : unexpected.join(', '),
    },
    {
      promise: `99 % of the accepted are answered within ${patienceMs / 1_000} s`,
      kept: log.accepted > 0 && seen.acceptedP99Ms <= patienceMs,
      seen: `${Math.round(seen.acceptedP99Ms)} ms`,
    },
    {
      promise: 'memory of ingest-api stays flat',
      kept: memory.isFlat,
      seen: `${memory.earlierMiB} MiB at most, then ${memory.laterMiB} MiB`,
    },
    {
      promise: 'every accepted event is on the log, and is one event',
      kept: log.accepted > 0 && log.lost + log.doubled + log.mistaken === 0,
      seen: `${log.accepted} accepted, ${log.lost} lost, ${log.doubled} doubled, ${log.mistaken} mistaken, ${log.copies} copies`,
    },
  ];
}

/** A heap breathes: what is compared is the most of two equal stretches. */
const allowedGrowth = 1.15;

/**
 * The first fifth is left out, in which the process grows to its working size. Of the rest, the
 * most of the second half is compared with that of the first.
 */
export function memoryOf(residentMiB: readonly number[]): {
  isFlat: boolean;
  earlierMiB: number;
  laterMiB: number;
} {
  const settled = residentMiB.slice(Math.floor(residentMiB.length / 5));
  const half = Math.floor(settled.length / 2);
  const earlierMiB = Math.max(0, ...settled.slice(0, half));
  const laterMiB = Math.max(0, ...settled.slice(half));
  return { isFlat: half > 0 && laterMiB <= earlierMiB * allowedGrowth, earlierMiB, laterMiB };
}

/**
 * Compares what was accepted (event ids by idempotency key) with all records of the log. A request
 * that was answered with 503 has left none or one; one that was accepted has left one, under the
 * event id of its answer. Of either there may be copies: a broker may have kept what it did not
 * acknowledge in time, and readers drop them by their event id.
 */
export function compareWithLog(
  accepted: ReadonlyMap<string, string>,
  records: Iterable<{ key: string; eventId: string }>,
): OnLog {
  const byKey = new Map<string, string>();
  const eventIds = new Set<string>();
  let copies = 0;
  let doubled = 0;
  for (const { key, eventId } of records) {
    if (byKey.get(key) === eventId) copies += 1;
    else if (byKey.has(key) || eventIds.has(eventId)) doubled += 1;
    byKey.set(key, eventId);
    eventIds.add(eventId);
  }
  let lost = 0;
  let mistaken = 0;
  for (const [key, eventId] of accepted) {
    const found = byKey.get(key);
    if (found === undefined) lost += 1;
    else if (found !== eventId) mistaken += 1;
  }
  return { accepted: accepted.size, lost, copies, doubled, mistaken };
}
