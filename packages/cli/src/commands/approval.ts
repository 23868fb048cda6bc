import { commandNamed } from './command-named.ts';
import { approvalRoutes, approvalStates } from '@tributary/contracts/admin/approvals';
import type { AnswerBodyOf } from '@tributary/contracts/admin/admin-route';
import { type Command, Option } from 'commander';
import type { AdminRequest, CommandContext } from '../command-context.ts';
import { lines, nextPage, printable, table } from '../print.ts';
import { withPage, withTenant } from './by-whom.ts';

type Flags = { tenant?: string };
type Page = AnswerBodyOf<(typeof approvalRoutes)['listApprovals']>;

/** What one person asked for and another one decides: of a tenant, or of the deployment. */
export function addApprovalCommands(program: Command, { show }: CommandContext): void {
  const approval = commandNamed(program, 'approval');

  withPage(ofTenant(approval.command('list')))
    .description('lists what waits or waited, the newest first')
    .addOption(new Option('--state <state>', 'only these').choices(approvalStates))
    .action(async ({ tenant, ...query }: Flags & Record<string, string | undefined>) => {
      const { listApprovals, listTenantApprovals } = approvalRoutes;
      const asked =
        tenant === undefined
          ? { route: listApprovals, params: {} }
          : { route: listTenantApprovals, params: { tenantId: tenant } };
      // Both answer the same.
      const request = { ...asked, query } as AdminRequest<typeof listApprovals>;
      await show(request, ({ body }) => describe(body));
    });

  ofTenant(approval.command('approve <approvalId>'))
    .description('has it done, in the name of whoever asked')
    .action(async (approvalId: string, { tenant }: Flags) => {
      const { approve, approveInTenant } = approvalRoutes;
      const asked =
        tenant === undefined
          ? { route: approve, params: { approvalId } }
          : { route: approveInTenant, params: { tenantId: tenant, approvalId } };
      await show(asked as AdminRequest<typeof approve>, ({ body }) => lines('Approved', body));
    });

  ofTenant(approval.command('decline <approvalId>'))
    .description('declines it, or takes it back')
    .action(async (approvalId: string, { tenant }: Flags) => {
      const { decline, declineInTenant } = approvalRoutes;
      const asked =
        tenant === undefined
          ? { route: decline, params: { approvalId } }
          : { route: declineInTenant, params: { tenantId: tenant, approvalId } };
      await show(asked as AdminRequest<typeof decline>, ({ body }) => lines('Declined', body));
    });

  for (const [verb, required] of [
    ['require', true],
    ['waive', false],
  ] as const) {
    withTenant(approval.command(verb))
      .description(
        required
          ? 'has bulk actions of a tenant need a second person'
          : 'has them need none; which needs one itself',
      )
      .action(async ({ tenant: tenantId }: { tenant: string }) => {
        const route = approvalRoutes.setSecondPerson;
        await show({ route, params: { tenantId }, body: { required } }, ({ body }) =>
          lines(`Tenant ${tenantId}`, { secondPerson: body.required }),
        );
      });
  }
}

function ofTenant(command: Command): Command {
  return command.option('--tenant <id>', 'of this tenant; of the deployment when left out');
}

function describe({ approvals, nextCursor }: Page): string {
  const rows = approvals.map(({ target, ...one }) => {
    return { ...one, target: Object.values(target).join(' ') };
  });
  const columns = ['approvalId', 'action', 'target', 'state', 'requestedBy', 'expiresAt'];
  const asked = approvals
    .filter(({ asked: body }) => body !== null)
    .map(({ approvalId, asked: body }) => printable(`${approvalId}: ${JSON.stringify(body)}`));
  return [table(columns, rows), ...asked, ...nextPage(nextCursor)].join('\n');
}
