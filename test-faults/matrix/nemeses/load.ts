import { setTimeout as delay } from 'node:timers/promises';
import { patiently } from '@tributary/testkit/patience';
import type { SentRequest } from '../evidence.ts';
import type { Battlefield } from './nemesis.ts';

/** Beside the time between two faults that is drawn. */
const shortestPauseMs = 500;

/** A moment that is drawn. */
export function aMoment({ random }: Battlefield): Promise<void> {
  return delay(shortestPauseMs + random.below(2_000));
}

/** Does it again and again at random moments until the window is over. */
export async function again(field: Battlefield, once: () => Promise<void>): Promise<void> {
  const endsAt = performance.now() + field.windowMs;
  do {
    await aMoment(field);
    await once();
  } while (performance.now() < endsAt);
}

/** What a fault shall hit, and how much of it at least. */
export type Load = { what: string; least: number; count(field: Battlefield): number };

export const events: Load = {
  ...{ what: 'events', least: 4 },
  count: ({ client }) => client.eventsUnderWay(),
};

/** A fifth of all events; so there are few at a time. */
export const legacyEvents: Load = {
  ...{ what: 'events of the older endpoint', least: 1 },
  count: ({ client }) => client.countUnderWay(({ path }) => path === '/events'),
};

export const widgetBoots: Load = {
  ...{ what: 'boots of the widget', least: 2 },
  count: ({ client }) => client.countUnderWay(({ by }) => by === 'user'),
};

export const stripeEvents: Load = {
  ...{ what: 'events of Stripe', least: 2 },
  count: ({ client }) => client.countUnderWay(({ by }) => by === 'stripe'),
};

/** They do one thing after the other. */
export const operators: Load = {
  ...{ what: 'requests of operators', least: 1 },
  count: ({ client }) => client.countUnderWay(({ by }) => by === 'operator'),
};

export const webhooks: Load = {
  ...{ what: 'webhooks', least: 1 },
  count: ({ receiver }) => receiver.underWay(),
};

/**
 * Waits until there is such load, and says how much; undefined when there never is. The caller does
 * the fault in the same turn, before any answer is seen.
 */
export async function underWay(
  field: Battlefield,
  { what, least, count }: Load = events,
): Promise<string | undefined> {
  const deadline = performance.now() + patiently(30_000);
  while (count(field) < least) {
    if (performance.now() > deadline) return undefined;
    await delay(1);
  }
  return `${count(field)} ${what} under way, ${field.client.requests.length} requests before`;
}

/** ingest-api reads its keys from the log before it accepts keyed requests again. */
export async function keysAreTaken({ client }: Battlefield): Promise<void> {
  const since = new Date().toISOString();
  const deadline = performance.now() + patiently(60_000);
  const isTaken = () =>
    client.requests.some(({ sentAt, key, outcome }) => {
      return sentAt > since && key !== undefined && outcome === 'ok';
    });
  while (!isTaken()) {
    if (performance.now() > deadline) throw new Error('nothing with a key is accepted any more');
    await delay(200);
  }
}

/** Events that were sent after that time, and accepted. */
export function acceptedAnew({ client: { requests } }: Battlefield, since: string): SentRequest[] {
  const before = requests.filter(({ sentAt }) => sentAt <= since);
  // A repeat of what was accepted before, under its key, gets the same answer again.
  const isRepeat = ({ tenantId, key }: SentRequest) =>
    key !== undefined && before.some((one) => one.tenantId === tenantId && one.key === key);
  return requests.filter(
    (one) =>
      one.sentAt > since &&
      one.by === 'customer' &&
      one.method === 'POST' &&
      one.outcome === 'ok' &&
      !isRepeat(one),
  );
}
