import type { Delivery } from './deliveries.ts';
import type { Endpoint } from './endpoints.ts';
import type { BenchServers } from '../pipeline/servers.ts';

/** Whatever delivers webhooks, so that all can be asked the same. */
export type System = {
  name: string;
  /** The settings that matter, for the report. */
  about: string;
  /** Ready to send, in a place of its own; sends nothing before `go`. */
  open(place: Place): Promise<OpenSystem>;
};

export type Place = {
  /** Names this run's topics, databases and queues. */
  name: string;
  servers: WebhookServers;
  endpoints: readonly Endpoint[];
  /** Where a profile of the sender goes. */
  nodeOptions?: string | undefined;
};

export type WebhookServers = BenchServers & { redis: { url: string; pid: number } };

export type OpenSystem = {
  /** Puts very many there before anything is sent. */
  load(deliveries: readonly Delivery[]): Promise<void>;
  go(): Promise<void>;
  /** One more, while it sends; resolves when the system has it for good. */
  enqueue(delivery: Delivery): Promise<void>;
  /** All that it was given is sent, and the result of each is recorded. */
  isDone(): Promise<boolean>;
  /** What its processes have used so far. */
  cpuSeconds(): Record<string, number>;
  /** What deliveries and attempts take in Postgres. */
  postgresBytes(): Promise<Record<string, number>>;
  close(): Promise<void>;
};
