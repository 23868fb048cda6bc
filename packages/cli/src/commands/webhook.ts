import type { Command } from 'commander';
import { webhookRoutes } from '@tributary/contracts/admin/webhooks';
import { commandNamed } from './command-named.ts';
import type { CommandContext } from '../command-context.ts';
import { lines, storeNow } from '../print.ts';
import { passwordOf } from '../read-text.ts';

type Flags = { tenant: string; username?: string; passwordFile?: string };

export function addWebhookCommands(program: Command, { show, readText }: CommandContext): void {
  const webhook = commandNamed(program, 'webhook');

  webhook
    .command('set <address>')
    .description(
      "sets the customer's endpoint; credentials not given stay, or are made; another address needs its password again",
    )
    .requiredOption('--tenant <id>', 'the tenant')
    .option('--username <text>', 'user name of HTTP Basic')
    .option('--password-file <file>', 'file with the password; - reads standard input')
    .action(async (address: string, { tenant, username, passwordFile }: Flags) => {
      const body = {
        url: address,
        username,
        ...(passwordFile !== undefined && { password: passwordOf(await readText(passwordFile)) }),
      };
      const params = { tenantId: tenant };
      await show({ route: webhookRoutes.setWebhook, params, body }, (answer) =>
        'password' in answer.body
          ? `${lines('Webhook set; the endpoint must ask for these credentials', answer.body)}\n${storeNow}`
          : lines('Webhook set; the endpoint must ask for its user name and password', answer.body),
      );
    });
}
