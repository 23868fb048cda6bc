import { setTimeout as delay } from 'node:timers/promises';
import type { EventRecord } from '@tributary/contracts/event-record';
import type { Fact, Topics } from '../chain/topics.ts';

/** As if it had come in this moment, told by whoever was late with it. */
export function receivedNow<F extends Fact>(fact: F): F {
  const now = new Date().toISOString();
  if ('eventType' in fact) return { ...fact, receivedAt: now };
  return 'ucc' in fact ? { ...fact, at: now } : fact;
}

/**
 * Appends these steadily, each as received in its moment, until all are appended or the returned
 * function is called; it resolves with what was.
 */
export function flow(
  topics: Topics,
  facts: readonly Fact[],
  perSecond: number,
): { rest(): Promise<EventRecord[]>; end(): Promise<EventRecord[]> } {
  const appended: EventRecord[] = [];
  let over = false;
  const flowing = (async () => {
    const startedAt = performance.now();
    const chunk = Math.ceil(perSecond / 10);
    for (let from = 0; from < facts.length && !over; from += chunk) {
      const part = facts.slice(from, from + chunk).map(receivedNow);
      await topics.append(part);
      appended.push(...part.filter((fact): fact is EventRecord => 'eventType' in fact));
      const dueIn = startedAt + ((from + chunk) / perSecond) * 1_000 - performance.now();
      if (dueIn > 1) await delay(dueIn);
    }
    return appended;
  })();
  return {
    rest: () => flowing,
    end() {
      over = true;
      return flowing;
    },
  };
}
