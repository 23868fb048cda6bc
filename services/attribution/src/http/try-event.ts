import { dryRunRoutes } from '@tributary/contracts/admin/campaigns';
import { type DecisionRecord, decisionCodec } from '@tributary/contracts/decision-record';
import { type EventRecord, eventCodec } from '@tributary/contracts/event-record';
import { recordKey } from '@tributary/contracts/topics';
import { readEnqueuedRecords } from '@tributary/event-log/outbox';
import { asIfRead, type Incoming } from '@tributary/event-log/projection';
import { declaredRoute } from '@tributary/http/declared-route';
import { ok } from '@tributary/http/internal-replies';
import type { InternalRoute } from '@tributary/http/internal-router';
import { inDryRun } from '@tributary/runtime/dry-run';
import { inTransaction, type Tx } from '@tributary/runtime/postgres';
import type pg from 'pg';
import type { DecisionsInFull } from '../fold/decisions-in-full.ts';
import { eventsSource } from '../log/apply-batch.ts';

/**
 * What would be decided if an event came now: the real path, and the work that it leaves to the
 * sweeper, in a transaction that is rolled back. What that would have put on the log is read from
 * its own outbox rows, so whatever a real event changes is in the answer: its own decision, and
 * those of others that it would change.
 */
export type Trial = {
  /** As they would be published in the end; the one of the event itself is among them. */
  decisions: DecisionRecord[];
  /** What is decided without it about those events of them that are not new. */
  before: DecisionRecord[];
  /** False when the sweeper would go on for longer than a dry run may. */
  complete: boolean;
};

/**
 * A dry run takes the locks of the real work, the sweeper's part not in the order that keeps others
 * out of circles. It gives up before Postgres looks for a circle (`deadlock_timeout`, 1 s), so that
 * it is never the real work that has to give way.
 */
const limits = { lockTimeoutMs: 500, statementTimeoutMs: 3_000 };
const maxPages = 20;

export function createTryEvent(options: {
  pool: pg.Pool;
  /** The real thing, with metrics of its own: a dry run counts nowhere. */
  apply: (tx: Tx, batch: readonly Incoming[]) => Promise<void>;
  /** The sweeper's, with the same metrics; of what the dry run itself left to it. */
  recomputeOwnPage: (tx: Tx) => Promise<boolean>;
  decisionsInFull: DecisionsInFull;
  attributionsTopic: string;
}): (event: EventRecord) => Promise<Trial> {
  const { pool, apply, recomputeOwnPage, decisionsInFull, attributionsTopic } = options;

  return async (event) => {
    const { decisions, complete } = await inDryRun(pool, limits, async (tx) => {
      await apply(tx, [incoming(event)]);
      let pages = 0;
      while (pages < maxPages && (await recomputeOwnPage(tx))) pages += 1;
      const published = await readEnqueuedRecords(tx, attributionsTopic, decisionCodec);
      return { decisions: latestOf(published), complete: pages < maxPages };
    });
    const others = decisions.map(({ eventId }) => eventId).filter((id) => id !== event.eventId);
    const now = await inTransaction(pool, (tx) => decisionsInFull(tx, others));
    const before = [...now.decisions, ...now.others.map(({ folded }) => folded)];
    return { decisions, before, complete };
  };
}

/** The event is a record as ingest would append it. */
export function tryRoute(tryEvent: (event: EventRecord) => Promise<Trial>): InternalRoute {
  // Each takes a connection of the pool that the real work lives on.
  return declaredRoute(dryRunRoutes.tryAttribution, { atOnce: 2 })(async ({ body }) => {
    const decoded = eventCodec.decode(Buffer.from(JSON.stringify(body.event)));
    if (decoded.outcome === 'record') return ok(await tryEvent(decoded.value));
    return { problem: 'VALIDATION_ERROR', detail: 'event must be an event record.' };
  });
}

function incoming(event: EventRecord): Incoming {
  return asIfRead({
    source: eventsSource,
    key: recordKey(event.tenantId, event.newUser.id),
    timestampMs: Date.parse(event.receivedAt),
    value: event,
  });
}

/** Versions of one decision follow each other in the outbox. */
function latestOf(decisions: readonly DecisionRecord[]): DecisionRecord[] {
  return [...new Map(decisions.map((decision) => [decision.eventId, decision])).values()];
}
