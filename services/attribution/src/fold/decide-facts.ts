import {
  decisionKey,
  decisionCodec,
  type DecisionRecord,
} from '@tributary/contracts/decision-record';
import { enqueue } from '@tributary/event-log/outbox';
import type { Logger } from '@tributary/runtime/logger';
import type { Tx } from '@tributary/runtime/postgres';
import { readDecisions, type StoredDecision, writeDecisions } from '../db/decisions.ts';
import {
  type DecisionContent,
  nextVersion,
  undecidedOn,
} from '@tributary/attribution-fold/decision';
import { type Fact, userKeyOf } from '@tributary/attribution-fold/fact';
import { type Fold, foldUser } from '@tributary/attribution-fold/fold-user';
import { type FoldVersion, newestFoldVersion } from '@tributary/attribution-fold/fold-version';
import type { AttributionMetrics } from '../metrics.ts';
import { gather, type Gathered, type Work } from './gather.ts';
import { type Limits, usualLimits } from './batch-limits.ts';
import { touchedBy } from './touched-by.ts';
import { writeUserStates } from './write-user-states.ts';

/**
 * Reads what the facts depend on, folds each user's, writes and publishes what is different. The
 * caller holds the locks of their users and shared ones of their tenants (see apply-events.ts).
 * What else has to be decided again is decided too as far as its users are locked, and left to the
 * sweeper otherwise. The number of statements does not depend on how many facts there are.
 */
export type DecideFacts = (
  tx: Tx,
  work: Pick<Work, 'facts' | 'users'> & Partial<Work>,
) => Promise<void>;

const plainWork = ({ factsOfUser }: Limits, foldVersion: FoldVersion) =>
  ({
    foldVersion,
    fresh: new Set<string>(),
    claims: new Map<string, never>(),
    unrefunded: new Set<string>(),
    sumUp: [],
    recheck: false,
    sumOnly: false,
    factsOfUser,
  }) satisfies Partial<Work>;

export function createDecideFacts(options: {
  /** The version of the generation. */
  foldVersion?: FoldVersion;
  logger: Logger;
  attributionsTopic: string;
  metrics: AttributionMetrics;
  fold?: Fold;
  limits?: Limits;
}): DecideFacts {
  const { logger, attributionsTopic, metrics, fold = foldUser, limits = usualLimits } = options;
  const { foldVersion = newestFoldVersion } = options;

  return async function decideFacts(tx, given) {
    const work: Work = { ...plainWork(limits, foldVersion), ...given };
    if (work.users.size === 0) return;
    const gathered = await gather(tx, work);
    const { facts, left } = touchedBy(work, gathered);
    await writeUserStates(tx, work, gathered, left);
    if (facts.length === 0) return;

    const decidedBefore = facts
      .map(({ event }) => event.eventId)
      .filter((eventId) => !work.fresh.has(eventId));
    const stored =
      decidedBefore.length > 0
        ? await readDecisions(tx, decidedBefore)
        : new Map<string, StoredDecision>();
    const rows: Row[] = [];
    for (const usersFacts of Map.groupBy(facts, userKeyOf).values()) {
      rows.push(...foldSafely(usersFacts, gathered, stored));
    }
    const changed = rows.filter((row) => row.changed);
    await writeDecisions(tx, rows);
    await enqueue(
      tx,
      changed.map(({ record, json }) => ({
        topic: attributionsTopic,
        key: decisionKey(record),
        value: json,
      })),
    );
    metrics.decided(changed.map(({ record }) => record));
  };

  /** A fold that throws stops nobody else: that user's facts become undecided (design 6). */
  function foldSafely(
    facts: readonly Fact[],
    { context, tenants, failed }: Gathered,
    stored: ReadonlyMap<string, StoredDecision>,
  ): Row[] {
    const toRows = (contents: readonly DecisionContent[]) =>
      contents.flatMap((content) => {
        const foldedUnder = tenants.get(content.tenantId)?.version ?? '0';
        return toRow(content, stored.get(content.eventId), foldedUnder) ?? [];
      });
    try {
      const key = userKeyOf(facts[0]!);
      if (failed.has(key)) throw failed.get(key);
      return toRows(fold(facts, context));
    } catch (error) {
      logger.error('the fold of a user threw; the facts are kept and tried again', {
        eventIds: facts.slice(0, 10).map(({ event }) => event.eventId),
        error,
      });
      metrics.foldFailed();
      return toRows(facts.map(undecidedOn));
    }
  }
}

type Row = { record: DecisionRecord; json: string; foldedUnder: string; changed: boolean };

/** Undefined when there is nothing to write. */
function toRow(
  content: DecisionContent,
  stored: StoredDecision | undefined,
  foldedUnder: string,
): Row | undefined {
  const next = nextVersion(stored?.record, content);
  if (next) return { record: next, json: decisionCodec.encode(next), foldedUnder, changed: true };
  if (!stored) return undefined;
  // Nothing is published, but it is noted that this catalog was looked at, or when to try again.
  const noted = stored.foldedUnder === foldedUnder && content.outcome !== 'undecided';
  if (noted) return undefined;
  const { record } = stored;
  return { record, json: JSON.stringify(record), foldedUnder, changed: false };
}
