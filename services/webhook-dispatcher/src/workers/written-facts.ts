import type { DeliveryRecord } from '@tributary/contracts/delivery-record';

/**
 * Facts that this process has recorded and written itself. They come back through the projection a
 * few milliseconds later, which would look up row by row that nothing is left to do.
 *
 * For speed alone: a fact that is not known here is looked at, and of one that is, the projection
 * still asks the database whether it has it, which may have been restored since.
 */
export type WrittenFacts = {
  add(fact: DeliveryRecord): void;
  /** Whether it was written here; says so once, so that a second copy is looked at. */
  take(fact: DeliveryRecord): boolean;
};

/** Facts in partitions that another process reads are never asked for. */
const mostRemembered = 20_000;

export function createWrittenFacts(): WrittenFacts {
  const facts = new Map<string, DeliveryRecord>();
  return {
    add(fact) {
      facts.set(fact.webhookEventId, fact);
      if (facts.size <= mostRemembered) return;
      const [oldest] = facts.keys();
      if (oldest !== undefined) facts.delete(oldest);
    },
    take(fact) {
      const known = facts.get(fact.webhookEventId);
      return known !== undefined && isSame(known, fact) && facts.delete(fact.webhookEventId);
    },
  };
}

function isSame(a: DeliveryRecord, b: DeliveryRecord): boolean {
  return (
    a.attempt === b.attempt &&
    a.round === b.round &&
    a.step === b.step &&
    a.outcome === b.outcome &&
    a.startedAt === b.startedAt &&
    a.durationMs === b.durationMs &&
    a.nextAttemptAt === b.nextAttemptAt
  );
}
