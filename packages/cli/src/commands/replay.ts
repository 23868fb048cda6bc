import { commandNamed } from './command-named.ts';
import { replayRoutes } from '@tributary/contracts/admin/replays';
import type { Command } from 'commander';
import type { AdminRequest, CommandContext } from '../command-context.ts';
import { UsageError } from '../failures.ts';
import { showDetached, watchJob } from '../replay/watch-job.ts';
import { withBy } from './by-whom.ts';
import { wholeNumberOf } from '../whole-number.ts';

export type AskFlags = { by?: string; detach?: true };

/** Flags of every command that asks for a job. */
export function withAsk(command: Command): Command {
  return withBy(command)
    .option('--detach', 'do not wait for the end; prints the job')
    .addHelpText('after', '\nCtrl-C ends the waiting; the job goes on. Exit code 1: it failed.');
}

type JobRoute = (typeof replayRoutes)[
  'startVerification' | 'startRebuild' | 'startRollback' | 'startSwap' | 'startDrop'];

/** Asks for a job, and watches it unless that is not wanted. */
export async function startJob<const R extends JobRoute>(
  context: CommandContext,
  request: AdminRequest<R>,
  { by, detach }: AskFlags,
): Promise<void> {
  const body = { ...request.body, by };
  const asked = { ...request, body } as unknown as AdminRequest<JobRoute>;
  const { body: job } = await context.call(asked);
  if (detach) return showDetached(context, job);
  await watchJob(context, job.jobId);
}

type Flags = AskFlags & { tenant?: string; user?: string; generation?: string };

export function addReplayCommands(program: Command, context: CommandContext): void {
  const replay = commandNamed(program, 'replay');

  withAsk(replay.command('verify'))
    .description('says whether what is held is what the log gives; changes and sends nothing')
    .option('--tenant <id>', 'of this tenant only')
    .option('--user <id>', 'what is about this user only; needs --tenant')
    .option('--generation <number>', 'another generation than the live one')
    .addHelpText('after', 'Exit code 0: identical; 1: different, with the first differing items.')
    .action(async ({ tenant, user, generation, ...flags }: Flags) => {
      if (user !== undefined && tenant === undefined) {
        throw new UsageError('Two tenants may use the same id: give --tenant.');
      }
      const number =
        generation === undefined ? undefined : wholeNumberOf(generation, '--generation');
      const params = { tenantId: tenant, userId: user, generation: number };
      await startJob(
        context,
        { route: replayRoutes.startVerification, params: {}, body: { kind: 'verify', params } },
        flags,
      );
    });
}
