import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { WebhookEndpointRecord } from '@tributary/contracts/catalog-record';
import type { Clock } from '@tributary/runtime/clock';
import type { Logger } from '@tributary/runtime/logger';
import { inTransaction } from '@tributary/runtime/postgres';
import type pg from 'pg';
import type { SendDelivery } from './adapters/endpoint/send-delivery.ts';
import { type Claim, claimDeliveries, lockClaims } from './adapters/postgres/claim-deliveries.ts';
import { freeExpiredLeases } from './adapters/postgres/free-expired-leases.ts';
import {
  parkWithoutEndpoint,
  reviveDeliveries,
  tenantsWithoutEndpoint,
} from './adapters/postgres/park-without-endpoint.ts';
import { releaseLeases } from './adapters/postgres/release-leases.ts';
import { judge } from './domain/outcome.ts';
import { parseRetryAfter } from './domain/retry-after.ts';
import { nextDelayMs } from './domain/schedule.ts';
import type { DispatcherMetrics } from './metrics.ts';
import type { ResultWriter } from './result-writer.ts';

/**
 * Sends what is due. Any number of these, in any number of processes, share the table; nothing is
 * assigned to anybody.
 *
 *   pending ──claim (lease)──▶ leased ──POST, outside any transaction──▶ result, under the lease
 *      ▲                         │                        ├─▶ delivered
 *      │                         │                        ├─▶ pending, due later
 *      │                         │                        └─▶ exhausted
 *      │                         ├─ no endpoint now ─▶ no-endpoint ──endpoint appears──▶ pending
 *      └── lease ends (crash) ◀──┴─ not sent (stop, our own obstacle): released
 *
 * A crash after the POST and before the result means a second POST of the same bytes and event id
 * once the lease has ended: at least once, never two at the same time. For that the lease must
 * outlive the exchange; a claim that has waited too long (a stopped process that woke up) is not
 * sent any more.
 */
export type DeliveryWorker = {
  start(): void;
  /** Something may be due: look now instead of at the next poll. */
  wake(): void;
  /** An endpoint may have appeared: deliveries that wait for one are looked at. */
  endpointsChanged(): void;
  inFlight(): number;
  health(): { ok: boolean; detail?: string };
  /** Claims no more, gives unsent claims back, waits for what is under way and its results. */
  stop(): Promise<void>;
};

export type WorkerSettings = {
  /** Name of this process in the lease, for people. */
  owner: string;
  maxInFlight: number;
  maxInFlightPerTenant: number;
  timeoutMs: number;
  leaseMs: number;
  pollMs: number;
  retryDelaysMs: readonly number[];
};

const gatherMs = 20;
/** Between two looks for dead processes' leases and for endpoints that have appeared. */
const sweepMs = 1_000;
/** How long a delivery waits when the obstacle is our own. */
const ownFaultDelayMs = 60_000;

