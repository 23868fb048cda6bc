import type { Gauges } from '@tributary/runtime/component';
import type { Logger } from '@tributary/runtime/logger';
import {
  afterCommit,
  inTransaction,
  type TransactionEnd,
  type Tx,
  whenOver,
} from '@tributary/runtime/postgres';
import { createRepeater } from '@tributary/runtime/repeater';
import type { Tracer, TraceSpan } from '@tributary/runtime/tracer';
import type pg from 'pg';
import type { SendDelivery } from '../endpoint/send-delivery.ts';
import {
  type Claim,
  claimDeliveries,
  type ClaimLimits,
  requestIdOf,
} from '../db/claim-deliveries.ts';
import { findNextLook } from '../db/next-look.ts';
import { notifyDue } from '../db/notify-due.ts';
import { createClaimsReturned } from './claims-returned.ts';
import type { DatabaseClock } from './database-clock.ts';
import { type AttemptEnd, deliveryFact } from '../domain/delivery-fact.ts';
import { type Evaluation, type ExchangeEnd, evaluateExchange } from '../domain/outcome.ts';
import { parseRetryAfter } from '../domain/retry-after.ts';
import { stepAfterFailure } from '../domain/next-attempt.ts';
import type { DispatcherMetrics } from '../metrics.ts';
import type { Observe } from '../test-hooks.ts';
import { createRestingEndpoints } from './resting-endpoints.ts';
import type { ResultWriter } from './result-writer.ts';
import type { WorkerLease } from './worker-lease.ts';

/**
 * Sends what is due. Any number of these, in any number of processes, share the tables; nothing is
 * assigned to anybody.
 *
 *   pending ──claim──▶ claimed ──POST, outside any transaction──▶ fact on the log ──▶ result
 *      ▲                  │                                          ├─▶ delivered
 *      │                  │                                          ├─▶ pending, due later
 *      │                  │                                          └─▶ exhausted
 *      ├── not sent (stop, lease in doubt, our own obstacle): given back
 *      └── this process died: freed by another, once the log has been asked what it had said
 *
 * A crash after the POST and before the fact means a second POST of the same bytes and event id
 * once the lease has ended: at least once, never two at the same time.
 *
 * What is taken in is claimed in the same transaction, as far as there is room. For the rest there
 * is a loop: it claims as long as a claim finds anything and there are free slots. A slot is an
 * exchange's; results that wait to be recorded and written are bounded too, at as many again. When
 * a claim finds nothing it sleeps until the next due time, a wake-up or a second, whichever comes
 * first.
 */
export type DeliveryWorker = {
  start(): void;
  /**
   * These deliveries of this transaction may be due. They are claimed in it and sent once it is
   * committed; where some of them are left, all processes are told.
   */
  becameDue(tx: Tx, webhookEventIds: readonly string[]): Promise<void>;
  /** The same for a transaction that has given room back. */
  claimMore(tx: Tx): Promise<void>;
  /** Something may be due: look now instead of at the next poll. */
  wake(): void;
  gauges: Gauges;
  health(): { ok: boolean; detail?: string };
  /** Claims no more, gives unsent claims back, waits for what is under way and its results. */
  stop(): Promise<{ nothingClaimed: boolean }>;
};

export type WorkerSettings = {
  /** Name of this process in the table of workers, for people. */
  name: string;
  /** Exchanges at once in this process. */
  maxInFlight: number;
  /** Exchanges at once with one endpoint, over all processes. */
  maxInFlightPerEndpoint: number;
  /** For a whole exchange. */
  timeoutMs: number;
  leaseMs: number;
  pollMs: number;
  retryDelaysMs: readonly number[];
  /** From the start of a round, or from when its tenant was resumed, to giving up. */
  horizonMs: number;
};

/** Slots come free and deliveries come in one by one; one claim serves a moment's worth. */
const gatherMs = 15;
const maxClaim = 500;
/**
 * How much more than has just ended is started at once. Hundreds of connections at the same moment
 * overflow the accept queue of many a receiver, and those wait for their timeout.
 */
const rampUp = 64;
/** How long a stop waits for servers that do not take what there is to write. */
const stopGraceMs = 5_000;
const retryMs = 500;

