import type { RewardRecord } from '@tributary/contracts/reward-record';

/** What a reward came to by its effect and limits, before refunds or a withdrawal took from it. */
export function grantedCredits({ calculation, entitledCredits }: RewardRecord): string {
  const taken = calculation.findIndex(({ step }) => step === 'refund' || step === 'withdrawal');
  if (taken === -1) return entitledCredits;
  return calculation[taken - 1]?.credits ?? '0';
}
