import type { EventRecord } from '@tributary/contracts/event-record';
import type { Tx } from '@tributary/runtime/postgres';
import { lockCodes, lockTenants } from './adapters/postgres/advisory-locks.ts';
import { insertClaims, lockClaims, moveClaims } from './adapters/postgres/claims.ts';
import { insertFacts, readFacts, readFactsOfKeys } from './adapters/postgres/facts.ts';
import { addRefolds } from './adapters/postgres/refolds.ts';
import type { DecideFacts } from './decide-facts.ts';
import { beats, bestClaims, type Claim } from './domain/claim.ts';
import { type Fact, toFact } from './domain/fact.ts';
import { lockUsersOf } from './lock-users.ts';

/**
 * Events, codes and the catalog come through different partitions, to different processes, in any
 * order; the current decisions must not show it. A decision depends on its fact, the code, the
 * claim on the business key and the campaign's revisions. Every transaction takes its locks in one
 * order: tenants, code buckets, claims, users; each kind sorted; so none waits in a circle.
 *
 *   events    tenants shared, codes shared     insert facts, lock claims, lock users, decide
 *   codes     tenants shared, codes exclusive  insert codes, find facts, lock users, decide
 *   catalog   tenants exclusive                insert revisions, raise the version, leave work
 *   sweeper   tenants shared                   find facts, lock users, decide
 *
 * Code and event exclude each other by the bucket. Event first: the code's transaction finds the
 * committed fact and decides it again. Code first: the event reads the committed code.
 * Catalog and event exclude each other by the tenant. Event first: its decision names an older
 * catalog version, so the work that the revision left for the sweeper finds it. Catalog first: the
 * event reads the revision.
 * Claim and claim meet at the claim's row. The second to lock it sees whom the first made the
 * holder, and all facts with the key that were committed; if it takes the key away, it locks their
 * users too and decides them again, whichever partition they came through.
 * Two folds of one fact meet at its user's row. Whoever changes what a decision depends on locks
 * the user after the change, and a fold reads after it locked the user: a fold that did not see the
 * change is followed by one that does. So the sweeper and the codes need no lock on claims.
 */
export function createApplyEvents({ decideFacts }: { decideFacts: DecideFacts }) {
  return async function applyEvents(tx: Tx, events: readonly EventRecord[]): Promise<void> {
    const facts = distinct(events).map(toFact);
    await lockTenants(
      tx,
      'shared',
      facts.map(({ event }) => event.tenantId),
    );
    await lockCodes(
      tx,
      'shared',
      facts.map(({ event }) => event),
    );
    const newIds = await insertFacts(tx, facts);
    const fresh = facts.filter(({ event }) => newIds.has(event.eventId));
    if (fresh.length === 0) return;

    const { claims, displaced } = await contest(tx, fresh);
    const touched = [...fresh, ...(await factsTouchedBy(tx, displaced, newIds))];
    await lockUsersOf(tx, touched);
    await decideFacts(tx, touched, { fresh: newIds, claims });
  };
}

/** A copy in the same batch changes nothing; neither does one that comes later. */
function distinct(events: readonly EventRecord[]): EventRecord[] {
  return [
    ...new Map(events.toReversed().map((event) => [event.eventId, event])).values(),
  ].reverse();
}

/** Locks the claims on all keys of the new facts; who holds them then, and who did and lost. */
async function contest(
  tx: Tx,
  fresh: readonly Fact[],
): Promise<{ claims: Map<string, Claim>; displaced: Claim[] }> {
  const challengers = bestClaims(fresh);
  const claims = new Map(challengers.map((claim) => [claim.businessKey, claim]));
  const taken = await insertClaims(tx, challengers);
  const contested = challengers.filter(({ businessKey }) => !taken.has(businessKey));
  if (contested.length === 0) return { claims, displaced: [] };

  const displaced: Claim[] = [];
  const moved: Claim[] = [];
  for (const present of await lockClaims(tx, contested)) {
    const challenger = claims.get(present.businessKey);
    if (challenger && beats(challenger, present)) {
      moved.push(challenger);
      displaced.push(present);
    } else {
      claims.set(present.businessKey, present);
    }
  }
  if (moved.length > 0) await moveClaims(tx, moved);
  return { claims, displaced };
}

const maxFactsAtOnce = 1_000;

/**
 * All older facts with a key that changed hands: each names the holder. Where they are very many,
 * only those that lose the key are decided at once, and the sweeper tells the others.
 */
async function factsTouchedBy(
  tx: Tx,
  displaced: readonly Claim[],
  newIds: ReadonlySet<string>,
): Promise<Fact[]> {
  if (displaced.length === 0) return [];
  const limit = maxFactsAtOnce + newIds.size;
  const found = await readFactsOfKeys(tx, displaced, limit + 1);
  const older = found.filter(({ event }) => !newIds.has(event.eventId));
  if (found.length <= limit) return older;
  await addRefolds(
    tx,
    displaced.map(({ tenantId, businessKey }) => ({
      tenantId,
      scope: 'claim' as const,
      subject: businessKey,
    })),
  );
  return readFacts(
    tx,
    displaced.map(({ holder }) => holder.eventId),
  );
}
