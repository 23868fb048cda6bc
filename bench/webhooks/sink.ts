import { join } from 'node:path';
import { startChild } from './child.ts';

export type SinkSettings = { endpoints: number; hangMs: number };

/** Event id, and when its request was there, by `nowMs`; in this order. */
export type Arrivals = [eventId: string, atMs: number][];

export type Sink = Awaited<ReturnType<typeof startSink>>;

/** One process that receives for all endpoints, each of which has a port of its own. */
export async function startSink(options: SinkSettings & { logs: string }) {
  const { logs, ...settings } = options;
  const child = await startChild({
    script: './sink-process.ts',
    settings,
    logFile: join(logs, 'sink.log'),
  });
  const ports = (await child.ask('ports')) as number[];
  return {
    pid: child.pid,
    urlOf: (endpoint: number, hangs = false) =>
      `http://127.0.0.1:${ports[endpoint]}/${hangs ? 'hang' : 'webhooks'}`,
    count: async () => (await child.ask('count')) as number,
    takeArrivals: async () => (await child.ask('takeArrivals')) as Arrivals,
    stop: () => child.kill(),
  };
}

/** The machine's monotonic clock, which all processes share. */
export function nowMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
