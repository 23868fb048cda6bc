import {
  decisionKey,
  decisionCodec,
  type DecisionRecord,
} from '@tributary/contracts/decision-record';
import { decisionDigest } from '@tributary/contracts/state-item';
import { enqueue } from '@tributary/event-log/outbox';
import { headersAt, spansOf } from '@tributary/event-log/record-traces';
import type { Logger } from '@tributary/runtime/logger';
import { afterCommit, inOneTurn, type Tx } from '@tributary/runtime/postgres';
import {
  type DecidedFact,
  insertDecided,
  readDecisions,
  type StoredDecision,
  type WrittenDecision,
  writeDecisions,
} from '../db/decisions.ts';
import { type DecisionContent, nextVersion } from '@tributary/attribution-fold/decision';
import { type Fold, foldUser } from '@tributary/attribution-fold/fold-user';
import { type FoldVersion, newestFoldVersion } from '@tributary/attribution-fold/fold-version';
import type { AttributionMetrics } from '../metrics.ts';
import { createFoldSafely } from './fold-safely.ts';
import { gather, type Work } from './gather.ts';
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

export const plainWork = ({ factsOfUser }: Limits, foldVersion: FoldVersion) =>
  ({
    foldVersion,
    fresh: new Map<string, never>(),
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
  const foldSafely = createFoldSafely({ fold, logger });

  return async function decideFacts(tx, given) {
    const work: Work = { ...plainWork(limits, foldVersion), ...given };
    if (work.users.size === 0) return void withTheirFacts([], work);
    const gathered = await gather(tx, work);
    const { facts, left } = touchedBy(work, gathered);
    await writeUserStates(tx, work, gathered, left);
    if (facts.length === 0) return void withTheirFacts([], work);

    const decidedBefore = facts
      .map(({ event }) => event.eventId)
      .filter((eventId) => !work.fresh.has(eventId));
    const stored =
      decidedBefore.length > 0
        ? await readDecisions(tx, decidedBefore)
        : new Map<string, StoredDecision>();
    const rows = foldSafely(
      facts,
      gathered,
      (contents) =>
        contents.flatMap((content) => {
          const foldedUnder = gathered.tenants.get(content.tenantId)?.version ?? '0';
          return toRow(content, stored.get(content.eventId), foldedUnder) ?? [];
        }),
      () => afterCommit(tx, () => metrics.foldFailed()),
      spansOf(tx),
    );
    const replaced = rows.filter(({ content }) => !work.fresh.has(content.eventId));
    const decided = withTheirFacts(rows, work);
    const changed = rows.flatMap(({ published }) => published ?? []);
    const spans = spansOf(tx);
    const entries = changed.map(({ record, json }) => ({
      topic: attributionsTopic,
      key: decisionKey(record),
      value: json,
      headers: headersAt(spans, record.eventId),
    }));
    await inOneTurn([
      writeDecisions(tx, replaced),
      insertDecided(tx, decided),
      enqueue(tx, entries),
    ]);
    afterCommit(tx, () => metrics.decided(changed.map(({ record }) => record)));
  };
}

/**
 * The facts that are to be written, each with what was decided about it. A fact is written nowhere
 * else (decision 63): one that no fold has decided would be lost with the position behind it.
 */
function withTheirFacts(rows: readonly WrittenDecision[], { fresh, claims }: Work): DecidedFact[] {
  const decided = rows.flatMap((decision) => {
    const fact = fresh.get(decision.content.eventId);
    if (!fact) return [];
    const claim = claims.get(fact.businessKey);
    const isRival = claim !== undefined && claim.holder?.eventId !== fact.event.eventId;
    return { fact, decision, isRival };
  });
  if (decided.length !== fresh.size) {
    throw new Error(`${fresh.size} new facts, but ${decided.length} decisions about them`);
  }
  return decided;
}

type Row = WrittenDecision & {
  /** Absent when nothing about the decision has changed. */
  published?: { record: DecisionRecord; json: string };
};

/** Undefined when there is nothing to write. */
function toRow(
  content: DecisionContent,
  stored: StoredDecision | undefined,
  foldedUnder: string,
): Row | undefined {
  const digest = decisionDigest(content);
  const record = nextVersion(stored, content, digest);
  if (record) {
    const published = { record, json: decisionCodec.encode(record) };
    return { content, version: record.version, digest, foldedUnder, published };
  }
  if (!stored) return undefined;
  // Nothing is published, but it is noted that this catalog was looked at, or when to try again.
  const noted = stored.foldedUnder === foldedUnder && content.outcome !== 'undecided';
  return noted ? undefined : { content, version: stored.version, digest, foldedUnder };
}
