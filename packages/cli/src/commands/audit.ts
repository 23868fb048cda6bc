import { commandNamed } from './command-named.ts';
import { auditRoutes } from '@tributary/contracts/admin/audit';
import type { AnswerBodyOf } from '@tributary/contracts/admin/admin-route';
import { type Command, Option } from 'commander';
import type { AdminRequest, CommandContext } from '../command-context.ts';
import { csvLine } from '../csv.ts';
import { nextPage, table } from '../print.ts';
import { withPage } from './by-whom.ts';

type Flags = { tenant?: string; format?: 'csv' } & Record<string, string | undefined>;
type Entry = AnswerBodyOf<(typeof auditRoutes)['listAudit']>['entries'][number];

/** Who did what. As CSV it is a file, with all that the filters name. */
export function addAuditCommand(program: Command, context: CommandContext): void {
  const audit = commandNamed(program, 'audit');

  withPage(audit.command('list'))
    .description('lists changes, and looks at what is personal; the newest first')
    .option('--tenant <id>', 'in this tenant; in the whole deployment when left out')
    .option('--since <time>', 'at this time or later')
    .option('--until <time>', 'before this time')
    .option('--actor <id>', 'by this one: account:…, token:…, operator')
    .option('--action <name>', 'of this name, such as releaseReward')
    .addOption(new Option('--format <format>', 'all pages, for a file').choices(['csv']))
    .action(async ({ tenant, format, ...query }: Flags) => {
      const { listAudit, listTenantAudit } = auditRoutes;
      const asked =
        tenant === undefined
          ? { route: listAudit, params: {} }
          : { route: listTenantAudit, params: { tenantId: tenant } };
      // Both answer the same.
      const request = (more: Record<string, string | undefined>) =>
        ({ ...asked, query: more }) as AdminRequest<typeof listAudit>;
      if (format === undefined) {
        await context.show(request(query), ({ body }) =>
          [table(shown, body.entries.map(rowOf)), ...nextPage(body.nextCursor)].join('\n'),
        );
        return;
      }
      context.write(columns.join(','));
      let cursor: string | null | undefined;
      do {
        const { body } = await context.call(
          request({ limit: '200', ...query, ...(cursor && { cursor }) }),
        );
        for (const entry of body.entries) context.write(csvLine(columns, rowOf(entry)));
        cursor = body.nextCursor;
      } while (cursor !== null);
    });
}

const shown = [
  ...(['at', 'actor', 'actorName', 'action', 'tenantId', 'target'] as const),
  ...(['outcome', 'status', 'address'] as const),
];
const columns = [
  ...shown,
  ...(['asked', 'before', 'after', 'requestId', 'entryId', 'actorKind', 'actorEmail'] as const),
] as const;

function rowOf({ target, asked, before, after, ...entry }: Entry) {
  const json = (value: unknown) => (value === null ? null : JSON.stringify(value));
  return {
    ...entry,
    target: Object.values(target).join(' '),
    ...{ asked: json(asked), before: json(before), after: json(after) },
  };
}
