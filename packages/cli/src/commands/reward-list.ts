import type { Command } from 'commander';
import type { AnswerBodyOf } from '@tributary/contracts/admin/admin-route';
import { readModelRoutes } from '@tributary/contracts/admin/read-model';
import type { CommandContext } from '../command-context.ts';
import { commandNamed } from './command-named.ts';
import { listLines } from './event.ts';
import { withPage } from './by-whom.ts';

type Flags = { tenant: string } & Record<string, string | undefined>;

/** Adds `list` to the commands of rewards. */
export function addRewardListCommand(program: Command, { show }: CommandContext): void {
  withPage(commandNamed(program, 'reward').command('list'))
    .description('lists rewards, newest first')
    .requiredOption('--tenant <id>', 'the tenant')
    .option('--state <state>', 'held, review, issued, withheld, reversed, capped')
    .option('--recipient <id>', 'who is rewarded')
    .option('--role <role>', 'referrer or new-user')
    .option('--campaign <id>', 'of this campaign')
    .option('--rule <id>', 'by this rule')
    .option('--user <id>', 'for what this referred user did')
    .option('--event <id>', 'caused by this event')
    .option('--since <time>', 'recorded at this time or later')
    .option('--until <time>', 'recorded before this time')
    .action(async ({ tenant, ...flags }: Flags) => {
      const request = {
        route: readModelRoutes.listRewards,
        params: { tenantId: tenant },
        query: flags,
      };
      await show(request, ({ body }) =>
        listLines({ ...body, rewards: body.rewards.map(withOpenText) }, 'rewards', columns),
      );
    });
}

type Rewards = AnswerBodyOf<(typeof readModelRoutes)['listRewards']>['rewards'];

/** What of it is not issued, and why: `5 review`. */
function withOpenText({ open = [], ...reward }: Rewards[number]): Record<string, unknown> {
  const text = open.map(({ as, credits }) => `${credits} ${as}`).join(', ');
  return { ...reward, ...(text !== '' && { open: text }) };
}

const columns = [
  'rewardId',
  'state',
  'entitledCredits',
  'issuedCredits',
  'open',
  'recipientId',
  'recipientRole',
  'campaignId',
  'ruleId',
  'maturesAt',
];
