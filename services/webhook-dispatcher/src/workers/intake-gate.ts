import type { Gauges } from '@tributary/runtime/component';
import type { Logger } from '@tributary/runtime/logger';
import { createRepeater } from '@tributary/runtime/repeater';
import type pg from 'pg';
import { issuancesSource } from '../log/apply-records.ts';
import { readPressure } from '../db/read-pressure.ts';

/**
 * Holds the reading of issuances back while more is due than is being sent, so that the table does
 * not take in what the log keeps just as well.
 *
 *   open ──due > limit──▶ closed ──due < 80 % of it──▶ open
 *
 * What counts is what endpoints would take that answer: nothing of a paused one or behind an open
 * breaker, and of one endpoint at most a hundredth of the limit, so that no single tenant can stop
 * the intake of all others.
 */
export type IntakeGate = {
  /** Whether a source of the projection may be read now. Only issuances are ever held back. */
  mayRead(source: string): boolean;
  isClosed(): boolean;
  gauges: Gauges;
  /** Not before sending has started: until then nothing that is due goes away. */
  start(): void;
  stop(): Promise<void>;
};

const reopenAt = 0.8;
const endpointsToClose = 100;

export function createIntakeGate(options: {
  pool: pg.Pool;
  logger: Logger;
  /** Deliveries that are due, over all endpoints. */
  limit: number;
  everyMs?: number;
}): IntakeGate {
  const { pool, logger, limit, everyMs = 1_000 } = options;
  const perEndpoint = Math.max(1, Math.floor(limit / endpointsToClose));
  let closed = false;
  let nextLookMs = 0;

  /** With very much due a look takes its time; it takes a tenth of the database's at most. */
  async function look(): Promise<void> {
    const startedMs = performance.now();
    if (startedMs < nextLookMs) return;
    await measure();
    nextLookMs = startedMs + 10 * (performance.now() - startedMs);
  }

  async function measure(): Promise<void> {
    try {
      const due = await readPressure(pool, perEndpoint);
      const close = closed ? due >= limit * reopenAt : due > limit;
      if (close === closed) return;
      closed = close;
      const logLine = close ? 'intake is held back until more is sent' : 'intake goes on';
      logger.info(logLine, { due, limit });
    } catch (error) {
      logger.warn('cannot tell how much is due; intake stays as it is', { closed, error });
    }
  }

  const repeater = createRepeater({ everyMs, work: look });
  return {
    mayRead: (source) => !closed || source !== issuancesSource,
    isClosed: () => closed,
    gauges: {
      tributary_webhook_intake_held_back: {
        help: '1 while issuances wait on the log.',
        read: () => Number(closed),
      },
    },
    start: () => repeater.start(),
    stop: () => repeater.stop(),
  };
}
