import type { Evidence } from '../evidence.ts';

/** Something that happened in a row, and when. */
export type Moment = {
  kind: 'began' | 'fired' | 'undone' | 'silent' | 'recovered';
  /** Milliseconds since the epoch. */
  atMs: number;
  says: string;
};

/** What happened in a row, in order of time. */
export function momentsOf(evidence: Evidence): Moment[] {
  const { row } = evidence;
  const moments: Moment[] = row.fired.map(({ at, what }) => ({
    ...{ kind: 'fired', atMs: Date.parse(at), says: `proved: ${what}` },
  }));
  const add = (kind: Moment['kind'], atMs: number, says: string) =>
    moments.push({ kind, atMs, says });
  if (row.beganAt !== undefined) add('began', Date.parse(row.beganAt), 'the fault begins');
  const loadEndedMs = Date.parse(row.loadEndedAt);
  if (!Number.isNaN(loadEndedMs)) {
    add('silent', loadEndedMs, 'traffic has ended: the last request of customers is over');
  }
  const undone = undoneMs(evidence);
  if (undone !== undefined) {
    const isExact = row.undoneAt !== undefined;
    const about = isExact
      ? ''
      : ' (reckoned back from the first repeat after it, so up to half a second late)';
    add('undone', undone, `the fault begins to be undone; the recovery counts from here${about}`);
    if (row.recoveredMs !== undefined) {
      const took = `${(row.recoveredMs / 1_000).toFixed(1)} s`;
      const says = `recovered, after ${took}: all is ready, read, sent and delivered; some requests are repeated then`;
      add('recovered', undone + row.recoveredMs, says);
    }
  }
  // At the same millisecond a fault is done before it is undone, and undone before it is over.
  const order: Moment['kind'][] = ['began', 'fired', 'undone', 'silent', 'recovered'];
  return moments.sort((a, b) => a.atMs - b.atMs || order.indexOf(a.kind) - order.indexOf(b.kind));
}

/** Older evidence has the length of the recovery, and the requests that are repeated at its end. */
function undoneMs({ row, requests }: Evidence): number | undefined {
  if (row.undoneAt !== undefined) return Date.parse(row.undoneAt);
  const repeated = requests.find(({ sentAt }) => sentAt > row.loadEndedAt);
  if (repeated === undefined || row.recoveredMs === undefined) return undefined;
  return Date.parse(repeated.sentAt) - row.recoveredMs;
}
