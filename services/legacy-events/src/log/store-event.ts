import { type EventRecord, eventCodec } from '@tributary/contracts/event-record';
import { type PersonRecord, personCodec } from '@tributary/contracts/people-record';
import { recordKey } from '@tributary/contracts/topics';
import { type Appender, AppendRefused } from '@tributary/event-log/appender';

export type StoreEvent = (
  event: EventRecord,
  person: PersonRecord | undefined,
) => Promise<{ outcome: 'stored' } | { outcome: 'refused'; cause: Error }>;

/** Event and person in one append: both acknowledged, or the caller is told to send again. */
export function createStoreEvent(options: {
  appender: Appender;
  /** Names on the broker. */
  topics: { events: string; people: string };
}): StoreEvent {
  const { appender, topics } = options;
  return async (event, person) => {
    const key = recordKey(event.tenantId, event.newUser.id);
    const entries = [{ topic: topics.events, key, value: eventCodec.encode(event) }];
    if (person) entries.push({ topic: topics.people, key, value: personCodec.encode(person) });
    try {
      await appender.append(entries);
      return { outcome: 'stored' };
    } catch (error) {
      if (error instanceof AppendRefused) return { outcome: 'refused', cause: error };
      throw error;
    }
  };
}
