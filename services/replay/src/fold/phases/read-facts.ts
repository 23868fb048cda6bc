import type { EventRecord } from '@tributary/contracts/event-record';
import { type Cut, isInTime } from '../cut.ts';
import { readSpooled, recordOf, type Spooled } from '../store/spooled.ts';
import type { Store } from '../store/store.ts';

/** Records of a shard in the order of the log, copies too. */
export function readEvents(log: Store, cut: Cut, shard: number): Spooled[] {
  return readSpooled(log, 'events', { name: `events/${shard}`, cut });
}

/** Distinct events of one user in the cut; of copies the first, as the service does. */
export function distinctEvents(cut: Cut, entries: readonly Spooled[]): EventRecord[] {
  const events = new Map<string, EventRecord>();
  for (const entry of entries) {
    const event = recordOf<EventRecord>(entry);
    if (isInTime(cut, event.receivedAt) && !events.has(event.eventId)) {
      events.set(event.eventId, event);
    }
  }
  return [...events.values()];
}
