import type { Need } from './model.ts';
import { nextAsking } from './next-asking.ts';
import { isOpen, type KeptItem, readingKey, type Subject } from './fold-subject.ts';

/** What is to be asked for a subject, and when at the earliest. */
export type WantedNeed = Need & { connectionId: string; dueAt: string };

/**
 * What the open items of a subject need, each thing once: an answer must be young enough for all of
 * them, and is asked for when the first of them wants it. All open items must be there.
 */
export function wantedNeeds(subject: Subject): WantedNeed[] {
  const wanted = new Map<string, WantedNeed>();
  const { lastEventAt, lastConnectionId: connectionId } = subject;
  const items = [...subject.items.values()].filter(isOpen).sort(byAge);
  for (const kept of items) {
    for (const need of kept.needs) {
      const key = readingKey(need.type, need.id);
      const reading = subject.readings.get(key) ?? undefined;
      const knownSince = reportedAt(kept);
      const asking = nextAsking({ ...kept, knownSince, lastEventAt }, need, reading);
      if (!asking) continue;
      const younger = { ...asking.need, connectionId, dueAt: asking.dueAt };
      wanted.set(key, join(wanted.get(key), younger));
    }
  }
  return [...wanted.values()];
}

/** Each refund of a charge is news, however long the charge is known. */
function reportedAt({ item, knownSince }: KeptItem): string {
  return item.type === 'charge' ? item.receivedAt : knownSince;
}

function join(older: WantedNeed | undefined, younger: WantedNeed): WantedNeed {
  if (!older) return younger;
  const since = [older.since, younger.since]
    .filter((time) => time !== undefined)
    .sort()
    .at(-1);
  return {
    type: younger.type,
    id: younger.id,
    connectionId: younger.connectionId,
    dueAt: older.dueAt < younger.dueAt ? older.dueAt : younger.dueAt,
    ...(since !== undefined && { since }),
  };
}

function byAge(a: KeptItem, b: KeptItem): number {
  if (a.knownSince !== b.knownSince) return a.knownSince < b.knownSince ? -1 : 1;
  return a.item.itemId < b.item.itemId ? -1 : 1;
}
