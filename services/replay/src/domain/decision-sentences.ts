import type { DecisionRecord } from '@tributary/contracts/decision-record';

/** Why an event was decided as it was, in sentences; of both sides alike, so that they compare. */
export function decisionSentences({
  outcome,
  reason,
  tests,
}: Pick<DecisionRecord, 'outcome' | 'reason' | 'tests'>): string[] {
  const decided =
    reason === undefined ? `Decided: ${outcome}.` : `Decided: ${outcome} (${reason}).`;
  return [
    decided,
    ...tests.map(
      ({ test, passed, detail }) => `${passed ? 'Passed' : 'Failed'}: ${test}: ${detail}.`,
    ),
  ];
}
