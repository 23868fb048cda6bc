import type { CampaignRevisionRecord } from '@tributary/contracts/catalog-record';
import type { CodeRecord } from '@tributary/contracts/code-record';
import type { DecisionRecord } from '@tributary/contracts/decision-record';
import type { EventRecord } from '@tributary/contracts/event-record';
import { effectiveFromSeconds } from '@tributary/contracts/revision-in-force';
import { recordKey } from '@tributary/contracts/topics';
import { beats, bestClaims, type Claim } from '../domain/claim.ts';
import { toHistory } from '../domain/code-history.ts';
import { type DecisionContent, nextVersion } from '../domain/decision.ts';
import { type Fact, toFact } from '../domain/fact.ts';
import { foldUser } from '../domain/fold-user.ts';
import type { Revision } from '../domain/revision.ts';
import type { Surroundings } from '../domain/surroundings.ts';

/**
 * The service without servers: maps for tables, the same pure parts, and the same rule of what each
 * arrival touches. {@link decideFromScratch} is what it must come to.
 */
export function createModel() {
  const facts = new Map<string, Fact>();
  const claims = new Map<string, Claim>();
  const codes = new Map<string, CodeRecord[]>();
  const campaigns = new Map<string, Revision[]>();
  const decisions = new Map<string, { record: DecisionRecord; foldedUnder: number }>();
  const published: DecisionRecord[] = [];
  let catalogVersion = 0;
  let sweeps: { campaign: string; fromSeconds: string; below: number }[] = [];

  function decide(touched: readonly Fact[]): void {
    const surroundings = { codes: histories(codes), claims, campaigns };
    for (const own of Map.groupBy(touched, ({ event }) => event.newUser.id).values()) {
      for (const content of foldUser(own, surroundings)) {
        const stored = decisions.get(content.eventId)?.record;
        const next = nextVersion(stored, content);
        if (next) published.push(next);
        const record = next ?? stored;
        if (record) decisions.set(content.eventId, { record, foldedUnder: catalogVersion });
      }
    }
  }

  return {
    receive(...events: EventRecord[]): void {
      const fresh = new Map<string, Fact>();
      for (const event of events) {
        if (!facts.has(event.eventId)) fresh.set(event.eventId, toFact(event));
      }
      for (const [eventId, fact] of fresh) facts.set(eventId, fact);
      const moved = new Set<string>();
      for (const challenger of bestClaims([...fresh.values()])) {
        const present = claims.get(challenger.businessKey);
        if (present && !beats(challenger, present)) continue;
        claims.set(challenger.businessKey, challenger);
        if (present) moved.add(present.businessKey);
      }
      const touched = (fact: Fact) => fresh.has(fact.event.eventId) || moved.has(fact.businessKey);
      decide([...facts.values()].filter(touched));
    },

    issue(...records: CodeRecord[]): void {
      const changed = new Set<string>();
      for (const record of records) {
        const key = recordKey(record.tenantId, record.ucc);
        const known = codes.get(key) ?? [];
        if (known.some(({ version }) => version === record.version)) continue;
        codes.set(key, [...known, record]);
        changed.add(key);
      }
      const carries = ({ event }: Fact) => changed.has(recordKey(event.tenantId, event.ucc));
      decide([...facts.values()].filter(carries));
    },

    publish(record: CampaignRevisionRecord): void {
      const key = recordKey(record.tenantId, record.campaignId);
      const known = campaigns.get(key) ?? [];
      if (known.some(({ revision }) => revision === record.revision)) return;
      const revision = toRevision(record);
      campaigns.set(key, [...known, revision]);
      catalogVersion += 1;
      sweeps.push({
        campaign: record.campaignId,
        fromSeconds: revision.effectiveFromSeconds,
        below: catalogVersion,
      });
    },

    sweep(): void {
      for (const { campaign, fromSeconds, below } of sweeps) {
        const due = [...decisions.values()].filter(
          ({ record, foldedUnder }) =>
            record.campaignId === campaign &&
            foldedUnder < below &&
            Number(record.occurredAtSeconds) >= Number(fromSeconds),
        );
        decide(due.flatMap(({ record }) => facts.get(record.eventId) ?? []));
      }
      sweeps = [];
    },

    current: (): DecisionContent[] =>
      [...decisions.values()].map(({ record }) => withoutVersion(record)).sort(byEvent),
    published: () => published,
  };
}

/** One fold of each user over everything at once: what current decisions are a function of. */
export function decideFromScratch(input: {
  events: readonly EventRecord[];
  codes: readonly CodeRecord[];
  revisions: readonly CampaignRevisionRecord[];
}): DecisionContent[] {
  const events = new Map(input.events.map((event) => [event.eventId, event]));
  const facts = [...events.values()].map(toFact);
  const surroundings: Surroundings = {
    codes: histories(Map.groupBy(input.codes, (c) => recordKey(c.tenantId, c.ucc))),
    claims: new Map(bestClaims(facts).map((claim) => [claim.businessKey, claim])),
    campaigns: new Map(
      [...Map.groupBy(input.revisions, (r) => recordKey(r.tenantId, r.campaignId))].map(
        ([key, records]) => [key, records.map(toRevision)],
      ),
    ),
  };
  return [...Map.groupBy(facts, ({ event }) => recordKey(event.tenantId, event.newUser.id))]
    .flatMap(([, own]) => foldUser(own, surroundings))
    .sort(byEvent);
}

export function withoutVersion({ version: _version, ...content }: DecisionRecord): DecisionContent {
  return content;
}

export function byEvent(a: { eventId: string }, b: { eventId: string }): number {
  return a.eventId < b.eventId ? -1 : 1;
}

function histories(codes: ReadonlyMap<string, readonly CodeRecord[]>): Surroundings['codes'] {
  return new Map([...codes].map(([key, records]) => [key, toHistory(records)]));
}

function toRevision({ revision, status, effectiveFrom }: CampaignRevisionRecord): Revision {
  const fromSeconds = effectiveFromSeconds(effectiveFrom) ?? '0';
  return { revision, status, effectiveFrom, effectiveFromSeconds: fromSeconds };
}
