import type { Command } from 'commander';
import { tenantRoutes } from '@tributary/contracts/admin/tenants';
import type { CommandContext } from '../command-context.ts';
import { printable } from '../print.ts';

export function addPersonCommands(program: Command, { show }: CommandContext): void {
  const person = program.command('person').description('what is kept of people');

  person
    .command('erase <tenant> <user>')
    .description('forgets e-mail and name of a user; decisions and balances stay as they are')
    .action(async (tenant: string, userId: string) => {
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
