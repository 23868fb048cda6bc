import { type DeliveryFact, deliveryCodec } from '@tributary/contracts/delivery-record';
import type { CatchUp } from '@tributary/event-log/catch-up';
import { AppendRefused, type Entry } from '@tributary/event-log/appender';
import { inTransaction } from '@tributary/runtime/postgres';
import type pg from 'pg';
import type { SendDelivery } from '../endpoint/send-delivery.ts';
import { restoreFacts } from '../log/restore-facts.ts';
import type { Claim } from '../db/claim-deliveries.ts';
import { putEndpoints } from '../db/put-endpoints.ts';
import { createDatabaseClock } from '../workers/database-clock.ts';
import { createDeadWorkerSweep } from '../workers/dead-worker-sweep.ts';
import {
  createDeliveryWorker,
  type DeliveryWorker,
  type WorkerSettings,
} from '../workers/delivery-worker.ts';
import { type BreakerSettings, breakerSettings } from '../domain/breaker.ts';
import type { ExchangeEnd } from '../domain/outcome.ts';
import type { Observe } from '../test-hooks.ts';
import { createResultWriter } from '../workers/result-writer.ts';
import { createWorkerLease, type WorkerLease } from '../workers/worker-lease.ts';
import { silentLogger } from './database.ts';
import { patiently } from '@tributary/testkit/patience';

/**
 * Workers of several processes on one database, put together as the app does it. The log is in
 * memory, so a spec decides when it answers and when it is read; so are the endpoints.
 */
export type Fleet = {
  log: MemoryLog;
  start(options?: FleetWorkerOptions): FleetWorker;
  /** Gives tenants an active endpoint. */
  endpoints(...tenantIds: string[]): Promise<void>;
  stop(): Promise<void>;
};

export type FleetWorkerOptions = Partial<WorkerSettings> & {
  send?: SendDelivery;
  observe?: Observe;
  breaker?: Partial<BreakerSettings>;
  /** What the sweep waits for; absent: the log is read to its end. */
  catchUp?: () => Promise<boolean>;
};

export type FleetWorker = {
  worker: DeliveryWorker;
  lease: WorkerLease;
  /** As the app does. */
  stop(): Promise<void>;
  /** No more heartbeats, and the lease is over; whatever hangs in an observer goes on hanging. */
  die(): Promise<void>;
};

export type MemoryLog = {
  facts: DeliveryFact[];
  answers: boolean;
  append(entries: readonly Entry[]): Promise<void>;
  /** Applies what was reported and not read yet, as the projection does. */
  read(): Promise<void>;
};

export function createFleet(pool: pg.Pool): Fleet {
  const log = createMemoryLog(pool);
  const running = new Set<FleetWorker>();

  function start(options: FleetWorkerOptions = {}): FleetWorker {
    const { send = accepting, observe, breaker, catchUp, ...changes } = options;
    const settings: WorkerSettings = {
      name: 'test',
      maxInFlight: 32,
      maxInFlightPerEndpoint: 16,
      timeoutMs: 400,
      leaseMs: patiently(5_000),
      pollMs: 50,
      retryDelaysMs: [10, 10, 10, 10, 10],
      horizonMs: 76 * 3_600_000,
      ...changes,
    };
    const { name, leaseMs, timeoutMs } = settings;
    const clock = createDatabaseClock();
    const lease = createWorkerLease({
      pool,
      logger: silentLogger,
      clock,
      name,
      leaseMs,
      timeoutMs,
      onRegistered: () => worker.wake(),
    });
    const endedExchanges = new Set<Claim>();
    const worker = createDeliveryWorker({
      pool,
      logger: silentLogger,
      clock,
      metrics: { attempted: () => undefined },
      lease,
      logAnswers: () => log.answers,
      isUnread: () => false,
      send,
      results: createResultWriter({
        pool,
        logger: silentLogger,
        appender: log,
        deliveriesTopic: 'deliveries',
        breaker: { ...breakerSettings, ...breaker },
        endedExchanges,
        claimMore: (tx) => worker.claimMore(tx),
        overtaken: async (tx, facts) => void (await restoreFacts(tx, facts)),
        observe,
      }),
      endedExchanges,
      settings,
      observe,
    });
    const readToTheEnd = async () => {
      await log.read();
      return true;
    };
    const sweep = createDeadWorkerSweep({
      pool,
      logger: silentLogger,
      createCatchUp: () => readingAll(catchUp ?? readToTheEnd),
      deliveriesTopic: 'deliveries',
      everyMs: 50,
      leaseMs,
      onFreed: () => worker.wake(),
    });
    const fleetWorker: FleetWorker = {
      worker,
      lease,
      async stop() {
        running.delete(fleetWorker);
        const [{ nothingClaimed }] = await Promise.all([worker.stop(), sweep.stop()]);
        await lease.stop({ nothingClaimed });
      },
      async die() {
        running.delete(fleetWorker);
        const workerId = lease.workerId();
        await Promise.all([lease.stop({ nothingClaimed: false }), sweep.stop()]);
        lease.abandon();
        void worker.stop();
        await pool.query('update worker set alive_until = now() where worker_id = $1', [workerId]);
      },
    };
    running.add(fleetWorker);
    lease.start();
    worker.start();
    sweep.start();
    return fleetWorker;
  }

  return {
    log,
    start,
    endpoints: (...tenantIds) =>
      inTransaction(pool, (tx) => putEndpoints(tx, tenantIds.map(activeEndpoint))),
    async stop() {
      log.answers = true;
      await Promise.all([...running].map((one) => one.stop()));
    },
  };
}

function readingAll(caughtUp: () => Promise<boolean>): CatchUp {
  return Object.assign(() => caughtUp(), {
    unread: () => [],
    isUnread: () => false,
    stillMs: () => 0,
  });
}

function createMemoryLog(pool: pg.Pool): MemoryLog {
  let readTo = 0;
  const log: MemoryLog = {
    facts: [],
    answers: true,
    append(entries) {
      if (!log.answers) return Promise.reject(new AppendRefused('the brokers do not answer'));
      for (const { value } of entries) {
        const decoded = deliveryCodec.decode(Buffer.from(value!));
        if (decoded.outcome !== 'record') throw new Error(`not a fact: ${value}`);
        log.facts.push(decoded.value);
      }
      return Promise.resolve();
    },
    async read() {
      const facts = log.facts.slice(readTo);
      readTo += facts.length;
      await inTransaction(pool, async (tx) => void (await restoreFacts(tx, facts)));
    },
  };
  return log;
}

export function activeEndpoint(tenantId: string) {
  return {
    tenantId,
    version: 1,
    status: 'active' as const,
    url: 'https://receiver.example/hook',
    username: 'user',
    sealedPassword: 'sealed',
    previous: null,
    reason: null,
    changedBy: null,
    changedAt: new Date(),
  };
}

export function answered(statusCode: number, retryAfter?: string): ExchangeEnd {
  return {
    end: 'answered',
    statusCode,
    ...(retryAfter !== undefined && { retryAfter }),
    answer: { statusCode, headers: [], body: '', cut: false },
  };
}

export const accepting: SendDelivery = () => Promise.resolve(answered(200));
