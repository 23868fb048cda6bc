import type { Fact } from './fact.ts';
import { comparePrecedence, isRecovered, type Precedence, precedenceOf } from './precedence.ts';
import type { UntimedPayments } from './untimed-payments.ts';

/**
 * What decisions about a referred user depend on besides the fact itself, as a sum of all the
 * user's facts and of the codes that the user owns. Kept beside the user's lock, so that a fact in
 * order is decided without a look at those before it.
 */
export type UserState = {
  /** The first fact (precedence.ts) that is no refund. */
  first?: Precedence;
  /** When the first of all facts was received; absent: there is no fact. */
  firstReceivedAt?: string;
  /** When the first of a backend's was; null: there is none; absent: it is the first of all. */
  firstReportedAt?: string | null;
  /** When the first code of which this user is the owner was issued. */
  ownsCodeSince?: string;
  /** The fact whose code binds (mode `first-code`); null: none does; absent: nobody has looked. */
  bound?: Binding | null;
  /** From fold version 2 on; absent: there are none. */
  untimed?: UntimedPayments;
};

export type Binding = Precedence & { ucc: string };

/** Who owns a code on a fact of the user: from the first such fact. */
export type Referrals = ReadonlyMap<string, Precedence>;

export function withFacts(state: UserState, facts: readonly Fact[]): UserState {
  const { firstReportedAt: known = state.firstReceivedAt, ...next }: UserState = state;
  let reportedAt = known ?? undefined;
  for (const { event } of facts) {
    next.firstReceivedAt = earlier(next.firstReceivedAt, event.receivedAt);
    if (!isRecovered(event)) reportedAt = earlier(reportedAt, event.receivedAt);
    if (event.eventType === 'purchase-refunded') continue;
    const precedence = precedenceOf(event);
    if (!next.first || comparePrecedence(precedence, next.first) < 0) next.first = precedence;
  }
  if (reportedAt === next.firstReceivedAt) return next;
  return { ...next, firstReportedAt: reportedAt ?? null };
}

function earlier(a: string | undefined, b: string): string {
  return a === undefined || b < a ? b : a;
}

export function hasFacts(state: UserState): boolean {
  return state.firstReceivedAt !== undefined;
}

/** If not, facts of the user may be decided differently under the other state. */
export function sameState(a: UserState, b: UserState): boolean {
  return (
    a.first?.eventId === b.first?.eventId &&
    a.firstReceivedAt === b.firstReceivedAt &&
    a.firstReportedAt === b.firstReportedAt &&
    a.ownsCodeSince === b.ownsCodeSince &&
    sameBinding(a.bound, b.bound) &&
    sameUntimed(a.untimed, b.untimed)
  );
}

function sameUntimed(a: UntimedPayments = {}, b: UntimedPayments = {}): boolean {
  const textOf = (all: UntimedPayments) =>
    JSON.stringify(
      Object.entries(all)
        .map(([key, { payments, last }]) => [
          key,
          ...[...payments, last].map(({ eventId }) => eventId),
        ])
        .sort(([p = ''], [q = '']) => (p < q ? -1 : 1)),
    );
  return a === b || textOf(a) === textOf(b);
}

function sameBinding(a: UserState['bound'], b: UserState['bound']): boolean {
  if (!a || !b) return a === b;
  return a.eventId === b.eventId && a.ucc === b.ucc;
}

/** The earlier of what was known of each owner and what these add. */
export function mergeReferrals(known: Referrals, more: Referrals): Map<string, Precedence> {
  const merged = new Map(known);
  for (const [ownerId, fact] of more) {
    const rival = merged.get(ownerId);
    if (!rival || comparePrecedence(fact, rival) < 0) merged.set(ownerId, fact);
  }
  return merged;
}

/**
 * The referrals that these facts make: by the owner of the code on each, whatever the decision
 * about it, since a decision may itself depend on them.
 */
export function referralsOf(
  facts: readonly Fact[],
  ownerOf: (fact: Fact) => string | undefined,
): Map<string, Precedence> {
  let referrals = new Map<string, Precedence>();
  for (const fact of facts) {
    if (fact.event.eventType === 'purchase-refunded') continue;
    const ownerId = ownerOf(fact);
    if (ownerId === undefined || ownerId === fact.event.newUser.id) continue;
    referrals = mergeOne(referrals, ownerId, precedenceOf(fact.event));
  }
  return referrals;
}

function mergeOne(into: Map<string, Precedence>, ownerId: string, fact: Precedence) {
  const rival = into.get(ownerId);
  if (!rival || comparePrecedence(fact, rival) < 0) into.set(ownerId, fact);
  return into;
}
