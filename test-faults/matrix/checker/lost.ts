import { type EventRecord, eventCodec } from '@tributary/contracts/event-record';
import type { Evidence } from '../evidence.ts';
import { distinctEvents } from './reported-events.ts';

/**
 * Accepted events that the only broker lost, which the row has taken from its log; not those that
 * are there all the same, as after another try.
 */
export function lostEvents(evidence: Evidence): EventRecord[] {
  const onLog = new Set(distinctEvents(evidence).map(({ eventId }) => eventId));
  const found = new Map<string, EventRecord>();
  for (const { value } of evidence.lost ?? []) {
    const decoded = eventCodec.decode(Buffer.from(value));
    if (decoded.outcome !== 'record' || onLog.has(decoded.value.eventId)) continue;
    found.set(decoded.value.eventId, decoded.value);
  }
  return [...found.values()];
}

/** Where a log was cut and nobody has said it: each service that had read further must. */
export function unsaidLosses({ lost = [], logs }: Evidence): string[] {
  const places = new Set(lost.map(({ topic, partition }) => `${topic}/${partition}`));
  return [...places].flatMap((place) =>
    ['attribution', 'portal']
      .filter((service) => !says(logs[`${service}.log`] ?? '', place))
      .map((service) => `${service} has not said that ${place} lost its end`),
  );
}

function says(log: string, place: string): boolean {
  return log
    .split('\n')
    .some((line) => line.includes('alert: partition stopped') && line.includes(place));
}
