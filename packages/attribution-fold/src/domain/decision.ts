import { cutFraction } from '@tributary/contracts/cut-fraction';
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
    occurredAt: cutFraction(event.occurredAt),
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

/** What has to be known of the current version to tell whether there is a next one. */
export type KnownVersion = { version: number; digest: string };

/**
 * The next version, or undefined when nothing but the version would change. `digest` is that of the
 * content, which leaves out the schema: a new one alone is no new version.
 */
export function nextVersion(
  known: KnownVersion | undefined,
  content: DecisionContent,
  digest: string,
): DecisionRecord | undefined {
  if (known?.digest === digest) return undefined;
  return { ...content, version: (known?.version ?? 0) + 1 };
}
