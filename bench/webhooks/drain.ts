import { setTimeout as delay } from 'node:timers/promises';
import { cpuSeconds } from '../process-cpu.ts';
import { makeDeliveries } from './deliveries.ts';
import type { Endpoint } from './endpoints.ts';
import { nowMs, type Sink } from './sink.ts';
import type { System, WebhookServers } from './system.ts';

export type Drain = {
  deliveries: number;
  /** From the first request at the sink until the last result is recorded. */
  seconds: number;
  /** Requests that the sink had seen before. */
  repeated: number;
  /** While it drained, by process. */
  cpuSeconds: Record<string, number>;
  postgresBytes: Record<string, number>;
};

/** Loads a system with deliveries that are all due, lets it go, and waits until nothing is left. */
export async function runDrain(options: {
  system: System;
  name: string;
  count: number;
  servers: WebhookServers;
  endpoints: readonly Endpoint[];
  sink: Sink;
  nodeOptions?: string | undefined;
}): Promise<Drain> {
  const { system, name, count, sink, ...rest } = options;
  const opened = await system.open({ name, ...rest });
  try {
    await opened.load(makeDeliveries(name, count, rest.endpoints.length));
    await sink.takeArrivals();
    const used = (): Record<string, number> => ({
      ...opened.cpuSeconds(),
      sink: cpuSeconds(sink.pid),
    });
    const before = used();
    await opened.go();
    await untilReceived(sink, count);
    while (!(await opened.isDone())) await delay(pollMs);
    const endedAt = nowMs();
    const after = used();
    const arrivals = await sink.takeArrivals();
    return {
      deliveries: count,
      seconds: (endedAt - arrivals[0]![1]) / 1_000,
      repeated: arrivals.length - count,
      cpuSeconds: Object.fromEntries(
        Object.entries(after).map(([what, n]) => [what, n - (before[what] ?? 0)]),
      ),
      postgresBytes: await opened.postgresBytes(),
    };
  } finally {
    await opened.close();
  }
}

const pollMs = 10;
const stuckMs = 60_000;

/** The systems are asked only when the sink has everything, so that they are not held up before. */
async function untilReceived(sink: Sink, count: number): Promise<void> {
  for (let last = { count: -1, atMs: nowMs() }; ; await delay(pollMs)) {
    const received = await sink.count();
    if (received >= count) return;
    if (received !== last.count) last = { count: received, atMs: nowMs() };
    if (nowMs() - last.atMs > stuckMs) throw new Error(`stuck at ${received} of ${count}`);
  }
}
