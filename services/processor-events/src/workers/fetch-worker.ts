import { randomUUID } from 'node:crypto';
import type { ProcessorConnectionRecord } from '@tributary/contracts/catalog-record';
import type { Appender } from '@tributary/event-log/appender';
import { type Clock, systemClock } from '@tributary/runtime/clock';
import type { Gauges } from '@tributary/runtime/component';
import type { Logger } from '@tributary/runtime/logger';
import { createRepeater } from '@tributary/runtime/repeater';
import type pg from 'pg';
import { appendRecords } from '../log/append-records.ts';
import {
  type Claim,
  claimNeeds,
  postponeClaim,
  returnClaim,
  settleClaim,
} from '../db/claim-needs.ts';
import { easeConnection, restConnection } from '../db/connections.ts';
import { findPrice } from '../db/readings.ts';
import type { FetchOutcome } from '../stripe/api.ts';
import type { Need } from '../domain/model.ts';
import { isAnswer, momentOf, recordOf } from './fetch-answer.ts';
import { connectionRestMs, keepingRestMs, questionRestMs } from '../domain/fetch-backoff.ts';
import type { Observe } from '../test-hooks.ts';

/**
 * Asks Stripe for what items need. Any number of these, in any number of processes, share the table
 * of needs; nothing is assigned to anybody.
 *
 *   due ──claim──▶ claimed ──asked, outside any transaction──▶ answer on the log ──▶ answered
 *    ▲                │                                                               │
 *    ├── no answer: postponed, with its connection                                    │
 *    ├── not asked (connection not active, not its turn): given back                  │
 *    ├── this process died: asked again by another when the lease has ended           │
 *    └── the projection applied the answer: gone, or due again later ◀────────────────┘
 *
 * Only the projection makes anything of an answer, so one that comes twice changes nothing. A crash
 * after the append and before `answered` means one more question.
 */
export type FetchWorker = {
  /** Not before the log was read to its end: what it answered already is asked no more. */
  start(): void;
  /** Something may be due: look now. For `onCommitted` of the projection. */
  wake(): void;
  gauges: Gauges;
  health(): { ok: boolean; detail?: string };
  /** Claims no more and waits for what is under way. */
  stop(): Promise<void>;
};

export type FetchSettings = {
  /** Questions at once in this process. */
  maxInFlight: number;
  /** Questions of one connection and process at once, with those that wait for their turn. */
  maxPerConnection: number;
  /** Longer than any question takes; what a dead process had claimed is asked again after it. */
  leaseMs: number;
  pollMs: number;
  /** How long a question rests that was refused for the key. */
  refusedRestMs: number;
};

export const defaultFetchSettings: FetchSettings = {
  maxInFlight: 256,
  maxPerConnection: 32,
  leaseMs: 120_000,
  pollMs: 1_000,
  refusedRestMs: 600_000,
};

/** Asks Stripe for one thing with the key of the connection. */
export type FetchNeed = (
  connection: ProcessorConnectionRecord,
  need: Pick<Need, 'type' | 'id'>,
) => Promise<FetchOutcome>;

/** How long a question rests whose connection is not active here. */
const returnedRestMs = 2_000;

const notKept = 'The answer could not be kept; it is asked again.';
const otherObject = {
  outcome: 'later' as const,
  detail: 'Stripe answered with another object than was asked for.',
};

