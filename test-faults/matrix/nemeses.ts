import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { createAppender } from '@tributary/event-log/appender';
import { connectTo, silentLogger } from '@tributary/event-log/testing';
import { Redis } from 'ioredis';
import type { ServiceGroup } from '../../deploy/local/service-group.ts';
import type { Stack } from '../../deploy/local/stack.ts';
import type { ServiceName } from '../../deploy/local/service-table.ts';
import type { Random } from '../chain/random.ts';
import type { Queryable } from '../inspect.ts';
import { processState } from '../stopped-process.ts';
import type { Client } from './client.ts';
import type { Evidence } from './evidence.ts';
import type { Manner, Receiver } from './receiver.ts';

/** What a fault may use while customers go on. */
export type Battlefield = {
  stack: Stack;
  db: Queryable;
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
  replicas?: Partial<Record<ServiceName, number>>;
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

/** Longer than two session timeouts: Kafka gives its partitions to the other process. */
const asleepMs = 9_000;
export const sessionTimeoutMs = 4_000;

/** One of two processes sleeps until the other has its work, and wakes up believing to own it. */
function stopService(
  name: 'attribution' | 'rewards' | 'webhook-dispatcher',
  schema: string,
): Nemesis {
  return {
    name: `stop-${name}`,
    says: `one of two ${name} is stopped for two session timeouts, and wakes up`,
    replicas: { [name]: 2 },
    async run(field) {
      const [replica] = field.stack.services[name].replicas;
      const before = await epochsOf(field.db, schema);
      replica!.pause();
      await delay(asleepMs);
      const state = processState(replica!.pid);
      const after = await epochsOf(field.db, schema);
      field.undoing();
      replica!.resume();
      const taken = [...after].filter(([place, epoch]) => epoch > (before.get(place) ?? epoch));
      if (state === 'T' && taken.length > 0) {
        field.fired(
          `${name} (pid ${replica!.pid}) slept for ${asleepMs} ms, and the other one took over ` +
            `${taken.length} partitions`,
        );
      }
      await delay(1_000);
    },
  };
}

async function epochsOf(db: Queryable, schema: string): Promise<Map<string, number>> {
  const { rows } = await db.query<{ place: string; epoch: number }>(
    `select topic || '/' || partition as place, epoch::int as epoch
     from ${schema}.projection_position`,
  );
  return new Map(rows.map(({ place, epoch }) => [place, epoch]));
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

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
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

const killBackends: Nemesis = {
  name: 'kill-postgres-backends',
  says: 'Postgres ends every session that is in a transaction, again and again',
  run: (field) =>
    again(field, async () => {
      const { rows } = await field.db.query<{ who: string; state: string }>(
        `select application_name as who, state from (
           select application_name, state, pg_terminate_backend(pid) as ended
           from pg_stat_activity
           where datname = current_database() and pid <> pg_backend_pid()
             and xact_start is not null and application_name <> '') as sessions
         where ended`,
      );
      if (rows.length === 0) return;
      const sessions = rows.map(({ who, state }) => `${who} (${state})`).join(', ');
      field.fired(`${rows.length} sessions in a transaction ended: ${sessions}`);
    }),
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
  'referral.events',
  'referral.attributions',
  'referral.issuances',
  'referral.codes',
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

function receiverThat(manner: Manner, name: string, says: string): Nemesis {
  return {
    name,
    says,
    async run({ receiver, windowMs, fired, undoing }) {
      receiver.behave(manner);
      await delay(windowMs);
      undoing();
      receiver.behave('take');
      const count = receiver.unusual();
      if (count > 0) fired(`${count} webhooks met an endpoint that does "${manner}"`);
    },
  };
}

/** What has no port behind the edge, and takes its work from Kafka. */
const consumers = ['attribution', 'rewards', 'webhook-dispatcher'] as const;

const rebalance: Nemesis = {
  name: 'rebalance-storm',
  says: 'attribution, rewards and webhook-dispatcher scale 1 → 4 → 2',
  async run({ stack, fired, undoing }) {
    const groups: ServiceGroup[] = consumers.map((name) => stack.services[name]);
    for (const count of [4, 2]) {
      undoing();
      await Promise.all(groups.map((group) => group.scale(count)));
      const counts = groups.map(({ name, replicas }) => `${replicas.length} ${name}`);
      fired(`there are ${counts.join(', ')}`);
    }
  },
};

const rollingRestart: Nemesis = {
  name: 'rolling-restart',
  says: 'every process is stopped and started again, one after the other, as an upgrade does',
  replicas: { 'ingest-api': 2, 'legacy-events': 2, attribution: 2, rewards: 2 },
  async run({ stack, fired, undoing }) {
    for (const group of Object.values(stack.services)) {
      for (const replica of group.replicas) {
        const { pid } = replica;
        undoing();
        await replica.restart();
        if (replica.pid !== pid) fired(`${replica.name}: pid ${pid} is now ${replica.pid}`);
      }
    }
  },
};

/** The faults, in the order in which they are run. */
export const nemeses: readonly Nemesis[] = [
  killService('ingest-api'),
  killService('legacy-events'),
  killService('attribution'),
  killService('rewards'),
  killService('webhook-dispatcher'),
  killService('portal'),
  stopService('attribution', 'attribution_g1'),
  stopService('rewards', 'rewards_g1'),
  stopService('webhook-dispatcher', 'dispatch'),
  killServer('kafka', 2_000),
  killServer('redis', 1_000),
  flushRedis,
  killServer('postgres', 1_000),
  killBackends,
  poisonLog,
  receiverThat('fail', 'receiver-fails', 'endpoints answer 500'),
  receiverThat('hang', 'receiver-hangs', 'endpoints never answer'),
  receiverThat(
    'take-and-reset',
    'receiver-resets',
    'endpoints take a webhook and cut the connection before the answer',
  ),
  rebalance,
  rollingRestart,
];
