import type { RewardRecord } from '@tributary/contracts/reward-record';

/** What a reward came to by its effect and limits, before refunds or a withdrawal took from it. */
export function grantedCredits({ calculation, entitledCredits }: RewardRecord): string {
  const taken = calculation.findIndex(({ step }) => step === 'refund' || step === 'withdrawal');
  if (taken === -1) return entitledCredits;
  return calculation[taken - 1]?.credits ?? '0';
}

/** Did its limits leave nothing of it? It is `reversed` then, though nothing was taken back. */
export function isCutToNothing({ calculation }: Pick<RewardRecord, 'calculation'>): boolean {
  const last = calculation.findLast(({ step }) => step !== 'refund');
  return last?.step === 'limit' && last.credits === '0';
}
