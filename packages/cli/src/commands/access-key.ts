import type { Command } from 'commander';
import { tenantRoutes } from '@tributary/contracts/admin/tenants';
import { commandNamed } from './command-named.ts';
import type { CommandContext } from '../command-context.ts';
import { lines, storeNow } from '../print.ts';

export function addAccessKeyCommands(program: Command, { show }: CommandContext): void {
  const accessKey = commandNamed(program, 'access-key');

  accessKey
    .command('issue')
    .description('issues a key pair; the secret is shown once')
    .requiredOption('--tenant <id>', 'the tenant')
    .action(async ({ tenant }: { tenant: string }) => {
      const request = { route: tenantRoutes.issueAccessKey, params: { tenantId: tenant } };
      await show(request, ({ body }) => `${lines('Access key issued', body)}\n${storeNow}`);
    });

  accessKey
    .command('revoke <accessKeyId>')
    .description('revokes a key pair for ever')
    .requiredOption('--tenant <id>', 'the tenant')
    .action(async (accessKeyId: string, { tenant }: { tenant: string }) => {
      const params = { tenantId: tenant, accessKeyId };
      await show({ route: tenantRoutes.revokeAccessKey, params }, ({ body }) =>
        lines('Access key revoked', body),
      );
    });
}
