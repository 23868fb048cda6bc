import type { Command } from 'commander';
import { readModelRoutes } from '@tributary/contracts/admin/read-model';
import { commandNamed } from './command-named.ts';
import type { CommandContext } from '../command-context.ts';
import { UsageError } from '../failures.ts';
import { printable } from '../print.ts';

type Flags = { tenant?: string; reward?: string; invoice?: string; user?: string };

export function addExplainCommand(program: Command, { show }: CommandContext): void {
  commandNamed(program, 'explain')
    .argument('[eventId]', 'the event; or one of the options below')
    .option('--reward <id>', 'a reward')
    .option('--invoice <id>', 'all events about an invoice; needs --tenant')
    .option('--user <id>', 'all events about a user, and what the user has; needs --tenant')
    .option('--tenant <id>', 'the tenant; ids of events and rewards need none')
    .action(async (event: string | undefined, { tenant, ...flags }: Flags) => {
      const subject = { event, ...flags };
      const given = Object.values(subject).filter((id) => id !== undefined);
      if (given.length !== 1) {
        throw new UsageError('Name one event, or one of --reward, --invoice and --user.');
      }
      if (tenant === undefined && (flags.invoice ?? flags.user) !== undefined) {
        throw new UsageError('Two tenants may use the same id: give --tenant.');
      }
      const { explain, explainAnywhere } = readModelRoutes;
      const readable = ({
        body: { text, asOf },
      }: {
        body: { text: string; asOf: string | null };
      }) => [...String(text).split('\n').map(printable), '', freshness(asOf)].join('\n');
      if (tenant === undefined) {
        await show({ route: explainAnywhere, params: {}, query: subject }, readable);
      } else {
        await show({ route: explain, params: { tenantId: tenant }, query: subject }, readable);
      }
    });
}

/** How current an answer of the read model is. */
export function freshness(asOf: unknown): string {
  if (asOf === null) return 'The read model is being built: there may be more than this.';
  return `As of ${printable(asOf)}.`;
}
