import type { DecisionRecord } from '@tributary/contracts/decision-record';
import { decisionDigest } from '@tributary/contracts/state-item';

/**
 * The last versions that were published, in full. Throws unless they are what is stored: the same
 * events, versions and digests.
 */
export function currentDecisions(
  published: readonly DecisionRecord[],
  stored: ReadonlyMap<string, { version: number; digest: Buffer }>,
): DecisionRecord[] {
  const last = new Map(published.map((decision) => [decision.eventId, decision]));
  if (last.size !== stored.size) {
    throw new Error(`${stored.size} decisions are stored, ${last.size} were published`);
  }
  for (const [eventId, decision] of last) {
    const row = stored.get(eventId);
    const digest = row?.digest.toString('base64url');
    if (row?.version !== decision.version || digest !== decisionDigest(decision)) {
      throw new Error(`what is stored of ${eventId} is not version ${decision.version}`);
    }
  }
  return [...last.values()];
}
