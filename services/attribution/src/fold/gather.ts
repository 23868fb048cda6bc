import { recordKey } from '@tributary/contracts/topics';
import type { Tx } from '@tributary/runtime/postgres';
import { readRevisions, readTenants, type TenantCatalog } from '../db/catalog.ts';
import { readClaims } from '../db/claims.ts';
import { readCodes } from '../db/codes.ts';
import type { FreshFacts } from '../db/facts.ts';
import { readUsers, type UserKey } from '../db/referred-users.ts';
import { everFirstCode } from '@tributary/attribution-fold/attribution-mode';
import type { Claim } from '@tributary/attribution-fold/claim';
import { type CodeHistory, originOf } from '@tributary/attribution-fold/code-history';
import { type Fact, isRefund, namesOf, userKeyOf } from '@tributary/attribution-fold/fact';
import type { FoldVersion } from '@tributary/attribution-fold/fold-version';
import type { DecisionContext } from '@tributary/attribution-fold/decision-context';
import { sameState, type UserState } from '@tributary/attribution-fold/user-state';
import { type LockedUsers, toUser } from '../db/lock-users.ts';
import { type Invoices, readInvoices } from '../db/read-invoices.ts';
import { oppositesOf, type ReferralsByUser, readReferralsByUser } from '../db/read-referrals.ts';
import { readWholeUsers, sumUp } from '../db/read-whole-users.ts';
import { findBindings, findReferrals, findUntimed } from './sum-up.ts';

/** Facts to be decided, and what the caller knows of them. */
export type Work = {
  foldVersion: FoldVersion;
  facts: readonly Fact[];
  /** Users of all the facts, at least. */
  users: LockedUsers;
  /** Those of the facts that this transaction is about to store with what is decided. */
  fresh: FreshFacts;
  /** Claims that this transaction has locked, by business key. */
  claims: ReadonlyMap<string, Claim>;
  /** The tenants' catalogs, where the caller has read them under its locks. */
  tenants?: ReadonlyMap<string, TenantCatalog>;
  /** Keys of invoices of which no refund has come. */
  unrefunded: ReadonlySet<string>;
  /** Locked users that are summed up from all their facts. */
  sumUp: readonly UserKey[];
  /**
   * Codes or revisions may have changed under older facts: users that own a code, or may be bound
   * to one, are summed up as well.
   */
  recheck: boolean;
  /**
   * Users are summed up, whatever the number of their facts, without deciding all of them again.
   */
  sumOnly: boolean;
  /** Otherwise those with more are left to the sweeper (batch-limits.ts). */
  factsOfUser: number;
};

export type Gathered = {
  context: DecisionContext;
  tenants: ReadonlyMap<string, TenantCatalog>;
  /** All facts of the users that were summed up, by user. */
  wholeUsers: ReadonlyMap<string, readonly Fact[]>;
  /** Locked users as they are now. */
  states: ReadonlyMap<string, UserState>;
  /** Referrals as they were stored and as they are now, of locked users. */
  referrals: { before: ReferralsByUser; after: ReferralsByUser };
  /** To be summed up, but with too many facts for this transaction. */
  tooLarge: string[];
  /** Users whose binding could not be found: their fold would not be right. */
  failed: Map<string, unknown>;
};

/**
 * Reads what the decisions about the facts depend on, and sums up the users anew where needed: from
 * the new facts alone while these come in order, from all facts of the user otherwise. The number
 * of statements does not depend on how many facts there are.
 */
export async function gather(tx: Tx, work: Work): Promise<Gathered> {
  const tenants = work.tenants ?? (await readTenants(tx, tenantsOf(work)));
  let wanted = usersToSumUp(work, tenants);
  for (;;) {
    const { gathered, outdated } = await gatherOnce(tx, work, tenants, wanted);
    if (outdated.length === 0) return gathered;
    // A late fact has changed what the older ones mean: once more, with all of them.
    wanted = new Set([...wanted, ...outdated]);
  }
}

function usersToSumUp(work: Work, tenants: Gathered['tenants']): Set<string> {
  const wanted = new Set(work.sumUp.map((user) => recordKey(user.tenantId, user.newUserId)));
  for (const [key, { tenantId, stored, state, hadFacts }] of work.users) {
    const mayBind = everFirstCode(tenants.get(tenantId)?.modes ?? []);
    const neverSummed = stored === null || (mayBind && hadFacts && state.bound === undefined);
    const late = hadFacts && stored !== null && !sameState(stored, state);
    const recheck = work.recheck && hadFacts && (mayBind || state.ownsCodeSince !== undefined);
    if (neverSummed || late || recheck) wanted.add(key);
  }
  return wanted;
}

