import { decisionCodec, type DecisionRecord } from '@tributary/contracts/decision-record';
import { recordKey } from '@tributary/contracts/topics';
import { enqueue } from '@tributary/event-log/outbox';
import type { Logger } from '@tributary/runtime/logger';
import type { Tx } from '@tributary/runtime/postgres';
import { readCatalogVersions, readRevisions } from './adapters/postgres/catalog.ts';
import { readClaimsOf } from './adapters/postgres/claims.ts';
import { readCodes } from './adapters/postgres/codes.ts';
import {
  readDecisions,
  type StoredDecision,
  writeDecisions,
} from './adapters/postgres/decisions.ts';
import type { Claim } from './domain/claim.ts';
import { type DecisionContent, nextVersion, undecidedOn } from './domain/decision.ts';
import type { Fact } from './domain/fact.ts';
import { type Fold, foldUser } from './domain/fold-user.ts';
import type { Surroundings } from './domain/surroundings.ts';
import type { Figures } from './figures.ts';
import { userKeyOf } from './lock-users.ts';

/**
 * Reads what the facts depend on, folds each user's, writes and publishes what is different. The
 * caller holds the locks of their users and shared ones of their tenants (see apply-events.ts). The
 * number of statements does not depend on how many facts there are.
 */
export type DecideFacts = (
  tx: Tx,
  facts: readonly Fact[],
  known?: {
    /** Events stored by this transaction: nothing was decided about them before. */
    fresh: ReadonlySet<string>;
    /** Claims that this transaction has locked, by business key. */
    claims: ReadonlyMap<string, Claim>;
  },
) => Promise<void>;

export function createDecideFacts(options: {
  logger: Logger;
  attributionsTopic: string;
  figures: Figures;
  fold?: Fold;
}): DecideFacts {
  const { logger, attributionsTopic, figures, fold = foldUser } = options;

  return async function decideFacts(tx, facts, known = { fresh: new Set(), claims: new Map() }) {
    const surroundings = await readSurroundings(tx, facts, known.claims);
    const foldedUnder = await readCatalogVersions(tx, distinctTenants(facts));
    const decidedBefore = facts
      .map(({ event }) => event.eventId)
      .filter((eventId) => !known.fresh.has(eventId));
    const stored =
      decidedBefore.length > 0
        ? await readDecisions(tx, decidedBefore)
        : new Map<string, StoredDecision>();

    const rows: Row[] = [];
    for (const usersFacts of Map.groupBy(facts, userKeyOf).values()) {
      rows.push(...foldSafely(usersFacts, surroundings, stored, foldedUnder));
    }
    const changed = rows.filter((row) => row.changed);
    await writeDecisions(tx, rows);
    await enqueue(
      tx,
      changed.map(({ record, json }) => ({
        topic: attributionsTopic,
        key: recordKey(record.tenantId, record.newUserId),
        value: json,
      })),
    );
    figures.decided(changed.map(({ record }) => record));
  };

  /** A fold that throws stops nobody else: that user's facts become undecided (design 6). */
  function foldSafely(
    facts: readonly Fact[],
    surroundings: Surroundings,
    stored: ReadonlyMap<string, StoredDecision>,
    versions: ReadonlyMap<string, string>,
  ): Row[] {
    const toRows = (contents: readonly DecisionContent[]) =>
      contents.flatMap((content) => {
        const foldedUnder = versions.get(content.tenantId) ?? '0';
        return toRow(content, stored.get(content.eventId), foldedUnder) ?? [];
      });
    try {
      return toRows(fold(facts, surroundings));
    } catch (error) {
      logger.error('the fold of a user threw; the facts are kept and tried again', {
        eventIds: facts.slice(0, 10).map(({ event }) => event.eventId),
        error,
      });
      figures.foldFailed();
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

async function readSurroundings(
  tx: Tx,
  facts: readonly Fact[],
  lockedClaims: ReadonlyMap<string, Claim>,
): Promise<Surroundings> {
  const wanted = new Map(
    facts.map(({ event }) => [recordKey(event.tenantId, event.ucc), event] as const),
  );
  const codes = await readCodes(tx, [...wanted.values()]);
  const known = [...codes.values()].flatMap((history) => history[0] ?? []);
  const named = new Map(known.map((code) => [recordKey(code.tenantId, code.campaignId), code]));
  const campaigns = await readRevisions(tx, [...named.values()]);

  const claims = new Map(lockedClaims);
  const others = facts.filter(({ businessKey }) => !claims.has(businessKey));
  if (others.length > 0) {
    for (const claim of await readClaimsOf(tx, others)) claims.set(claim.businessKey, claim);
  }
  return { codes, campaigns, claims };
}

function distinctTenants(facts: readonly Fact[]): string[] {
  return [...new Set(facts.map(({ event }) => event.tenantId))];
}
