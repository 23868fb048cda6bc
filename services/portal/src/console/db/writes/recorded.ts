import type { Incoming } from '@tributary/event-log/projection';
import { timeKeyOf } from '@tributary/generations/read-model-keys';

/** A record, and when the log got it, as columns have it. */
export type Recorded<T> = { record: T; recordedAt: string };

/** Only people are erased by tombstones; elsewhere one says nothing. */
export function recordedOf<T>(batch: readonly Incoming[]): Recorded<T>[] {
  return batch.flatMap(({ value, timestampMs }) =>
    value === null ? [] : [{ record: value as T, recordedAt: timeKeyOfMs(timestampMs) }],
  );
}

function timeKeyOfMs(timestampMs: number): string {
  return timeKeyOf(new Date(timestampMs).toISOString());
}
