import { peopleRoutes } from '@tributary/contracts/admin/people';
import type { AnswerBodyOf } from '@tributary/contracts/admin/admin-route';
import { type TenantRole, tenantRoles } from '@tributary/contracts/admin/rights';
import { type Command, Option } from 'commander';
import { commandNamed } from './command-named.ts';
import type { CommandContext } from '../command-context.ts';
import { lines, table } from '../print.ts';
import { withTenant } from './by-whom.ts';

type Member = { tenant: string; role: TenantRole };

/** Who may do what: people of a tenant, and operators of the deployment. */
export function addPeopleCommands(program: Command, context: CommandContext): void {
  const { show } = context;
  const people = commandNamed(program, 'people');

  withTenant(people.command('list'))
    .description('lists people and invitations')
    .action(async ({ tenant }: { tenant: string }) => {
      const request = { route: peopleRoutes.listPeople, params: { tenantId: tenant } };
      await show(request, ({ body: { people: all, invitations } }) =>
        [
          table(['accountId', 'email', 'name', 'role', 'since'], all),
          ...invitedLines(invitations, ['invitationId', 'email', 'role', 'expiresAt']),
        ].join('\n'),
      );
    });

  withRole(withTenant(people.command('invite <email>')))
    .description('invites somebody; the link is shown once and holds for 7 days')
    .action(async (email: string, { tenant, role }: Member) => {
      const route = peopleRoutes.invitePerson;
      await show({ route, params: { tenantId: tenant }, body: { email, role } }, ({ body }) =>
        describeInvitation(body),
      );
    });

  withTenant(people.command('withdraw <invitationId>'))
    .description('makes the link of an invitation worthless')
    .action(async (invitationId: string, { tenant }: { tenant: string }) => {
      const params = { tenantId: tenant, invitationId };
      await show({ route: peopleRoutes.withdrawInvitation, params }, ({ body }) =>
        lines('Invitation withdrawn', body),
      );
    });

  withRole(withTenant(people.command('role <accountId>')))
    .description('gives somebody another role')
    .action(async (accountId: string, { tenant, role }: Member) => {
      const params = { tenantId: tenant, accountId };
      await show({ route: peopleRoutes.changeRole, params, body: { role } }, ({ body }) =>
        lines('Role changed', body),
      );
    });

  withTenant(people.command('remove <accountId>'))
    .description('removes somebody, and ends their sessions')
    .action(async (accountId: string, { tenant }: { tenant: string }) => {
      const params = { tenantId: tenant, accountId };
      await show({ route: peopleRoutes.removePerson, params }, ({ body }) =>
        lines('Removed', body),
      );
    });
}

export function addOperatorCommands(program: Command, { show }: CommandContext): void {
  const operator = commandNamed(program, 'operator');

  operator
    .command('invite <email>')
    .description('invites an operator; the link is shown once and holds for 7 days')
    .action(async (email: string) => {
      const request = { route: peopleRoutes.inviteOperator, params: {}, body: { email } };
      await show(request, ({ body }) => describeInvitation(body));
    });

  operator
    .command('list')
    .description('lists operators and invitations')
    .action(async () => {
      const request = { route: peopleRoutes.listOperators, params: {} };
      await show(request, ({ body: { operators, invitations } }) =>
        [
          table(['accountId', 'email', 'name', 'since'], operators),
          ...invitedLines(invitations, ['invitationId', 'email', 'expiresAt']),
        ].join('\n'),
      );
    });

  operator
    .command('withdraw <invitationId>')
    .description('makes the link of an invitation worthless')
    .action(async (invitationId: string) => {
      const route = peopleRoutes.withdrawOperatorInvitation;
      await show({ route, params: { invitationId } }, ({ body }) =>
        lines('Invitation withdrawn', body),
      );
    });

  operator
    .command('remove <accountId>')
    .description('makes an operator none, and ends their sessions')
    .action(async (accountId: string) => {
      const request = { route: peopleRoutes.removeOperator, params: { accountId } };
      await show(request, ({ body }) => lines('Removed', body));
    });
}

export function withRole(command: Command): Command {
  const meaning = 'what they may do; no higher than your own';
  return command.addOption(
    new Option('--role <role>', meaning).choices(tenantRoles).makeOptionMandatory(),
  );
}

function describeInvitation({
  link,
  mailed: _mailed,
  ...invitation
}: AnswerBodyOf<(typeof peopleRoutes)['invitePerson']>): string {
  if (link === null) return lines('Invited; the link was mailed', invitation);
  return [
    lines('Invited', invitation),
    'Send this link to nobody else; it is not shown again:',
    link,
  ].join('\n');
}

function invitedLines(invitations: readonly object[], columns: readonly string[]): string[] {
  if (invitations.length === 0) return [];
  return [
    'Invited',
    table(
      columns,
      invitations.map((one) => ({ ...one })),
    ),
  ];
}
