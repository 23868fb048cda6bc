import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { createAppender } from '@tributary/event-log/appender';
import { connectTo, silentLogger } from '@tributary/event-log/testing';
import { eventually } from '@tributary/testkit/eventually';
import { expect } from 'chai';
import { Redis } from 'ioredis';
import { topics as topicTable } from '@tributary/contracts/topics';
import type { Stack } from '../../deploy/local/stack.ts';
import type { ServiceName } from '../../deploy/local/service-table.ts';
import type { Random } from '../chain/random.ts';
import { isAlive } from '../is-alive.ts';
import type { Client } from './client.ts';
import type { Evidence } from './evidence.ts';
import type { Receiver } from './receiver.ts';

/** What a fault may use while customers go on. */
export type Battlefield = {
  stack: Stack;
  random: Random;
  client: Client;
  receiver: Receiver;
  poison: Evidence['poison'];
  /** How long the fault lasts, if that is a matter of choice. */
  windowMs: number;
  /** Called each time that the fault was done, with what proves it. */
  fired(what: string): void;
  /**
   * Called when the fault begins to be undone; the recovery is counted from the last time, or from
   * the end of the fault if it is never called. Starting a process again is part of the recovery.
   */
  undoing(): void;
};

export type Nemesis = {
  name: string;
  says: string;
  /** Does the fault, undoes it, and resolves when it is undone. */
  run(field: Battlefield): Promise<void>;
};

/** Beside the time between two faults that is drawn. */
const shortestPauseMs = 500;

/** Does it again and again at random moments until the window is over. */
async function again(field: Battlefield, once: () => Promise<void>): Promise<void> {
  const endsAt = performance.now() + field.windowMs;
  do {
    await delay(shortestPauseMs + field.random.below(2_000));
    await once();
  } while (performance.now() < endsAt);
}

function killService(name: ServiceName): Nemesis {
  return {
    name: `kill-${name}`,
    says: `SIGKILL of ${name} under load, again and again`,
    run: (field) =>
      again(field, async () => {
        const [replica] = field.stack.services[name].replicas;
        const { pid } = replica!;
        const load = await requestsUnderWay(field);
        const exit = await replica!.kill('SIGKILL');
        if (exit.signal === 'SIGKILL' && load !== undefined) {
          field.fired(`${name} (pid ${pid}) ended by SIGKILL, ${load}`);
        }
        await delay(field.random.below(1_000));
        field.undoing();
        await replica!.restart();
      }),
  };
}

/** The least that a fault shall hit. */
const leastUnderWay = 4;

/**
 * Waits until events of customers are under way, and says how many; undefined when there never are.
 * The caller does the fault in the same turn, before any answer is seen.
 */
async function requestsUnderWay({ client }: Battlefield): Promise<string | undefined> {
  const deadline = performance.now() + 30_000;
  while (client.eventsUnderWay() < leastUnderWay) {
    if (performance.now() > deadline) return undefined;
    await delay(1);
  }
  return `${client.eventsUnderWay()} events under way, ${client.requests.length} requests before`;
}

function killServer(name: 'kafka' | 'redis' | 'postgres', awayMs: number): Nemesis {
  return {
    name: `kill-${name}`,
    says: `SIGKILL of ${name} under load; it is back ${awayMs} ms later, on its data`,
    async run(field) {
      const server = field.stack.servers[name];
      await delay(shortestPauseMs + field.random.below(2_000));
      const { pid } = server;
      const load = await requestsUnderWay(field);
      await server.kill();
      if (!isAlive(pid) && load !== undefined) field.fired(`${name} (pid ${pid}) is gone, ${load}`);
      await delay(awayMs);
      field.undoing();
      await server.restart();
      if (name === 'redis') await keysAreTaken(field);
    },
  };
}

/** ingest-api reads its keys from the log before it accepts keyed requests again. */
async function keysAreTaken({ client }: Battlefield): Promise<void> {
  const since = new Date().toISOString();
  const deadline = performance.now() + 60_000;
  const isTaken = () =>
    client.requests.some(({ sentAt, key, outcome }) => {
      return sentAt > since && key !== undefined && outcome === 'ok';
    });
  while (!isTaken() && performance.now() < deadline) await delay(200);
}

const flushRedis: Nemesis = {
  name: 'flush-redis',
  says: 'all idempotency keys are removed from Redis',
  async run(field) {
    const redis = new Redis(field.stack.servers.redis.url);
    try {
      await delay(shortestPauseMs + field.random.below(2_000));
      const before = await redis.dbsize();
      const load = await requestsUnderWay(field);
      await redis.flushall();
      field.undoing();
      if (before > 0 && load !== undefined) field.fired(`${before} keys of Redis removed, ${load}`);
    } finally {
      redis.disconnect();
    }
    await keysAreTaken(field);
  },
};

/** What no reader of these topics can take for a record; each is put aside, and nothing waits. */
const poisonOf: Record<string, (mark: string) => string> = {
  'bad JSON': (mark) => `{"schemaVersion":1,"poison":"${mark}",`,
  'no record of this schema': (mark) => JSON.stringify({ schemaVersion: 1, poison: mark }),
  'a version that is none': (mark) => JSON.stringify({ schemaVersion: 'x', poison: mark }),
  'a NUL and half a surrogate': (mark) =>
    `{"schemaVersion":1,"ucc":"\\u0000\\ud800","poison":"${mark}"}`,
  '900 kB of garbage': (mark) => `${mark} `.repeat(Math.floor(900_000 / (mark.length + 1))),
};

const poisoned = [
  topicTable.events.name,
  topicTable.attributions.name,
  topicTable.issuances.name,
  topicTable.codes.name,
] as const;

const poisonLog: Nemesis = {
  name: 'poison',
  says: 'records that keep no contract, on the topics that services read',
  async run(field) {
    const { stack, random, poison, fired } = field;
    const appender = createAppender({
      kafka: connectTo(stack.kafka),
      ...{ logger: silentLogger, deadlineMs: 30_000 },
    });
    await appender.start();
    try {
      await eventually(() => expect(appender.health().ok).to.equal(true), { deadlineMs: 30_000 });
      for (const topic of poisoned) {
        for (const [what, make] of Object.entries(poisonOf)) {
          await delay(random.below(500));
          const mark = createHash('sha256').update(`${topic} ${what}`).digest('hex');
          // Under a key of a user that is there: what comes after it must not wait for it.
          const key = `demo-acme:mx.demo-acme.u${1 + random.below(5)}`;
          const value = make(mark);
          await appender.append([{ topic, key, value }]);
          poison.push({ topic, value });
          fired(`${what} appended to ${topic}`);
        }
      }
    } finally {
      await appender.stop();
    }
  },
};

const receiverFails: Nemesis = {
  name: 'receiver-fails',
  says: 'endpoints answer 500',
  async run({ receiver, windowMs, fired, undoing }) {
    receiver.fail();
    await delay(windowMs);
    undoing();
    receiver.take();
    const count = receiver.refused();
    if (count > 0) fired(`${count} webhooks were answered 500`);
  },
};

/** The faults, in the order in which they are run. */
export const nemeses: readonly Nemesis[] = [
  killServer('kafka', 2_000),
  killService('ingest-api'),
  killService('attribution'),
  killService('rewards'),
  killServer('redis', 1_000),
  flushRedis,
  killServer('postgres', 1_000),
  poisonLog,
  receiverFails,
];
