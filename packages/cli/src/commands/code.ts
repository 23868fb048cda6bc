import type { Command } from 'commander';
import { codeRoutes } from '@tributary/contracts/admin/codes';
import { commandNamed } from './command-named.ts';
import type { CommandContext } from '../command-context.ts';
import { lines } from '../print.ts';

type Flags = { tenant: string; user: string; campaign?: string; ucc?: string };

export function addCodeCommands(program: Command, { show }: CommandContext): void {
  const code = commandNamed(program, 'code');

  code
    .command('issue')
    .description('issues the code of a user; the same user again gets the same code')
    .requiredOption('--tenant <id>', 'the tenant')
    .requiredOption('--user <productUserId>', 'who refers')
    .option('--campaign <id>', "the campaign; else the tenant's default campaign")
    .option('--ucc <text>', 'a text of your choice as the code')
    .action(async ({ tenant, user, campaign, ucc }: Flags) => {
      const body = { productUserId: user, campaignId: campaign, ucc };
      const params = { tenantId: tenant };
      await show({ route: codeRoutes.issueCode, params, body }, (answer) => {
        if (answer.body.disabledAt === undefined) {
          const heading = answer.status === 201 ? 'Code issued' : 'The user has this code';
          return lines(heading, answer.body);
        }
        return [
          lines('The user has this code, and it is disabled: it attributes nothing', answer.body),
          'Enable it again with `tributary code enable`, or give the user another one with --ucc.',
        ].join('\n');
      });
    });

  code
    .command('disable <ucc>')
    .description(
      'stops a code from attributing anything received from now on, until it is enabled; what it earned stays',
    )
    .requiredOption('--tenant <id>', 'the tenant')
    .action(async (ucc: string, { tenant }: { tenant: string }) => {
      const params = { tenantId: tenant };
      await show({ route: codeRoutes.disableCode, params, body: { ucc } }, (answer) =>
        lines('Code disabled', answer.body),
      );
    });

  code
    .command('enable <ucc>')
    .description('lets a disabled code attribute again what is received from now on')
    .requiredOption('--tenant <id>', 'the tenant')
    .action(async (ucc: string, { tenant }: { tenant: string }) => {
      const params = { tenantId: tenant };
      await show({ route: codeRoutes.enableCode, params, body: { ucc } }, (answer) =>
        lines('Code enabled', answer.body),
      );
    });
}
