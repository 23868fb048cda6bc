import type { Mutant } from './mutant.ts';

const domain = 'packages/attribution-fold/src/domain';

/** Who is credited for an event. */
export const decisions: readonly Mutant[] = [
  {
    name: 'version-not-raised',
    breaks: 'a decision that changes keeps its version, so that readers leave it out',
    ...{ row: 'flush-redis', promises: [8, 10], file: `${domain}/decision.ts` },
    from: 'version: (known?.version ?? 0) + 1 };',
    to: 'version: known?.version ?? 1 };',
  },
  {
    name: 'arrival-decides',
    breaks: 'of two reports of one fact the one that arrived first counts',
    ...{ row: 'flush-redis', promises: [8], file: `${domain}/claim.ts` },
    from: 'return (bySource || compareCanonical(challenger, present)) < 0;',
    to: 'return challenger === present && bySource < 0;',
  },
  {
    name: 'duplicates-count',
    breaks: 'what two endpoints report is credited twice',
    ...{ row: 'flush-redis', promises: [8], file: `${domain}/decide-fact.ts` },
    from: 'if (!test.passed) {',
    to: 'if (!test.passed && holder === undefined) {',
  },
  {
    name: 'late-code-ignored',
    breaks: 'events that wait for a code go on waiting when it is issued',
    ...{ row: 'flush-redis', promises: [8] },
    file: 'services/attribution/src/log/apply-codes.ts',
    from: 'let facts = await readFactsOfCodes(tx, changed, limits.factsAtOnce + 1);',
    to: 'let facts = (await readFactsOfCodes(tx, changed, 1)).slice(1);',
  },
  {
    name: 'decided-by-the-clock',
    breaks: 'an event that is dated in the future is decided by the time of its decision',
    ...{ row: 'flush-redis', promises: [8, 9], file: `${domain}/in-force-at.ts` },
    from: 'const received = secondsOf(receivedAt);',
    to: 'const received = secondsOf(new Date().toISOString());',
  },
  {
    name: 'refunds-not-added',
    breaks: 'of several refunds of a purchase only the last one counts',
    ...{ row: 'flush-redis', promises: [8], file: `${domain}/invoice.ts` },
    from: 'sums[side] += BigInt(event.refund.amount);',
    to: 'sums[side] = BigInt(event.refund.amount);',
  },
];
