import { setTimeout as delay } from 'node:timers/promises';
import type { DeliveryRecord } from '@tributary/contracts/delivery-record';

/**
 * What this process has told the log and written itself. Its own facts come back through the
 * projection a few milliseconds later, where they would wait for rows that the result writer holds,
 * or be looked up one by one to find that nothing is left to do.
 *
 *   told (on its way to the log) ──▶ written (committed) ──read from the log──▶ forgotten
 *        └── not written (overtaken, given up) ──▶ forgotten: the projection looks, as at any other
 *
 * It is for speed alone: of a fact that is not known here the projection finds out by itself, and
 * of one that is it still makes sure that the database has it (it may have been restored).
 */
export type OwnResults = {
  told(fact: DeliveryRecord): void;
  ended(fact: DeliveryRecord, written: boolean): void;
  /** Waits a moment for those of them that are told and not yet written. */
  settled(facts: readonly DeliveryRecord[]): Promise<void>;
  /** Whether it was written here; says so once, so that a second copy is looked at. */
  takeWritten(fact: DeliveryRecord): boolean;
};

/** Longer than a batch takes; not so long that a database that is away holds up the log's readers. */
const patienceMs = 1_000;
const lookMs = 5;
/** Facts in partitions that another process reads are never asked for. */
const mostRemembered = 20_000;

export function createOwnResults(): OwnResults {
  const underWay = new Map<string, DeliveryRecord>();
  const written = new Map<string, DeliveryRecord>();

  function forget(from: Map<string, DeliveryRecord>, fact: DeliveryRecord): boolean {
    const known = from.get(fact.webhookEventId);
    return known !== undefined && isSame(known, fact) && from.delete(fact.webhookEventId);
  }

  return {
    told: (fact) => void underWay.set(fact.webhookEventId, fact),
    ended(fact, wasWritten) {
      forget(underWay, fact);
      if (!wasWritten) return;
      written.set(fact.webhookEventId, fact);
      if (written.size > mostRemembered) {
        const [oldest] = written.keys();
        if (oldest !== undefined) written.delete(oldest);
      }
    },
    async settled(facts) {
      const untilMs = performance.now() + patienceMs;
      const isOpen = ({ webhookEventId }: DeliveryRecord) => underWay.has(webhookEventId);
      while (facts.some(isOpen) && performance.now() < untilMs) await delay(lookMs);
    },
    takeWritten: (fact) => forget(written, fact),
  };
}

function isSame(a: DeliveryRecord, b: DeliveryRecord): boolean {
  return (
    a.attempt === b.attempt &&
    a.round === b.round &&
    a.outcome === b.outcome &&
    a.startedAt === b.startedAt &&
    a.durationMs === b.durationMs
  );
}
