import type { Command } from 'commander';
import { readModelRoutes } from '@tributary/contracts/admin/read-model';
import { commandNamed } from './command-named.ts';
import type { CommandContext } from '../command-context.ts';
import { UsageError } from '../failures.ts';
import { lines, table } from '../print.ts';
import { freshness } from './explain.ts';

type Flags = { tenant: string; recipient?: string; campaign?: string };

export function addBalanceCommand(program: Command, { show }: CommandContext): void {
  commandNamed(program, 'balance')
    .requiredOption('--tenant <id>', 'the tenant')
    .option('--recipient <id>', 'a user who is rewarded')
    .option('--campaign <id>', 'a campaign, over all recipients')
    .action(async ({ tenant, recipient, campaign }: Flags) => {
      if ((recipient === undefined) === (campaign === undefined)) {
        throw new UsageError('Name one --recipient or one --campaign.');
      }
      const { showRecipientBalance, showCampaignBalance } = readModelRoutes;
      if (campaign !== undefined) {
        const params = { tenantId: tenant, campaignId: campaign };
        await show({ route: showCampaignBalance, params }, ({ body: { asOf, ...fields } }) =>
          [lines('Balance of the campaign', fields), freshness(asOf)].join('\n'),
        );
        return;
      }
      const params = { tenantId: tenant, recipientId: recipient ?? '' };
      await show({ route: showRecipientBalance, params }, ({ body }) => {
        const { campaigns = [], asOf, ...fields } = body;
        return [
          lines('Balance', fields),
          ...(campaigns.length > 1 ? ['By campaign', table(columns, campaigns)] : []),
          freshness(asOf),
        ].join('\n');
      });
    });
}

const columns = [
  'campaignId',
  'entitled',
  'held',
  'review',
  'withheld',
  'issued',
  'reversed',
  'owed',
];
