import type { DeliveryRecord } from '@tributary/contracts/delivery-record';

/**
 * Two processes can have made an attempt of one number, when the first was overtaken and lived. The
 * attempts log shows one of them, the same one in whatever order they are read.
 */
export type ToldAttempt = Pick<
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

/** Whether `a` is shown when both are told; false of equal ones. */
export function isShownBefore(a: ToldAttempt, b: ToldAttempt): boolean {
  const [left, right] = [sortKey(a), sortKey(b)];
  const place = left.findIndex((part, n) => part !== right[n]);
  return place >= 0 && left[place]! > right[place]!;
}

const rank: Record<DeliveryRecord['outcome'], number> = { failed: 0, exhausted: 1, delivered: 2 };

function sortKey(told: ToldAttempt): (number | string)[] {
  const { outcome, round, step, startedAt, durationMs, result, statusCode = 0 } = told;
  return [rank[outcome], round, step, Date.parse(startedAt), durationMs, result, statusCode];
}
