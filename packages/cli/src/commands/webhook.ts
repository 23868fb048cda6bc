import type { Command } from 'commander';
import { path } from '../admin-client.ts';
import type { CommandContext } from '../command-context.ts';
import { lines } from '../print.ts';
import { passwordOf } from '../read-text.ts';

type Flags = { tenant: string; username?: string; passwordFile?: string };

export function addWebhookCommands(program: Command, { show, readText }: CommandContext): void {
  const webhook = program.command('webhook').description('where rewards are told');

  webhook
    .command('set <address>')
    .description("sets the customer's endpoint; credentials not given stay, or are made")
    .requiredOption('--tenant <id>', 'the tenant')
    .option('--username <text>', 'user name of HTTP Basic')
    .option('--password-file <file>', 'file with the password; - reads standard input')
    .action(async (address: string, { tenant, username, passwordFile }: Flags) => {
      const body: Record<string, string> = { url: address };
      if (username !== undefined) body['username'] = username;
      if (passwordFile !== undefined) {
        body['password'] = passwordOf(await readText(passwordFile));
      }
      const target = path`/api/tenants/${tenant}/webhook`;
      await show({ method: 'PUT', path: target, body }, (answer) =>
        lines('Webhook set; the endpoint must ask for these credentials', answer.body),
      );
    });
}
