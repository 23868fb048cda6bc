import type { EventRecord } from '@tributary/contracts/event-record';
import { inOneTurn, type Tx } from '@tributary/runtime/postgres';
import { lockCodes, lockTenants } from '../db/advisory-locks.ts';
import { readTenants } from '../db/catalog.ts';
import {
  type FreshFacts,
  markRivals,
  readFacts,
  readFactsOfKeys,
  readKnownEvents,
  readRefundsOf,
} from '../db/facts.ts';
import { addRecomputeJobs } from '../db/recompute-jobs.ts';
import { contestClaims } from '../db/contest-claims.ts';
import type { DecideFacts } from '../fold/decide-facts.ts';
import type { Claim } from '@tributary/attribution-fold/claim';
import type { Contest } from '@tributary/attribution-fold/contest';
import { type Fact, toFact } from '@tributary/attribution-fold/fact';
import { type Limits, usualLimits } from '../fold/batch-limits.ts';
import { lockUsersOf } from '../db/lock-users.ts';

export type ApplyOptions = { decideFacts: DecideFacts; limits?: Limits };

/**
 * Events, codes and the catalog come through different partitions, to different processes, in any
 * order; the current decisions must not show it. A decision depends on its fact, the code, the
 * claims on the names of its invoice and the refunds of it, the campaign's revisions, the tenant's
 * mode, what the user's facts and codes amount to (user-state.ts), and, of a loop, on the other
 * user's referrals. Every transaction takes its locks in one order: tenants, code buckets, claims,
 * users; each kind sorted; so none waits in a circle. (Claims that turn out to be too few are given
 * back and locked again with the others, contest-claims.ts.)
 *
 *   events    tenants shared, codes shared     lock claims, lock users, decide, insert facts
 *   codes     tenants shared, codes exclusive  insert codes, find facts, lock users and owners, decide
 *   catalog   tenants exclusive                insert revisions and modes, leave work
 *   sweeper   tenants shared                   find facts, lock users, decide
 *
 * New facts are written once, at the end, with what was decided about them (decision 63); until
 * then whoever reads facts adds them. Who finds then that another transaction has stored the same
 * event meanwhile begins again.
 *
 * Code and event exclude each other by the bucket. Event first: the code's transaction finds the
 * committed fact and decides it again. Code first: the event reads the committed code. Catalog and
 * event exclude each other by the tenant. Event first: its decision names an older catalog version,
 * so the work that the revision left for the sweeper finds it; of a tenant in mode `first-code` all
 * users are looked at, since an event may bind by a code that did not decide it. Catalog first: the
 * event reads the revision. Claim and claim meet at the claim's row. The second to lock it sees
 * whom the first made the holder, and all facts with the key that were committed; if it takes the
 * key away, it locks their users too and decides them again, whichever partition they came through.
 * Refunds lock the names of their invoice as well, and make rows for them when there are none, so a
 * refund and its purchase meet there, and two facts that join invoices meet at any name they share.
 * Two folds of one fact meet at its user's row. Whoever changes what a decision depends on locks
 * the user after the change, and a fold reads after it locked the user: a fold that did not see the
 * change is followed by one that does. So the sweeper and the codes need no lock on claims. What a
 * user's facts amount to is written under the user's lock by whoever adds one; and who makes a user
 * the owner of a code locks that user as well, so `ownsCodeSince` is never older than the committed
 * codes. When a late fact, or a code, changes it, all facts of the user are decided again.
 *
 * Some decisions depend on users whom a transaction has not locked, and must not lock at that
 * point:
 *
 *   - a refund follows the purchase of another user. Who decides a purchase reads its refunds after
 *     it locked the purchase's user. A refund whose user it has not locked is left to the sweeper;
 *     one that it does not see yet comes with a transaction that still has to lock the purchase's
 *     user, and decides both.
 *   - a loop: a referral of B by A is evaluated by A's referral by B. Who writes a referral leaves
 *     work for the owner of the code, always, and reads the opposite one without a lock. Of two
 *     transactions that do not see each other, each has left work for the other's user; work is
 *     done in a later transaction, which locks the user and sees both. Only users that own a code
 *     have referrals noted; who becomes an owner is locked by the code's transaction, which notes
 *     those that are there.
 *
 * Such work is a row of `refold`, committed with the change that calls for it, so it is never lost;
 * it only ever leads to the decision that the facts call for, so there may be too much of it.
 */
