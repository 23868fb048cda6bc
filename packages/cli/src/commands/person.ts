import type { Command } from 'commander';
import { tenantRoutes } from '@tributary/contracts/admin/tenants';
import { withTenant } from './by-whom.ts';
import { commandNamed } from './command-named.ts';
import type { CommandContext } from '../command-context.ts';
import { printable } from '../print.ts';

export function addPersonCommands(program: Command, { show }: CommandContext): void {
  const person = commandNamed(program, 'person');

  withTenant(person.command('erase <user>'))
    .description('forgets e-mail and name of a user; decisions and balances stay as they are')
    .action(async (userId: string, { tenant }: { tenant: string }) => {
      const params = { tenantId: tenant };
      await show({ route: tenantRoutes.erasePerson, params, body: { userId } }, ({ body }) =>
        [
          `E-mail and name of ${printable(userId)}, as received until ${printable(body.erasedAt)}, are erased.`,
          'Nobody can read them from now on; Kafka drops them when it compacts, within about three days.',
          `A second tombstone follows at ${printable(body.repeatAt)}, for what a late retry may still append.`,
        ].join('\n'),
      );
    });
}
