import { peopleRoutes } from '@tributary/contracts/admin/people';
import { type TenantRole, tenantRoles } from '@tributary/contracts/admin/rights';
import { type Command, Option } from 'commander';
import { commandNamed } from './command-named.ts';
import type { CommandContext } from '../command-context.ts';
import { UsageError } from '../failures.ts';
import { lines, table } from '../print.ts';
import { wholeNumberOf } from '../whole-number.ts';

type OfTenant = { tenant?: string };
type NewToken = OfTenant & { role?: TenantRole; days?: string };

/** Tokens of machines: of one tenant, or of the deployment. */
export function addTokenCommands(program: Command, { show }: CommandContext): void {
  const token = commandNamed(program, 'token');

  withTenantOrNone(token.command('create <name>'))
    .description('makes a token; it is shown once')
    .addOption(new Option('--role <role>', 'what it may do, with --tenant').choices(tenantRoles))
    .option('--days <number>', 'how long it holds, 1 to 365; 90 when left out')
    .action(async (name: string, { tenant, role, days: text }: NewToken) => {
      const days = text === undefined ? undefined : wholeNumberOf(text, '--days');
      const named = { name, days };
      const shown = ({ body }: { body: { token: string } }) =>
        [lines('Token made', body), 'Store it now: it is not shown again.'].join('\n');
      if (tenant === undefined) {
        if (role !== undefined) throw new UsageError('--role goes with --tenant.');
        const route = peopleRoutes.createDeploymentToken;
        await show({ route, params: {}, body: named }, shown);
        return;
      }
      if (role === undefined) throw new UsageError('A token of a tenant needs --role.');
      const route = peopleRoutes.createToken;
      await show({ route, params: { tenantId: tenant }, body: { ...named, role } }, shown);
    });

  withTenantOrNone(token.command('list'))
    .description('lists them, and when each was last used')
    .action(async ({ tenant }: OfTenant) => {
      const shown = ({ body }: { body: { tokens: readonly object[] } }) =>
        table(
          columns,
          body.tokens.map((one) => ({ ...one })),
        );
      const { listTokens, listDeploymentTokens } = peopleRoutes;
      if (tenant === undefined) await show({ route: listDeploymentTokens, params: {} }, shown);
      else await show({ route: listTokens, params: { tenantId: tenant } }, shown);
    });

  withTenantOrNone(token.command('revoke <tokenId>'))
    .description('makes a token worthless')
    .action(async (tokenId: string, { tenant }: OfTenant) => {
      const shown = ({ body }: { body: object }) => lines('Token revoked', { ...body });
      const { revokeToken, revokeDeploymentToken } = peopleRoutes;
      if (tenant === undefined) {
        await show({ route: revokeDeploymentToken, params: { tokenId } }, shown);
      } else {
        await show({ route: revokeToken, params: { tenantId: tenant, tokenId } }, shown);
      }
    });
}

const columns = ['tokenId', 'name', 'role', 'createdBy', 'expiresAt', 'lastUsedAt', 'revokedAt'];

function withTenantOrNone(command: Command): Command {
  return command.option('--tenant <id>', 'the tenant; of the deployment when left out');
}
