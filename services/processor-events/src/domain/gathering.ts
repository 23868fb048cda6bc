import type { FetchedType, StripeLines, StripeObject } from '@tributary/contracts/processor-record';
import type { LookUp, Need, Reading } from './model.ts';

type Asked<T extends FetchedType> = T extends 'invoice-lines' | 'session-lines'
  ? StripeLines
  : Extract<StripeObject, { object: T }>;

/**
 * Collects for one item what is known, what is still to be asked for, and when all of it was known.
 */
export type Gathering = {
  readonly needs: Need[];
  /**
   * What Stripe has of this id; null when it has none, or none that is understood. Undefined when
   * it is not known yet, or only from before `since`: then it is one of the `needs`.
   */
  ask<T extends FetchedType>(type: T, id: string, since?: string): Asked<T> | null | undefined;
  /** What is known already, however old; asks for nothing. */
  peek<T extends FetchedType>(type: T, id: string): Asked<T> | null;
  /** The latest of the item and of all that was used: when the fact could be known. */
  receivedAt(): string;
};

export function startGathering(itemReceivedAt: string, lookUp: LookUp): Gathering {
  const needs: Need[] = [];
  let latest = itemReceivedAt;

  function use<T extends FetchedType>(type: T, reading: Reading): Asked<T> | null {
    if (reading.receivedAt > latest) latest = reading.receivedAt;
    return isAsked(type, reading.object) ? reading.object : null;
  }

  return {
    needs,
    ask(type, id, since) {
      const reading = lookUp.reading(type, id);
      if (reading && (since === undefined || reading.receivedAt >= since)) {
        return use(type, reading);
      }
      needs.push(since === undefined ? { type, id } : { type, id, since });
      return undefined;
    },
    peek(type, id) {
      const reading = lookUp.reading(type, id);
      return reading ? use(type, reading) : null;
    },
    receivedAt: () => latest,
  };
}

function isAsked<T extends FetchedType>(type: T, object: StripeObject): object is Asked<T> {
  return object.object === type;
}

/** What a need says that only a newer answer than this one can meet. */
export function afterReading(reading: Reading | undefined): { since?: string } {
  return reading ? { since: shifted(reading.receivedAt, 1) } : {};
}

/** UTC with milliseconds. */
export function shifted(timestamp: string, byMs: number): string {
  return new Date(Date.parse(timestamp) + byMs).toISOString();
}
