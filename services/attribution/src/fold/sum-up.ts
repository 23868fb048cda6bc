import { everFirstCode, type Modes } from '@tributary/attribution-fold/attribution-mode';
import type { Fact } from '@tributary/attribution-fold/fact';
import { userKeyOf } from '@tributary/attribution-fold/fact';
import { bindUser, ownerOf } from '@tributary/attribution-fold/fold-user';
import type { DecisionContext } from '@tributary/attribution-fold/decision-context';
import { withUntimed } from '@tributary/attribution-fold/untimed-payments';
import {
  type Binding,
  mergeReferrals,
  type Referrals,
  referralsOf,
  type UserState,
} from '@tributary/attribution-fold/user-state';
import type { Work } from './gather.ts';
import type { ReferralsByUser } from '../db/read-referrals.ts';

/**
 * What the facts of a user mean to each other: whom the user was referred by, and which code binds.
 * Of a user whose facts are all at hand it is found from them; otherwise from what was stored and
 * the new facts, and when that changes something for the older ones, the user is named as outdated.
 */
type Known = {
  work: Work;
  wholeUsers: ReadonlyMap<string, readonly Fact[]>;
  states: ReadonlyMap<string, UserState>;
};

export function findReferrals(
  { work, wholeUsers, states }: Known,
  before: ReferralsByUser,
  codes: DecisionContext['codes'],
): { referrals: ReferralsByUser; outdated: string[] } {
  const fresh = freshByUser(work);
  const referrals = new Map(before);
  const outdated: string[] = [];
  const made = (facts: readonly Fact[]) => referralsOf(facts, (fact) => ownerOf(fact, codes));
  for (const [key, user] of before) {
    const locked = work.users.get(key);
    if (!locked) continue;
    const set = (own: Referrals) => referrals.set(key, { ...user, referrals: own });
    const whole = wholeUsers.get(key);
    if (states.get(key)?.ownsCodeSince === undefined) set(new Map());
    else if (whole) set(made(whole));
    else {
      const next = mergeReferrals(user.referrals, made(fresh.get(key) ?? []));
      set(next);
      const moved = (ownerId: string, eventId: string) => next.get(ownerId)?.eventId !== eventId;
      if ([...user.referrals].some(([ownerId, { eventId }]) => moved(ownerId, eventId))) {
        outdated.push(key);
      }
    }
  }
  return { referrals, outdated };
}

/** The states with the payments that nothing but their receipt tells apart. */
export function findUntimed(
  { work, wholeUsers, states }: Known,
  modes: ReadonlyMap<string, Modes>,
): { states: Map<string, UserState>; moved: string[] } {
  const { foldVersion } = work;
  const fresh = freshByUser(work);
  const found = new Map(states);
  const moved: string[] = [];
  for (const [key, { tenantId }] of work.users) {
    const state = found.get(key) ?? {};
    const whole = wholeUsers.get(key);
    const known = whole ? undefined : state.untimed;
    const settings = { foldVersion, modes: modes.get(tenantId) ?? [] };
    const summed = withUntimed(known, whole ?? fresh.get(key) ?? [], settings);
    if (summed.moved) moved.push(key);
    if (summed.untimed) found.set(key, { ...state, untimed: summed.untimed });
  }
  return { states: found, moved };
}

/** Finds them for tenants that ever were in mode `first-code`. */
export function findBindings(
  { work, wholeUsers, states }: Known,
  context: DecisionContext,
): { bindings: Map<string, Binding | null>; outdated: string[]; failed: Map<string, unknown> } {
  const fresh = freshByUser(work);
  const bindings = new Map<string, Binding | null>();
  const outdated: string[] = [];
  const failed = new Map<string, unknown>();
  for (const [key, { tenantId, hadFacts }] of work.users) {
    if (!everFirstCode(context.modes.get(tenantId) ?? [])) continue;
    const whole = wholeUsers.get(key);
    const soFar = states.get(key)?.bound;
    if (!whole && soFar === undefined && hadFacts) continue;
    try {
      const bound = whole
        ? bindUser(whole, context)
        : bindUser(fresh.get(key) ?? [], context, soFar);
      bindings.set(key, bound);
      const moved = bound?.eventId !== soFar?.eventId;
      if (!whole && hadFacts && moved) outdated.push(key);
    } catch (error) {
      failed.set(key, error);
    }
  }
  return { bindings, outdated, failed };
}

function freshByUser({ facts, fresh }: Work): Map<string, Fact[]> {
  return Map.groupBy(
    facts.filter(({ event }) => fresh.has(event.eventId)),
    userKeyOf,
  );
}
