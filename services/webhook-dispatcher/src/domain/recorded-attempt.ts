import type { DeliveryRecord } from '@tributary/contracts/delivery-record';

/**
 * Two processes can have made an attempt of one number, when the first was overtaken and lived. The
 * attempts log shows one of them, the same one in whatever order they are read.
 */
export type RecordedAttempt = Pick<
  DeliveryRecord,
  'outcome' | 'round' | 'step' | 'startedAt' | 'durationMs' | 'result' | 'statusCode'
>;

/** One of each number. */
export function distinctAttempts(facts: readonly DeliveryRecord[]): DeliveryRecord[] {
  const shown = new Map<string, DeliveryRecord>();
  for (const fact of facts) {
    const name = `${fact.webhookEventId}/${fact.attempt}`;
    const other = shown.get(name);
    if (!other || isShownBefore(fact, other)) shown.set(name, fact);
  }
  return [...shown.values()];
}

/** Whether `a` is shown when both are recorded; false of equal ones. */
export function isShownBefore(a: RecordedAttempt, b: RecordedAttempt): boolean {
  const [left, right] = [sortKey(a), sortKey(b)];
  const firstDifference = left.findIndex((part, n) => part !== right[n]);
  return firstDifference >= 0 && left[firstDifference]! > right[firstDifference]!;
}

const rank: Record<DeliveryRecord['outcome'], number> = { failed: 0, exhausted: 1, delivered: 2 };

function sortKey(attempt: RecordedAttempt): (number | string)[] {
  const { outcome, round, step, startedAt, durationMs, result, statusCode = 0 } = attempt;
  return [rank[outcome], round, step, Date.parse(startedAt), durationMs, result, statusCode];
}