export function createApplyEvents({ decideFacts, limits = usualLimits }: ApplyOptions) {
  return async function applyEvents(tx: Tx, records: readonly EventRecord[]): Promise<void> {
    const facts = distinct(records).map(toFact);
    const events = facts.map(({ event }) => event);
    const tenantIds = [...new Set(events.map(({ tenantId }) => tenantId))];
    const [, , known, tenants] = await inOneTurn([
      lockTenants(tx, 'shared', tenantIds),
      lockCodes(tx, 'shared', events),
      readKnownEvents(
        tx,
        events.map(({ eventId }) => eventId),
      ),
      readTenants(tx, tenantIds),
    ]);
    const fresh = new Map(
      facts
        .filter(({ event }) => !known.has(event.eventId))
        .map((fact) => [fact.event.eventId, fact]),
    );
    if (fresh.size === 0) return;

    const contested = await contestClaims(tx, fresh);
    const touched = [...fresh.values(), ...(await factsTouchedBy(tx, contested, fresh, limits))];
    const users = await lockUsersOf(tx, { facts: touched, fresh });
    // Behind the users, like every write of a fact: else two transactions could wait for each
    // other.
    await markRivals(
      tx,
      contested.displaced.map(({ eventId }) => eventId),
    );
    const { claims, unrefunded } = contested;
    await decideFacts(tx, { facts: touched, users, fresh, claims, unrefunded, tenants });
  };
}

/** A copy in the same batch changes nothing; neither does one that comes later. */
function distinct(events: readonly EventRecord[]): EventRecord[] {
  return [
    ...new Map(events.toReversed().map((event) => [event.eventId, event])).values(),
  ].reverse();
}

/**
 * All older facts of an invoice that changed hands, met another name or got a refund: they name the
 * holder, follow it, or tell what is left of it. Where they are very many, only those that lose the
 * key and those that hold it are decided at once, and the sweeper tells the others.
 */
async function factsTouchedBy(
  tx: Tx,
  { claims, touched, displaced }: Contest,
  fresh: FreshFacts,
  { factsAtOnce }: Limits,
): Promise<Fact[]> {
  if (touched.length === 0) return [];
  const invoices = new Set(touched.map(invoiceOf));
  const names = [...claims.values()].filter((claim) => invoices.has(invoiceOf(claim)));
  const limit = factsAtOnce + 1;
  // Who loses a key now is marked later, so it is not found by the key.
  const losers = displaced.map(({ eventId }) => eventId).filter((id) => !fresh.has(id));
  const found = [
    ...(await readFactsOfKeys(tx, names, limit)),
    ...(await readFacts(tx, losers)),
    ...(await readRefundsOf(tx, names, { limit })),
  ];
  const older = [...new Map(found.map((fact) => [fact.event.eventId, fact])).values()];
  if (older.length <= factsAtOnce) return older;
  await addRecomputeJobs(
    tx,
    touched.map(({ tenantId, businessKey }) => ({
      tenantId,
      scope: 'claim' as const,
      subject: businessKey,
    })),
  );
  const holders = touched.flatMap(({ holder }) => holder ?? []);
  const first = [...displaced, ...holders].map(({ eventId }) => eventId);
  return readFacts(
    tx,
    [...new Set(first)].filter((eventId) => !fresh.has(eventId)),
  );
}

function invoiceOf(claim: Claim): string {
  return claim.invoice ?? claim.businessKey;
}
