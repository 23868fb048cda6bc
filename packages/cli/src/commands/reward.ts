import type { Command } from 'commander';
import { rewardActionRoutes } from '@tributary/contracts/admin/reward-actions';
import { commandNamed } from './command-named.ts';
import type { CommandContext } from '../command-context.ts';
import { UsageError } from '../failures.ts';
import { lines } from '../print.ts';
import { type ByWhom, byWhomOf, withByWhom } from './by-whom.ts';

type Flags = ByWhom & { tenant: string };
type BulkFlags = Flags & {
  allInReview?: true;
  campaign?: string;
  recipient?: string;
  rule?: string;
  until?: string;
};

/** An operator action on rewards. It is kept as a fact, with the name of who said it. */
export function addRewardCommands(program: Command, { show }: CommandContext): void {
  const reward = commandNamed(program, 'reward');

  withByWhom(reward.command('release'))
    .description('lets a reward be issued, whatever its hold or review says')
    .argument('[rewardId]', 'which one; or --all-in-review')
    .option('--all-in-review', 'all that are in review, up to 500 at a time')
    .option('--campaign <id>', 'of them those of this campaign')
    .option('--recipient <id>', 'of them those of this recipient')
    .option('--rule <id>', 'of them those of this rule')
    .option('--until <time>', 'of them those whose event was received before this time')
    .action(async (rewardId: string | undefined, flags: BulkFlags) => {
      const bulk = filterOf(flags);
      if (rewardId !== undefined) {
        if (bulk) throw new UsageError('Name one reward, or --all-in-review with its filters.');
        return showOne('release', rewardId, flags);
      }
      if (!bulk) throw new UsageError('Name a reward, or say --all-in-review.');
      const body = { ...byWhomOf(flags), filter: bulk };
      const params = { tenantId: flags.tenant };
      const request = { route: rewardActionRoutes.releaseReviewedRewards, params, body };
      await show(request, (answer) =>
        lines(
          answer.body.more
            ? 'Released; there are more, say it again'
            : 'Released; no more are in review there',
          answer.body,
        ),
      );
    });

  withByWhom(reward.command('withhold'))
    .description('keeps a reward from being issued, until it is released')
    .argument('<rewardId>', 'which one')
    .action((rewardId: string, flags: Flags) => showOne('withhold', rewardId, flags));

  async function showOne(verb: 'release' | 'withhold', rewardId: string, flags: Flags) {
    const { releaseReward, withholdReward } = rewardActionRoutes;
    const route = verb === 'release' ? releaseReward : withholdReward;
    const params = { tenantId: flags.tenant, rewardId };
    await show({ route, params, body: byWhomOf(flags) }, (answer) =>
      lines(verb === 'release' ? 'Reward released' : 'Reward withheld', answer.body),
    );
  }
}

/** Undefined when nothing was given of many; a filter without the word is a mistake. */
function filterOf({ allInReview, campaign, recipient, rule, until }: BulkFlags) {
  const given = Object.entries({
    campaignId: campaign,
    recipientId: recipient,
    ruleId: rule,
    before: until,
  });
  const chosen = given.filter(([, value]) => value !== undefined);
  if (allInReview) return { state: 'review', ...Object.fromEntries(chosen) };
  if (chosen.length > 0) {
    throw new UsageError('--campaign, --recipient, --rule and --until go with --all-in-review.');
  }
  return undefined;
}