async function gatherOnce(
  tx: Tx,
  work: Work,
  tenants: Gathered['tenants'],
  wanted: ReadonlySet<string>,
): Promise<{ gathered: Gathered; outdated: string[] }> {
  const { wholeUsers, tooLarge } = await readWholeUsers(tx, work, wanted);
  const summed = [...wholeUsers.values()].flat();
  const inPlay = work.sumOnly ? work.facts : distinct([...work.facts, ...summed]);
  const payments = inPlay.filter((fact) => !work.unrefunded.has(namesOf(fact)[0] ?? ''));
  const invoices = await readInvoices(tx, payments, work.claims, work.fresh);
  const evaluated = distinct([...inPlay, ...purchasesOf(inPlay, invoices)]);
  const summedUp = await sumUp(tx, work.users, wholeUsers);
  const modes = new Map([...tenants].map(([tenantId, tenant]) => [tenantId, tenant.modes]));
  const { states, moved } = findUntimed({ work, wholeUsers, states: summedUp }, modes);
  const users = new Map([...(await readOthers(tx, evaluated, work.users)), ...states]);
  const codes = await readCodes(tx, codesOf([...evaluated, ...summed], users));
  const campaigns = await readRevisions(tx, campaignsOf(codes));
  const claims = await readClaimsOf(tx, evaluated, work);

  const before = await readReferralsByUser(tx, ownersAmong(evaluated, users, work.users));
  const known = { work, wholeUsers, states };
  const found = findReferrals(known, before, codes);
  const context: DecisionContext = {
    ...{ foldVersion: work.foldVersion, codes, campaigns, claims, invoices, users, modes },
    referrals: await oppositesOf(tx, found.referrals),
  };
  const { bindings, outdated, failed } = findBindings(known, context);
  for (const [key, bound] of bindings) {
    const state = { ...states.get(key), bound };
    states.set(key, state);
    users.set(key, state);
  }
  return {
    gathered: {
      ...{ context, tenants, wholeUsers, states, tooLarge, failed },
      referrals: { before, after: found.referrals },
    },
    outdated: [...found.outdated, ...moved, ...outdated].filter((key) => !wanted.has(key)),
  };
}

/** Users of purchases that refunds follow, as far as they are not locked. */
async function readOthers(
  tx: Tx,
  evaluated: readonly Fact[],
  locked: LockedUsers,
): Promise<Map<string, UserState>> {
  const others = new Map(
    evaluated.flatMap((fact) => {
      const key = userKeyOf(fact);
      return locked.has(key) ? [] : [[key, toUser(fact)] as const];
    }),
  );
  return others.size > 0 ? readUsers(tx, [...others.values()]) : new Map<string, UserState>();
}

function purchasesOf(facts: readonly Fact[], invoices: Invoices): Fact[] {
  return facts
    .filter(isRefund)
    .flatMap((refund) => invoices.get(namesOf(refund)[0] ?? '')?.purchase ?? []);
}

type CodeKey = { tenantId: string; ucc: string };

/** Codes on the facts, and those that bind their users. */
function codesOf(facts: readonly Fact[], users: ReadonlyMap<string, UserState>): CodeKey[] {
  const codes = new Map<string, CodeKey>();
  for (const fact of facts) {
    const { tenantId, ucc } = fact.event;
    codes.set(recordKey(tenantId, ucc), { tenantId, ucc });
    const bound = users.get(userKeyOf(fact))?.bound;
    if (bound) codes.set(recordKey(tenantId, bound.ucc), { tenantId, ucc: bound.ucc });
  }
  return [...codes.values()];
}

function campaignsOf(codes: ReadonlyMap<string, CodeHistory>) {
  const named = [...codes.values()].map(originOf);
  return [
    ...new Map(named.map((code) => [recordKey(code.tenantId, code.campaignId), code])).values(),
  ];
}

async function readClaimsOf(
  tx: Tx,
  facts: readonly Fact[],
  { claims: locked, fresh }: Work,
): Promise<Map<string, Claim>> {
  const claims = new Map(locked);
  const others = facts
    // A refund that names an invoice is told by the invoice.
    .filter((fact) => !isRefund(fact) || namesOf(fact).length === 0)
    .filter(({ businessKey }) => !claims.has(businessKey))
    .map(({ event, businessKey }) => ({ tenantId: event.tenantId, businessKey }));
  if (others.length > 0) {
    for (const claim of await readClaims(tx, others, fresh)) claims.set(claim.businessKey, claim);
  }
  return claims;
}

/** Users that own a code or did: only they can be part of a loop. */
function ownersAmong(
  facts: readonly Fact[],
  users: ReadonlyMap<string, UserState>,
  locked: LockedUsers,
): UserKey[] {
  const owners = new Map<string, UserKey>();
  for (const [key, user] of locked) {
    const owned = user.stored === null || user.stored.ownsCodeSince !== undefined;
    if (owned || users.get(key)?.ownsCodeSince !== undefined) owners.set(key, user);
  }
  for (const fact of facts) {
    const key = userKeyOf(fact);
    if (users.get(key)?.ownsCodeSince !== undefined) owners.set(key, toUser(fact));
  }
  return [...owners.values()];
}

function tenantsOf({ facts, users }: Work): string[] {
  const named = [
    ...facts.map(({ event }) => event.tenantId),
    ...[...users.values()].map((user) => user.tenantId),
  ];
  return [...new Set(named)];
}

function distinct(facts: readonly Fact[]): Fact[] {
  return [...new Map(facts.map((fact) => [fact.event.eventId, fact])).values()];
}
