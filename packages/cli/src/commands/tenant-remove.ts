import { resolve } from 'node:path';
import { tenantRoutes } from '@tributary/contracts/admin/tenants';
import type { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { TransferFailed, UsageError } from '../failures.ts';
import { lines, table } from '../print.ts';
import type { ProcessContext } from '../process-context.ts';
import { openExport } from '../transfer/open-export.ts';
import { transferring } from '../transfer/transferring.ts';
import { notEmpty, withTenant } from './by-whom.ts';

type Flags = { tenant: string; export?: string; exportedUntil?: string; note?: string };

export function addTenantRemoveCommand(
  tenant: Command,
  context: CommandContext,
  { cwd }: Pick<ProcessContext, 'cwd'>,
): void {
  withTenant(tenant.command('remove'))
    .description('removes a suspended tenant for ever; asked again, it goes on')
    .option('--export <directory>', 'an export with people; checked before anything is sent')
    .option('--exported-until <time>', 'for one that is not here: when it began')
    .option('--note <text>', 'what is to be remembered of it', notEmpty)
    .action(async ({ tenant: tenantId, export: directory, exportedUntil, note }: Flags) => {
      if ((directory === undefined) === (exportedUntil === undefined)) {
        throw new UsageError('Give --export, or --exported-until of one that is not here.');
      }
      const until = exportedUntil ?? (await beginOfExport(context, resolve(cwd, directory!)));
      const body = { exportedUntil: until, note };
      const params = { tenantId };
      await context.show({ route: tenantRoutes.removeTenant, params, body }, (answer) => {
        const { removedAt, peopleLeft, connectionsLeft } = answer.body;
        const removed = lines(`Tenant ${tenantId} is removed`, { removedAt, peopleLeft });
        if (connectionsLeft.length === 0) return removed;
        const left = table(['connectionId', 'detail'], connectionsLeft).replaceAll(/^/gm, '  ');
        return `${removed}Still connected\n${left}`;
      });
    });
}

/** @throws {TransferFailed} when it is not whole, or has not what the removal erases. */
async function beginOfExport(context: CommandContext, directory: string): Promise<string> {
  const manifest = await transferring(context, {
    done: 'bytes checked',
    interrupted: 'Ended by Ctrl-C: nothing was removed.',
    work: (signal, onProgress) => openExport({ directory, signal, onProgress }),
  });
  if (manifest.topics.every(({ topic }) => topic !== 'people')) {
    throw new TransferFailed(
      `${directory} is without e-mails and names, which the removal erases: take one with --people.`,
    );
  }
  return manifest.startedAt;
}
