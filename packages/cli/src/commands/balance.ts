import type { Command } from 'commander';
import { path } from '../admin-client.ts';
import type { CommandContext } from '../command-context.ts';
import { UsageError } from '../failures.ts';
import { lines, table } from '../print.ts';
import { freshness } from './explain.ts';

type Flags = { tenant: string; recipient?: string; campaign?: string };

export function addBalanceCommand(program: Command, { show }: CommandContext): void {
  program
    .command('balance')
    .description('what a recipient has, or what a campaign costs; below zero is owed by them')
    .requiredOption('--tenant <id>', 'the tenant')
    .option('--recipient <id>', 'a user who is rewarded')
    .option('--campaign <id>', 'a campaign, over all recipients')
    .action(async ({ tenant, recipient, campaign }: Flags) => {
      if ((recipient === undefined) === (campaign === undefined)) {
        throw new UsageError('Name one --recipient or one --campaign.');
      }
      const target =
        campaign === undefined
          ? path`/api/tenants/${tenant}/recipients/${recipient ?? ''}/balance`
          : path`/api/tenants/${tenant}/campaigns/${campaign}/balance`;
      await show({ method: 'GET', path: target }, ({ body }) => {
        const { campaigns, asOf, ...figures } = body;
        const parts = (campaigns ?? []) as Record<string, unknown>[];
        const heading = campaign === undefined ? 'Balance' : 'Balance of the campaign';
        return [
          lines(heading, figures),
          ...(parts.length > 1 ? ['By campaign', table(columns, parts)] : []),
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
