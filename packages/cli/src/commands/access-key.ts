import type { Command } from 'commander';
import { path } from '../admin-client.ts';
import type { CommandContext } from '../command-context.ts';
import { lines } from '../print.ts';

export function addAccessKeyCommands(program: Command, { show }: CommandContext): void {
  const accessKey = program.command('access-key').description('key pairs for POST /token');

  accessKey
    .command('issue')
    .description('issues a key pair; the secret is shown once')
    .requiredOption('--tenant <id>', 'the tenant')
    .action(async ({ tenant }: { tenant: string }) => {
      const request = { method: 'POST', path: path`/api/tenants/${tenant}/access-keys` } as const;
      await show(request, ({ body }) =>
        [lines('Access key issued', body), 'Store the secret now: it is not shown again.'].join(
          '\n',
        ),
      );
    });

  accessKey
    .command('revoke <accessKeyId>')
    .description('revokes a key pair for ever')
    .requiredOption('--tenant <id>', 'the tenant')
    .action(async (accessKeyId: string, { tenant }: { tenant: string }) => {
      const key = path`/api/tenants/${tenant}/access-keys/${accessKeyId}`;
      await show({ method: 'DELETE', path: key }, ({ body }) => lines('Access key revoked', body));
    });
}
