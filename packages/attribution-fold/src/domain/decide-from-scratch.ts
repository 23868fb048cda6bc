import type { CampaignRevisionRecord, TenantRecord } from '@tributary/contracts/catalog-record';
import type { CodeRecord } from '@tributary/contracts/code-record';
import type { DecisionRecord } from '@tributary/contracts/decision-record';
import type { EventRecord } from '@tributary/contracts/event-record';
import { effectiveFromSeconds } from '@tributary/contracts/revision-in-force';
import { recordKey } from '@tributary/contracts/topics';
import { everFirstCode, toDatedMode } from './attribution-mode.ts';
import type { Claim } from './claim.ts';
import { originOf, toHistory } from './code-history.ts';
import { contest } from './contest.ts';
import type { DecisionContent } from './decision.ts';
import { type Fact, isRefund, namesOf, toFact, userKeyOf } from './fact.ts';
import { bindUser, foldUser, ownerOf } from './fold-user.ts';
import { type FoldVersion, newestFoldVersion } from './fold-version.ts';
import { type Invoice, toInvoice } from './invoice.ts';
import { type Revision, settingsOf } from './revision.ts';
import type { Precedence } from './precedence.ts';
import { referralKey, type DecisionContext } from './decision-context.ts';
import { withUntimed } from './untimed-payments.ts';
import { referralsOf, type UserState, withFacts } from './user-state.ts';

/** Everything that ever arrived, as sets: what current decisions are a function of (promise 4). */
export type History = {
  events: readonly EventRecord[];
  codes: readonly CodeRecord[];
  revisions: readonly CampaignRevisionRecord[];
  tenants?: readonly TenantRecord[];
  /** Default: the newest. */
  foldVersion?: FoldVersion;
};

/** One fold of each user over everything at once; nothing is remembered, nothing is saved. */
export function decideFromScratch(history: History): DecisionContent[] {
  const { foldVersion = newestFoldVersion } = history;
  const events = new Map(history.events.map((event) => [event.eventId, event]));
  const facts = [...events.values()].map(toFact);
  const byUser = Map.groupBy(facts, userKeyOf);
  const codes = new Map(
    [...Map.groupBy(history.codes, (code) => recordKey(code.tenantId, code.ucc))].map(
      ([key, records]) => [key, toHistory(records)],
    ),
  );
  const users = new Map<string, UserState>();
  for (const [key, own] of byUser) {
    const since = [...codes.values()]
      .map(originOf)
      .filter((code) => recordKey(code.tenantId, code.productUserId) === key)
      .map((code) => code.at)
      .sort()[0];
    users.set(key, {
      ...withFacts({}, own),
      ...(since !== undefined && { ownsCodeSince: since }),
    });
  }
  const context: DecisionContext = {
    foldVersion,
    codes,
    users,
    ...invoicesOf(facts),
    campaigns: new Map(
      [...Map.groupBy(history.revisions, (r) => recordKey(r.tenantId, r.campaignId))].map(
        ([key, records]) => [key, records.map(toRevision)],
      ),
    ),
    referrals: allReferrals(byUser, codes),
    modes: new Map(
      [...Map.groupBy(history.tenants ?? [], (tenant) => tenant.tenantId)].map(([id, own]) => [
        id,
        own.map(toDatedMode),
      ]),
    ),
  };
  for (const [key, own] of byUser) {
    const modes = context.modes.get(own[0]!.event.tenantId) ?? [];
    const { untimed } = withUntimed(undefined, own, { foldVersion, modes });
    if (untimed) users.set(key, { ...users.get(key), untimed });
    if (!everFirstCode(modes)) continue;
    users.set(key, { ...users.get(key), bound: bindUser(own, context) });
  }
  return [...byUser.values()].flatMap((own) => foldUser(own, context)).sort(byEvent);
}

/**
 * Who holds what these facts name, and what is left of it; right when no other fact names any of
 * it.
 */
export function invoicesOf(facts: readonly Fact[]): {
  claims: Map<string, Claim>;
  invoices: Map<string, Invoice>;
} {
  const { claims } = contest(facts, new Map());
  const byId = new Map(facts.map((fact) => [fact.event.eventId, fact]));
  const invoiceOf = (name: string) => claims.get(name)?.invoice ?? name;
  const refunds = facts.filter((fact) => isRefund(fact) && namesOf(fact).length > 0);
  const refundsOf = Map.groupBy(refunds, (refund) => invoiceOf(namesOf(refund)[0]!));
  const invoices = new Map(
    [...claims.values()].flatMap(({ businessKey, holder }) => {
      const own = refundsOf.get(invoiceOf(businessKey));
      if (!own) return [];
      return [[businessKey, toInvoice(holder && byId.get(holder.eventId), own)] as const];
    }),
  );
  return { claims, invoices };
}

function allReferrals(
  byUser: ReadonlyMap<string, readonly Fact[]>,
  codes: DecisionContext['codes'],
): Map<string, Precedence> {
  const all = new Map<string, Precedence>();
  for (const own of byUser.values()) {
    const { tenantId, newUser } = own[0]!.event;
    for (const [ownerId, fact] of referralsOf(own, (f) => ownerOf(f, codes))) {
      all.set(referralKey(tenantId, newUser.id, ownerId), fact);
    }
  }
  return all;
}

export function toRevision(record: CampaignRevisionRecord): Revision {
  const { revision, status, effectiveFrom } = record;
  const fromSeconds = effectiveFromSeconds(effectiveFrom) ?? '0';
  return {
    ...{ revision, status, effectiveFrom },
    effectiveFromSeconds: fromSeconds,
    ...settingsOf(record),
  };
}

export function withoutVersion({ version: _version, ...content }: DecisionRecord): DecisionContent {
  return content;
}

export function byEvent(a: { eventId: string }, b: { eventId: string }): number {
  return a.eventId < b.eventId ? -1 : 1;
}
