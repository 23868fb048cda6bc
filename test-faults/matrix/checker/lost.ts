import { type EventRecord, eventCodec } from '@tributary/contracts/event-record';
import type { Evidence } from '../evidence.ts';
import { distinctEvents } from './reported-events.ts';

/**
 * Accepted events that the only broker lost, which the row has taken from its log; not those that
 * are there all the same, as after another try.
 */
export function lostEvents(evidence: Evidence): EventRecord[] {
  const { lost = [] } = evidence;
  if (lost.length === 0) return [];
  const onLog = new Set(distinctEvents(evidence).map(({ eventId }) => eventId));
  const found = new Map<string, EventRecord>();
  for (const { value } of lost) {
    const decoded = eventCodec.decode(Buffer.from(value));
    if (decoded.outcome !== 'record' || onLog.has(decoded.value.eventId)) continue;
    found.set(decoded.value.eventId, decoded.value);
  }
  return [...found.values()];
}

/** Where a log was cut and nobody has said it: each service that had read further must. */
export function unsaidLosses({ lost = [], logs }: Pick<Evidence, 'lost' | 'logs'>): string[] {
  const places = new Set(lost.map(({ topic, partition }) => `${topic}/${partition}`));
  return [...places].flatMap((place) =>
    ['attribution', 'portal']
      .filter((service) => !saysStopped(logs[`${service}.log`] ?? '', 'refused', place))
      .map((service) => `${service} has not said that ${place} lost its end`),
  );
}

/** Whether a service has written that it stopped at `topic/partition`, for that reason. */
export function saysStopped(
  log: string,
  reason: 'refused' | 'newer-schema',
  place: string,
): boolean {
  return log.includes(`alert: partition stopped (${reason}): ${place}: `);
}
