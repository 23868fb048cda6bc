import { setTimeout as delay } from 'node:timers/promises';
import { percentile } from '../report.ts';
import { type Delivery, makeDelivery } from './deliveries.ts';
import type { Endpoint } from './endpoints.ts';
import { nowMs, type Sink } from './sink.ts';
import type { OpenSystem, System, WebhookServers } from './system.ts';

export type Latency = { p50Ms: number; p99Ms: number };

export type Isolation = { undisturbed: Latency; beside: Latency };

export const hanging = 128;
export const fast = 2_000;
export const perSecond = 200;
const warmUp = 400;

/**
 * How long a delivery takes from the moment at which it is handed over until the receiver has it,
 * first without anything else, then while `hanging` deliveries to one endpoint wait for an answer.
 *
 * @param hangsAt the number of the endpoint that does not answer
 */
export async function runIsolation(options: {
  system: System;
  name: string;
  servers: WebhookServers;
  endpoints: readonly Endpoint[];
  hangsAt: number;
  sink: Sink;
}): Promise<Isolation> {
  const { system, name, hangsAt, sink, ...rest } = options;
  const opened = await system.open({ name, ...rest });
  const others = rest.endpoints.flatMap((_, n) => (n === hangsAt ? [] : [n]));
  const steady = (series: string, count: number) =>
    Array.from({ length: count }, (_, n) =>
      makeDelivery(`${name}-${series}`, n, others[n % others.length]!),
    );
  try {
    await opened.go();
    await measure(opened, sink, steady('warm-up', warmUp));
    const undisturbed = await measure(opened, sink, steady('undisturbed', fast));
    for (let n = 0; n < hanging; n++) {
      await opened.enqueue(makeDelivery(`${name}-hanging`, n, hangsAt));
    }
    // Some may hang, some may wait for a slot: whatever the system does with them.
    await delay(500);
    const beside = await measure(opened, sink, steady('beside', fast));
    return { undisturbed, beside };
  } finally {
    await opened.close();
  }
}

/** Hands deliveries over at a steady rate, whether or not earlier ones have arrived. */
async function measure(
  opened: OpenSystem,
  sink: Sink,
  deliveries: readonly Delivery[],
): Promise<Latency> {
  const handedOverMs = new Map<string, number>();
  const handedOver: Promise<void>[] = [];
  const startedMs = nowMs();
  for (const [n, delivery] of deliveries.entries()) {
    const waitMs = startedMs + (n * 1_000) / perSecond - nowMs();
    if (waitMs > 1) await delay(waitMs);
    handedOverMs.set(delivery.webhookEventId, nowMs());
    handedOver.push(opened.enqueue(delivery));
  }
  await Promise.all(handedOver);
  const waits = new Map<string, number>();
  const deadlineMs = nowMs() + 60_000;
  while (waits.size < deliveries.length) {
    for (const [eventId, atMs] of await sink.takeArrivals()) {
      const since = handedOverMs.get(eventId);
      if (since !== undefined && !waits.has(eventId)) waits.set(eventId, atMs - since);
    }
    if (nowMs() > deadlineMs) throw new Error(`${waits.size} of ${deliveries.length} received`);
    await delay(20);
  }
  const all = [...waits.values()];
  return { p50Ms: percentile(all, 50), p99Ms: percentile(all, 99) };
}