export function createDeliveryWorker(options: {
  pool: pg.Pool;
  logger: Logger;
  clock: Clock;
  metrics: DispatcherMetrics;
  endpointOf: (tenantId: string) => WebhookEndpointRecord | undefined;
  send: SendDelivery;
  results: ResultWriter;
  settings: WorkerSettings;
}): DeliveryWorker {
  const { pool, logger, clock, metrics, endpointOf, send, results, settings } = options;
  const underWay = new Set<Promise<void>>();
  let stopping = false;
  let failures = 0;
  let sweptAtMs = -Infinity;
  let loop: Promise<void> | undefined;
  let woken = false;
  let interrupt: () => void = () => undefined;

  async function run(): Promise<void> {
    while (!stopping) {
      woken = false;
      try {
        await sweep();
        const found = await claimAndSend();
        failures = 0;
        if (found > 0) {
          // Slots come free and deliveries come in one by one; one claim serves a moment's worth.
          await delay(gatherMs);
          continue;
        }
      } catch (error) {
        failures += 1;
        logger.warn('due deliveries cannot be claimed; trying again', { failures, error });
      }
      await sleep();
      if (!stopping) await delay(gatherMs);
    }
  }

  async function sweep(): Promise<void> {
    if (performance.now() - sweptAtMs < sweepMs) return;
    sweptAtMs = performance.now();
    const freed = await freeExpiredLeases(pool);
    if (freed > 0) {
      logger.warn('freed deliveries whose lease had ended', { deliveries: freed });
      metrics.leasesExpired.inc(freed);
    }
    const parked = await tenantsWithoutEndpoint(pool);
    const revivable = parked.filter((tenantId) => endpointOf(tenantId));
    if (revivable.length > 0) await reviveDeliveries(pool, revivable);
  }

  /** Claims what there is room for and starts sending; does not wait for the answers. */
  async function claimAndSend(): Promise<number> {
    const limit = settings.maxInFlight - underWay.size;
    if (limit <= 0) return 0;
    const claimedAtMs = performance.now();
    const leaseId = randomUUID();
    const { owner, leaseMs, maxInFlightPerTenant: perTenant } = settings;
    const claims = await inTransaction(pool, async (tx) => {
      await lockClaims(tx);
      return claimDeliveries(tx, { leaseId, owner, leaseMs, limit, perTenant });
    });
    if (claims.length === 0) return 0;
    // Counted from before the claim, so it is over before the lease is, whoever was asleep when.
    const sendUntilMs = claimedAtMs + leaseMs - settings.timeoutMs;
    if (stopping || performance.now() > sendUntilMs) {
      await releaseLeases(pool, claims);
      return 0;
    }
    const withoutEndpoint: Claim[] = [];
    for (const claim of claims) {
      const endpoint = endpointOf(claim.tenantId);
      if (endpoint) track(attempt(claim, endpoint));
      else withoutEndpoint.push(claim);
    }
    if (withoutEndpoint.length > 0) await parkWithoutEndpoint(pool, withoutEndpoint);
    return claims.length;
  }

  async function attempt(claim: Claim, endpoint: WebhookEndpointRecord): Promise<void> {
    const startedAt = clock.now();
    const startedMs = performance.now();
    let exchange;
    try {
      exchange = await send(claim, endpoint);
    } catch (error) {
      logger.error('a delivery cannot be sent for a reason of our own; it waits', {
        webhookEventId: claim.webhookEventId,
        tenantId: claim.tenantId,
        error,
      });
      return giveBack(claim);
    }
    const durationMs = Math.round(performance.now() - startedMs);
    const judgement = judge(exchange);
    const retryAfter = exchange.end === 'answered' ? exchange.retryAfter : undefined;
    const delayMs = nextDelayMs({
      attempt: claim.attempt,
      random: Math.random(),
      retryAfterMs: parseRetryAfter(retryAfter, clock.now().getTime()),
      delaysMs: settings.retryDelaysMs,
    });
    metrics.attempted({ judgement, durationMs });
    const { delivered } = judgement;
    await results.write({ claim, delivered, delayMs, judgement, startedAt, durationMs });
  }

  async function giveBack(claim: Claim): Promise<void> {
    await releaseLeases(pool, [claim], ownFaultDelayMs).catch((error: unknown) => {
      // The lease ends by itself.
      logger.warn('a claim cannot be given back', { error });
    });
  }

  /** A slot is taken until the result is written, so results never pile up without bound. */
  function track(work: Promise<void>): void {
    underWay.add(work);
    void work.finally(() => {
      underWay.delete(work);
      wake();
    });
  }

  function wake(): void {
    woken = true;
    interrupt();
  }

  async function sleep(): Promise<void> {
    if (stopping || (woken && failures === 0)) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, settings.pollMs);
      interrupt = () => {
        if (failures > 0 && !stopping) return;
        clearTimeout(timer);
        resolve();
      };
    });
  }

  return {
    start() {
      loop ??= run();
    },
    wake,
    endpointsChanged() {
      sweptAtMs = -Infinity;
      wake();
    },
    inFlight: () => underWay.size,
    health: () =>
      failures < 3 ? { ok: true } : { ok: false, detail: 'due deliveries cannot be claimed' },
    async stop() {
      stopping = true;
      interrupt();
      await loop;
      await Promise.all(underWay);
    },
  };
}