export function createFetchWorker(options: {
  pool: pg.Pool;
  logger: Logger;
  appender: Pick<Appender, 'append' | 'health'>;
  /** Name on the broker. */
  processorTopic: string;
  /** False while the log is read once more: what it answered already is asked no more. */
  mayAsk?: () => boolean;
  /** From the catalog view. */
  connectionOf: (connectionId: string) => ProcessorConnectionRecord | undefined;
  fetch: FetchNeed;
  settings: FetchSettings;
  /** For metrics. */
  onOutcome?: (outcome: FetchOutcome['outcome'], type: Need['type']) => void;
  observe?: Observe | undefined;
  clock?: Clock;
}): FetchWorker {
  const { pool, logger, appender, processorTopic, connectionOf, fetch, settings } = options;
  const { mayAsk = () => true, onOutcome, observe, clock = systemClock } = options;
  const asking = new Set<Promise<void>>();
  const perConnection = new Map<string, number>();
  const claiming = createRepeater({
    everyMs: settings.pollMs,
    work: claimWhileDue,
    onFailure: (error, failures) =>
      logger.warn('what is to be asked cannot be claimed; trying again', { failures, error }),
  });

  async function claimWhileDue(stopping: () => boolean): Promise<void> {
    while (!stopping() && mayClaim()) {
      const claims = await claimNeeds(pool, {
        claimId: randomUUID(),
        leaseMs: settings.leaseMs,
        limit: settings.maxInFlight - asking.size,
        perConnection: settings.maxPerConnection,
        underWay: perConnection,
      });
      for (const claim of claims) track(claim);
      if (claims.length === 0) return;
    }
  }

  function mayClaim(): boolean {
    return mayAsk() && appender.health().ok && asking.size < settings.maxInFlight;
  }

  function track(claim: Claim): void {
    count(claim.connectionId, 1);
    const work = ask(claim).catch((error: unknown) => breakOff(claim, error));
    asking.add(work);
    void work.then(() => {
      asking.delete(work);
      count(claim.connectionId, -1);
      claiming.wake();
    });
  }

  function count(connectionId: string, by: number): void {
    const questions = (perConnection.get(connectionId) ?? 0) + by;
    if (questions > 0) perConnection.set(connectionId, questions);
    else perConnection.delete(connectionId);
  }

  async function ask(claim: Claim): Promise<void> {
    const connection = connectionOf(claim.connectionId);
    if (connection?.status !== 'active' || connection.tenantId !== claim.tenantId) {
      return returnClaim(pool, claim, returnedRestMs);
    }
    const askedAt = momentOf(claim, clock.now());
    const outcome = await answerOf(claim, connection);
    if (outcome.outcome === 'later' && outcome.unasked) {
      return returnClaim(pool, claim, outcome.afterMs ?? 0);
    }
    onOutcome?.(outcome.outcome, claim.type);
    if (outcome.outcome !== 'object') return postpone(claim, outcome);
    if (observe) await observe('fetched');
    const record = recordOf(claim, connection, { object: outcome.object, askedAt });
    if (!isAnswer(claim, record)) return postpone(claim, otherObject);
    await appendRecords(appender, processorTopic, [record]);
    if (observe) await observe('appended');
    await settleClaim(pool, claim);
    if (claim.failures > 0) await easeConnection(pool, claim.connectionId);
  }

  /** A price never changes: it is asked for once for all customers of a tenant. */
  async function answerOf(
    { type, id, tenantId }: Claim,
    connection: ProcessorConnectionRecord,
  ): Promise<FetchOutcome> {
    const known = type === 'price' ? await findPrice(pool, tenantId, id) : undefined;
    return known ? { outcome: 'object', object: known } : fetch(connection, { type, id });
  }

  /** Its connection rests too: what fails for one question fails for the others as a rule. */
  async function postpone(
    claim: Claim,
    outcome: Exclude<FetchOutcome, { outcome: 'object' }>,
  ): Promise<void> {
    const { connectionId } = claim;
    const refused = outcome.outcome === 'refused';
    const askedMs = outcome.outcome === 'later' ? (outcome.afterMs ?? 0) : 0;
    const { detail } = outcome;
    const restMs = connectionRestMs(claim.failures, Math.random());
    const ownMs = refused ? settings.refusedRestMs : questionRestMs(claim.attempts, Math.random());
    logger.warn('a question to Stripe has no answer; it is asked again later', {
      connectionId,
      tenantId: claim.tenantId,
      type: claim.type,
      outcome: outcome.outcome,
      detail,
    });
    await postponeClaim(pool, claim, { afterMs: Math.max(ownMs, askedMs), detail, refused });
    const afterMs = Math.max(restMs, askedMs);
    await restConnection(pool, claim, { afterMs, detail });
  }

  /**
   * The log or the database does not take it now: it is asked again soon, at the latest with its
   * lease, and less and less often, as it may be the answer that is never taken.
   */
  async function breakOff(claim: Claim, error: unknown): Promise<void> {
    logger.warn('a question broke off; it is asked again', {
      connectionId: claim.connectionId,
      type: claim.type,
      error,
    });
    const afterMs = keepingRestMs(claim.attempts, Math.random());
    const about = { afterMs, detail: notKept, refused: false };
    await postponeClaim(pool, claim, about).catch(() => undefined);
  }

  return {
    start: () => claiming.start(),
    wake: () => claiming.wake(),
    gauges: {
      tributary_processor_fetches_in_flight: {
        help: 'Questions this process is asking.',
        read: () => asking.size,
      },
    },
    health: () =>
      claiming.failures() < 3
        ? { ok: true }
        : { ok: false, detail: 'what is to be asked cannot be claimed' },
    async stop() {
      await claiming.stop();
      await Promise.all(asking);
    },
  };
}
