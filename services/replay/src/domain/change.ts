import type { Change as ShownChange } from '@tributary/contracts/admin/replay-answers';
import type { RewardLine } from '@tributary/contracts/state-item';
import { parseCredits } from '@tributary/rewards-fold/credits';

/** A change as it is shown, but with entitled credits in millionths. */
export type Change = Omit<ShownChange, 'before' | 'after'> & { before: bigint; after: bigint };

/** Undefined: the same credits on both sides, whatever else is told of it. */
export function changeOf(
  before: RewardLine | undefined,
  after: RewardLine | undefined,
): Change | undefined {
  const was = before === undefined ? 0n : parseCredits(before.entitled);
  const is = after === undefined ? 0n : parseCredits(after.entitled);
  if (was === is) return undefined;
  // A reward that nothing gives now does not say what gave it (see RewardLine).
  const about = was === 0n ? after! : before!;
  return {
    kind: was === 0n ? 'new' : is === 0n ? 'withdrawn' : 'changed',
    toReview: entersReview(before, after),
    tenantId: about.tenantId,
    rewardId: about.rewardId,
    recipientId: about.recipientId,
    campaignId: about.campaignId,
    ruleId: about.ruleId,
    recipientRole: about.recipientRole,
    month: about.month,
    before: was,
    after: is,
  };
}

/** Also one of which the credits stay the same: what is not granted of it yet waits then. */
export function entersReview(before: RewardLine | undefined, after: RewardLine | undefined) {
  return after?.state === 'review' && before?.state !== 'review';
}

export function magnitudeOf({ before, after }: Pick<Change, 'before' | 'after'>): bigint {
  return after > before ? after - before : before - after;
}
