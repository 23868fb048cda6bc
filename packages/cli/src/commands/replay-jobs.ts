import type { Command } from 'commander';
import { replayRoutes } from '@tributary/contracts/admin/replays';
import type { CommandContext } from '../command-context.ts';
import { describeJob, describeJobs } from '../replay/job-texts.ts';
import { watchJob } from '../replay/watch-job.ts';
import { withBy } from './by-whom.ts';
import { commandNamed } from './command-named.ts';

/** Commands of `replay`: long pieces of work, each with its history. */
export function addReplayJobCommands(program: Command, context: CommandContext): void {
  const replay = commandNamed(program, 'replay');

  replay
    .command('jobs')
    .description('lists all jobs there were, the newest first')
    .option('--limit <number>', 'so many at most (50)')
    .option('--cursor <text>', 'where the list before this one ended')
    .action(async (flags: { limit?: string; cursor?: string }) => {
      const request = { route: replayRoutes.listJobs, params: {}, query: flags };
      await context.show(request, ({ body: { jobs, nextCursor } }) =>
        describeJobs(jobs, nextCursor),
      );
    });

  replay
    .command('job <jobId>')
    .description('shows a job with its history and what came of it')
    .option('--watch', 'wait for its end')
    .action(async (jobId: string, { watch }: { watch?: true }) => {
      if (watch) return watchJob(context, jobId);
      const request = { route: replayRoutes.showJob, params: { jobId } };
      await context.show(request, ({ body }) => describeJob(body));
    });

  withBy(replay.command('cancel <jobId>'))
    .description('ends a job and removes what it made')
    .action(async (jobId: string, { by }: { by?: string }) => {
      const request = { route: replayRoutes.cancelJob, params: { jobId }, body: { by } };
      await context.show(request, (answer) => describeJob(answer.body));
    });
}
