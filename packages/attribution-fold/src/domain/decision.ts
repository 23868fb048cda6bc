import { type DecisionRecord, decisionSchemaVersion } from '@tributary/contracts/decision-record';
import { derivedId } from '@tributary/contracts/derived-id';
import type { Fact } from './fact.ts';

/** A decision without its version: what promise 4 compares (design 4). */
export type DecisionContent = Omit<DecisionRecord, 'version'>;

type Verdict = Pick<
  DecisionContent,
  | 'outcome'
  | 'reason'
  | 'boundUcc'
  | 'duplicateOf'
  | 'refundOf'
  | 'reversals'
  | 'waitsUntil'
  | 'review'
  | 'campaignId'
  | 'campaignRevision'
  | 'referrerId'
  | 'flags'
  | 'tests'
>;

/** The verdict with its inputs. */
export function decisionOn({ event, businessKey }: Fact, verdict: Verdict): DecisionContent {
  return {
    schemaVersion: decisionSchemaVersion,
    decisionId: derivedId('decision', event.tenantId, event.eventId),
    tenantId: event.tenantId,
    eventId: event.eventId,
    eventType: event.eventType,
    source: event.source,
    newUserId: event.newUser.id,
    ...(event.newUser.organizationId !== undefined && {
      organizationId: event.newUser.organizationId,
    }),
    ucc: event.ucc,
    occurredAt: event.occurredAt,
    occurredAtSeconds: event.occurredAtSeconds,
    receivedAt: event.receivedAt,
    ...(event.eventType === 'purchase-created' && { purchase: event.purchase }),
    ...(event.eventType === 'purchase-refunded' && { refund: event.refund }),
    businessKey,
    ...verdict,
  };
}

/** For a fact whose fold threw: kept and published, and tried again later (design 6). */
export function undecidedOn(fact: Fact): DecisionContent {
  return decisionOn(fact, { outcome: 'undecided', reason: 'internal', flags: [], tests: [] });
}

/** The next version, or undefined when nothing but the version would change. */
export function nextVersion(
  stored: DecisionRecord | undefined,
  content: DecisionContent,
): DecisionRecord | undefined {
  if (!stored) return { ...content, version: 1 };
  const { version, ...storedContent } = stored;
  const { schemaVersion } = content;
  // In whatever form it was stored: a new schema alone is no new version.
  if (canonical({ ...storedContent, schemaVersion }) === canonical(content)) return undefined;
  return { ...content, version: version + 1 };
}

/** Text in which the order of members does not matter. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_name, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  );
}
