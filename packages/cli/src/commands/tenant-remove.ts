import { join, resolve } from 'node:path';
import { tenantRoutes } from '@tributary/contracts/admin/tenants';
import type { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { TransferFailed, UsageError } from '../failures.ts';
import { lines, table } from '../print.ts';
import type { ProcessContext } from '../process-context.ts';
import { openExport } from '../transfer/open-export.ts';
import { readPackedLines } from '../transfer/packed-file.ts';
import { fromRecordLine } from '../transfer/record-line.ts';
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
    .option('--export <directory>', 'an export with people, checked first; not when asked again')
    .option('--exported-until <time>', 'for one that is not here: when it began')
    .option('--note <text>', 'what is to be remembered of it', notEmpty)
    .action(async ({ tenant: tenantId, export: directory, exportedUntil, note }: Flags) => {
      if (directory !== undefined && exportedUntil !== undefined) {
        throw new UsageError('Give --export, or --exported-until of one that is not here.');
      }
      const until =
        directory === undefined
          ? (exportedUntil ?? (await removedAtOf(context, tenantId)))
          : await beginOfExport(context, resolve(cwd, directory), tenantId);
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

/** The portal asks for an export the first time only. @throws {UsageError} at the first time */
async function removedAtOf({ call }: CommandContext, tenantId: string): Promise<string> {
  const { body } = await call({ route: tenantRoutes.showTenant, params: { tenantId } });
  if (body.removedAt !== null) return body.removedAt;
  throw new UsageError('Give --export, or --exported-until of one that is not here.');
}

/**
 * @throws {TransferFailed} when it is not whole, has nothing of the tenant, or has not what the
 *   removal erases.
 */
async function beginOfExport(
  context: CommandContext,
  directory: string,
  tenantId: string,
): Promise<string> {
  const manifest = await transferring(context, {
    done: 'bytes checked',
    interrupted: 'Ended by Ctrl-C: nothing was removed.',
    work: async (signal, onProgress) => {
      const opened = await openExport({ directory, signal, onProgress });
      const catalog = opened.topics.find(({ topic }) => topic === 'catalog');
      if (catalog && (await hasTenant(join(directory, catalog.file), tenantId))) return opened;
      throw new TransferFailed(
        `${directory} has no tenant ${tenantId}: it is of another deployment, or older.`,
      );
    },
  });
  if (manifest.topics.every(({ topic }) => topic !== 'people')) {
    throw new TransferFailed(
      `${directory} is without e-mails and names, which the removal erases: take one with --people.`,
    );
  }
  return manifest.startedAt;
}

async function hasTenant(file: string, tenantId: string): Promise<boolean> {
  for await (const line of readPackedLines(file)) {
    const { value } = fromRecordLine(line);
    if (value !== null && isTenant(value.toString('utf8'), tenantId)) return true;
  }
  return false;
}

/** A record that breaks its contract is in the export too, and is no tenant. */
function isTenant(text: string, tenantId: string): boolean {
  try {
    const record = JSON.parse(text) as Record<string, unknown> | null;
    return record?.['entity'] === 'tenant' && record['tenantId'] === tenantId;
  } catch {
    return false;
  }
}
