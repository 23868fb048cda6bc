import type { Logger } from '@tributary/runtime/logger';
import { isTransientPostgresError } from '@tributary/runtime/postgres';
import type { Held } from './held-partition.ts';
import type { Controls } from './supervised-consumer.ts';

/**
 * What makes a partition of a projection stop, for a moment or until a person comes. The position
 * stays where it is in every case, so nothing is skipped.
 *
 *   its source may not be read now   held back, until it may
 *   the fence said no                fenced; claimed again after a while
 *   a batch failed                   backing off, then running again, in smaller steps
 *   not the topic we read            refused, with an alert each minute
 *   a record from the future         newer-schema, likewise
 *   a batch of broken bytes          undecodable, likewise
 */
export type PartitionStops = {
  holdBack(h: Held): void;
  /** `offset` and `records` are of the batch that failed. */
  failed(h: Held, error: Error, offset: string, records: number): void;
  refuse(h: Held, detail: string): void;
  newerSchema(h: Held, detail: string): void;
  undecodable(h: Held, detail: string): void;
  /** Does it later, unless everything stops before. */
  after(ms: number, work: () => void): void;
  clear(): void;
};

/** The position moved under this process: another one holds the partition. */
export class Fenced extends Error {}

export function createPartitionStops(options: {
  logger: Logger;
  /** Name of the projection, for the log. */
  name: string;
  controls: () => Controls | undefined;
  /** False once the partition was claimed anew or given up: what was planned for it is void. */
  isHeld: (h: Held) => boolean;
  mayRead: (h: Held) => boolean;
  claimAgain: (h: Held) => void;
  /** Tells the other processes that it is stopped. */
  recordStop: (h: Held) => Promise<void>;
  /** Between two alerts of a stopped partition. */
  alertMs: number;
}): PartitionStops {
  const { logger, name, controls, isHeld, mayRead, claimAgain, recordStop, alertMs } = options;
  const timers = new Set<NodeJS.Timeout>();

  function after(ms: number, work: () => void): void {
    const timer = setTimeout(() => {
      timers.delete(timer);
      work();
    }, ms);
    timers.add(timer);
  }

  function failed(h: Held, error: Error, offset: string, records: number): void {
    controls()?.pause(h.topic, h.partition);
    h.failures += 1;
    const where = { projection: name, topic: h.topic, partition: h.partition, offset };
    if (error instanceof Fenced) {
      h.state = 'fenced';
      logger.warn('fenced: another process holds this partition; giving it up', where);
      after(2_000 + Math.random() * 3_000, () => {
        if (isHeld(h)) claimAgain(h);
      });
      return;
    }
    h.state = 'backing-off';
    h.detail = error.message;
    const transient = isTransientPostgresError(error);
    // Also of transient failures: a batch that always meets a statement timeout must get smaller.
    if (!transient || h.failures > 1) {
      h.limit = Math.max(1, Math.floor(Math.min(h.limit, records) / 2));
    }
    logger[transient && h.failures < 5 ? 'warn' : 'error'](
      transient
        ? 'the database did not take a batch; trying again'
        : 'a batch cannot be applied; this partition waits and tries again, nothing is skipped',
      { ...where, records, failures: h.failures, error },
    );
    after(backOffMs(h.failures), () => goOn(h, 'backing-off'));
  }

  function holdBack(h: Held): void {
    controls()?.pause(h.topic, h.partition);
    h.state = 'held-back';
    lookAgain(h);
  }

  function lookAgain(h: Held): void {
    after(heldBackLookMs, () => {
      if (!isHeld(h) || h.state !== 'held-back') return;
      if (mayRead(h)) goOn(h, 'held-back');
      else lookAgain(h);
    });
  }

  function goOn(h: Held, from: 'backing-off' | 'held-back'): void {
    if (!isHeld(h) || h.state !== from) return;
    h.state = 'running';
    delete h.detail;
    controls()?.seek(h.topic, h.partition, h.position.next);
    controls()?.resume(h.topic, h.partition);
  }

  function stop(h: Held, state: Stopped, detail: string): void {
    controls()?.pause(h.topic, h.partition);
    h.state = state;
    h.detail = detail;
    alertWhileStopped(h, state);
    void recordWhileStopped(h, state, 0);
  }

  /**
   * Until the database has taken it, and again as often as the alert: a database that is put back
   * from an older backup does not have it.
   */
  async function recordWhileStopped(h: Held, state: Stopped, failures: number): Promise<void> {
    if (!isHeld(h) || h.state !== state) return;
    const failed = await recordStop(h).then(
      () => 0,
      (error: unknown) => {
        logger.warn('cannot record that a partition is stopped; trying again', {
          projection: name,
          topic: h.topic,
          partition: h.partition,
          error,
        });
        return failures + 1;
      },
    );
    if (!isHeld(h)) return;
    after(failed > 0 ? backOffMs(failures) : alertMs, () => {
      void recordWhileStopped(h, state, failed);
    });
  }

  function alertWhileStopped(h: Held, state: Stopped): void {
    if (!isHeld(h) || h.state !== state) return;
    const at = `${h.topic}/${h.partition}`;
    logger.error(`alert: partition stopped (${state}): ${at}: ${h.detail}`, {
      projection: name,
      topic: h.topic,
      partition: h.partition,
      nextOffset: h.position.next.toString(),
    });
    after(alertMs, () => alertWhileStopped(h, state));
  }

  return {
    holdBack,
    failed,
    refuse: (h, detail) =>
      stop(
        h,
        'refused',
        `${detail}. The topic was deleted, recreated or truncated, or records of it were deleted. ` +
          'Restore the topic, or rebuild this projection from the log where its beginning is ' +
          'still there: docs/runbooks/partition-stopped.md says how',
      ),
    newerSchema: (h, detail) => stop(h, 'newer-schema', detail),
    undecodable: (h, detail) =>
      stop(h, 'undecodable', `${detail}. docs/runbooks/partition-stopped.md says what to do`),
    after,
    clear() {
      for (const timer of timers) clearTimeout(timer);
      timers.clear();
    },
  };
}

type Stopped = 'refused' | 'newer-schema' | 'undecodable';

/** Between two looks whether a source may be read again. */
const heldBackLookMs = 200;

export function backOffMs(failures: number): number {
  return Math.min(5_000, 100 * 2 ** Math.min(failures, 6)) * (0.5 + Math.random() / 2);
}
