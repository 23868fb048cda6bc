import { cutFraction } from '@tributary/contracts/cut-fraction';
import { compareDecimal } from '@tributary/contracts/canonical-order';
import type { EventRecord } from '@tributary/contracts/event-record';
import type { FoldVersion } from './fold-version.ts';
import { secondsOf } from './seconds.ts';

type Moment = { seconds: string; text: string };

/**
 * The time whose campaign revision and attribution mode decide the event. From version 2 on it is
 * never later than the receipt: an event that is dated 2090 would otherwise be decided again by
 * each revision until then, and lose what it had earned.
 */
export function inForceAt(event: EventRecord, version: FoldVersion): Moment {
  const { occurredAtSeconds, receivedAt } = event;
  const occurredAt = cutFraction(event.occurredAt);
  if (version >= 2) {
    const received = secondsOf(receivedAt);
    if (compareDecimal(received, occurredAtSeconds) < 0) {
      return {
        seconds: received,
        text: `${receivedAt}, when the event was received (it is dated later, ${occurredAt})`,
      };
    }
  }
  return { seconds: occurredAtSeconds, text: occurredAt };
}
