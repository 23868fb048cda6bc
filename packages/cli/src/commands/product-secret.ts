import { tenantRoutes } from '@tributary/contracts/admin/tenants';
import type { Command } from 'commander';
import { commandNamed } from './command-named.ts';
import type { CommandContext } from '../command-context.ts';
import { lines, storeNow } from '../print.ts';

export function addProductSecretCommands(program: Command, { show }: CommandContext): void {
  commandNamed(program, 'product-secret')
    .command('rotate')
    .description('makes a new one, which is shown once; the old one is worth nothing at once')
    .requiredOption('--tenant <id>', 'the tenant')
    .action(async ({ tenant }: { tenant: string }) => {
      const request = { route: tenantRoutes.rotateProductSecret, params: { tenantId: tenant } };
      await show(request, ({ body }) => `${lines('New product secret', body)}\n${storeNow}`);
    });
}