export function createDeliveryWorker(options: {
  pool: pg.Pool;
  logger: Logger;
  clock: DatabaseClock;
  metrics: Pick<DispatcherMetrics, 'attempted'>;
  lease: WorkerLease;
  /** Nothing is claimed while the log does not answer: its results could not be told. */
  logAnswers: () => boolean;
  /** What is left alone: the log may say more of it than was read. */
  isUnread: NonNullable<ClaimLimits['isUnread']>;
  send: SendDelivery;
  results: ResultWriter;
  /**
   * Claims whose exchanges are over and whose results are not being written yet: they take no room.
   * Once they are being written, what comes next had better hear what the breaker makes of them.
   */
  endedExchanges: Set<Claim>;
  settings: WorkerSettings;
  /** Absent where traces are off. */
  tracer?: Tracer | undefined;
  observe?: Observe | undefined;
}): DeliveryWorker {
  const { pool, logger, clock, metrics, lease, logAnswers, send, results, settings } = options;
  const { observe, isUnread, endedExchanges, tracer } = options;
  const perEndpoint = settings.maxInFlightPerEndpoint;
  const underWay = new Set<Promise<boolean>>();
  /** Transactions of others in which something was claimed. */
  const joined = new Set<Promise<void>>();
  const returned = createClaimsReturned({ pool, logger });
  const resting = createRestingEndpoints();
  let stopping = false;
  let allSettled = true;
  let ended = 0;
  let exchanging = 0;
  /** Slots of claims that are being made. */
  let reserved = 0;
  /** Something was left for want of a slot or of room. */
  let isShort = false;
  const claiming = createRepeater({
    everyMs: settings.pollMs,
    gatherMs,
    retryMs,
    work: claimWhatIsDue,
    onFailure: (error, failures) =>
      logger.warn('due deliveries cannot be claimed; trying again', { failures, error }),
  });

  /** Says when there may be something due again. */
  async function claimWhatIsDue(): Promise<number | undefined> {
    const workerId = lease.workerId();
    isShort = freeSlots() <= 0;
    if (!workerId || !mayClaim(workerId)) return undefined;
    const found = await claimAndSend();
    return found > 0 ? 0 : untilNextLookMs();
  }

  /** While results are recorded and written others are sent, so as many again may be under way. */
  function freeSlots(): number {
    const { maxInFlight } = settings;
    return Math.min(maxInFlight - exchanging, 2 * maxInFlight - underWay.size) - reserved;
  }

  /** How many may be claimed now. */
  const claimLimit = () => Math.min(freeSlots(), ended + rampUp, maxClaim);

  function mayClaim(workerId: string): boolean {
    return freeSlots() > 0 && lease.mayStart(workerId) && logAnswers();
  }

  /** Claims what there is room for and starts sending; does not wait for the answers. */
  async function claimAndSend(): Promise<number> {
    const { claims, limit } = await inTransaction(pool, claimAlong);
    if (claims.length === limit) isShort = true;
    return claims.length;
  }

  /** They are sent when the transaction is committed. */
  async function claimIn(tx: Tx, workerId: string, limit: number): Promise<readonly Claim[]> {
    reserved += limit;
    let claims: readonly Claim[] = [];
    const { promise, resolve: over } = Promise.withResolvers<void>();
    joined.add(promise);
    whenOver(tx, (end) => {
      reserved -= limit;
      settleClaims(end, claims);
      joined.delete(promise);
      over();
      // The loop may have found no slot meanwhile, and more were kept than were needed.
      if (isShort) claiming.wake();
    });
    claims = await claimDeliveries(tx, workerId, {
      ...{ limit, perEndpoint, resting: resting.tenantIds(), isUnread },
      ended: endedExchanges,
    });
    if (observe && claims.length > 0) await observe('claimed');
    return claims;
  }

  function settleClaims(end: TransactionEnd, claims: readonly Claim[]): void {
    if (end === 'committed') {
      ended = Math.max(0, ended - claims.length);
      for (const claimed of claims) track(claimed);
    }
    // Nobody knows whether they were made; if they were, they are freed with this lease.
    if (end === 'unknown' && claims.length > 0) lease.abandon();
  }

  /** The slots are looked at now: while a transaction began, others may have been given theirs. */
  async function claimAlong(tx: Tx): Promise<{ claims: readonly Claim[]; limit: number }> {
    const workerId = lease.workerId();
    if (stopping || !workerId || !mayClaim(workerId)) return { claims: [], limit: 0 };
    const limit = claimLimit();
    return { claims: await claimIn(tx, workerId, limit), limit };
  }

  async function becameDue(tx: Tx, webhookEventIds: readonly string[]): Promise<void> {
    const { claims } = await claimAlong(tx);
    const claimed = new Set(claims.map(({ webhookEventId }) => webhookEventId));
    if (webhookEventIds.some((id) => !claimed.has(id))) await notifyDue(tx);
  }

  async function claimMore(tx: Tx): Promise<void> {
    const { claims, limit } = await claimAlong(tx);
    if (claims.length === limit) afterCommit(tx, () => claiming.wake());
  }

  /** @param over to be called when the exchange has ended */
  async function attempt(claim: Claim, over: () => void): Promise<boolean> {
    if (observe) await observe('sending');
    if (stopping || !lease.mayStart(claim.workerId)) return giveBack(claim);
    const startedAt = clock.now();
    const startedMs = performance.now();
    const span = startSpan(claim);
    let exchange: ExchangeEnd;
    try {
      const { body, attempt } = claim;
      const traceparent = span?.context.traceparent;
      exchange = await send({ body, attempt, now: startedAt, traceparent }, claim.endpoint);
    } catch (error) {
      span?.end({ isFailed: true });
      if (resting.rest(claim.tenantId)) {
        logger.error('an endpoint cannot be sent to for a reason of our own; it waits', {
          webhookEventId: claim.webhookEventId,
          tenantId: claim.tenantId,
          ...requestIdOf(claim),
          error,
        });
      }
      return giveBack(claim);
    }
    const durationMs = Math.round(performance.now() - startedMs);
    endedExchanges.add(claim);
    over();
    if (observe) await observe('answered');
    const evaluation = evaluateExchange(exchange);
    span?.end(spanEnd(evaluation));
    const sinceMs = claim.round === 0 ? claim.issuedAt?.getTime() : undefined;
    metrics.attempted({
      ...{ evaluation, durationMs },
      ...(sinceMs !== undefined && { sinceIssuedMs: clock.nowMs() - sinceMs }),
    });
    const end = endOf(claim, exchange, evaluation.delivered);
    return results.write({
      claim,
      evaluation,
      end,
      fact: deliveryFact(claim, { evaluation, startedAt, durationMs }, end),
      endedAt: new Date(startedAt.getTime() + durationMs),
      ...(exchange.end === 'answered' && { answer: exchange.answer }),
    });
  }

  function startSpan({ trace, webhookEventId, attempt }: Claim): TraceSpan | undefined {
    if (!trace || !tracer) return undefined;
    return tracer.begin('send webhook', {
      kind: 'client',
      requestId: trace.requestId,
      parent: trace.traceparent,
      attributes: {
        'http.request.method': 'POST',
        'tributary.webhook_event_id': webhookEventId,
        'tributary.attempt': attempt,
      },
    });
  }

  async function giveBack(claim: Claim): Promise<boolean> {
    const isBack = await returned.add(claim);
    claiming.wake();
    return isBack;
  }

  function endOf(claim: Claim, exchange: ExchangeEnd, delivered: boolean): AttemptEnd {
    const { probe } = claim;
    if (delivered) return { state: 'delivered', step: claim.step + (probe ? 0 : 1) };
    const nowMs = clock.nowMs();
    const retryAfter = exchange.end === 'answered' ? exchange.retryAfter : undefined;
    const after = stepAfterFailure({
      step: claim.step,
      probe,
      nowMs,
      horizonAtMs: claim.horizonFrom.getTime() + settings.horizonMs,
      random: Math.random(),
      retryAfterMs: parseRetryAfter(retryAfter, nowMs),
      delaysMs: settings.retryDelaysMs,
    });
    const { state, step } = after;
    if (after.state === 'exhausted') return { state, step };
    return { state, step, dueAt: new Date(after.dueAtMs) };
  }

  function track(claim: Claim): void {
    let isOver = false;
    const over = () => {
      if (isOver) return;
      isOver = true;
      exchanging -= 1;
      ended += 1;
      if (isShort) claiming.wake();
    };
    exchanging += 1;
    const work = attempt(claim, over).catch((error: unknown) => {
      const about = { ...requestIdOf(claim), error };
      logger.error('an attempt broke off; its lease runs out', about);
      lease.abandon();
      return false;
    });
    underWay.add(work);
    void work.then((settled) => {
      allSettled &&= settled;
      underWay.delete(work);
      endedExchanges.delete(claim);
      over();
      if (isShort) claiming.wake();
    });
  }

  /** An endpoint that others hold is looked at again in a moment. */
  async function untilNextLookMs(): Promise<number> {
    const limits = { perEndpoint, resting: resting.tenantIds() };
    const { ms, waitsForRoom } = await findNextLook(pool, limits);
    if (waitsForRoom) isShort = true;
    return Math.max(gatherMs, Math.min(ms ?? settings.pollMs, settings.pollMs));
  }

  return {
    start: () => claiming.start(),
    becameDue,
    claimMore,
    wake: () => claiming.wake(),
    gauges: {
      tributary_webhook_in_flight: {
        help: 'Deliveries being sent by this process.',
        read: () => underWay.size,
      },
    },
    health: () =>
      claiming.failures() < 3
        ? { ok: true }
        : { ok: false, detail: 'due deliveries cannot be claimed' },
    async stop() {
      stopping = true;
      await claiming.stop();
      const graceMs = settings.timeoutMs + stopGraceMs;
      returned.giveUpAfter(graceMs);
      results.giveUpAfter(graceMs);
      await Promise.all(joined);
      await Promise.all(underWay);
      return { nothingClaimed: allSettled };
    },
  };
}

function spanEnd({ delivered, result, statusCode }: Evaluation) {
  const status = statusCode === undefined ? {} : { 'http.response.status_code': statusCode };
  return { isFailed: !delivered, attributes: { 'tributary.result': result, ...status } };
}
