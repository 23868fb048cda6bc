import type { Command } from 'commander';
import { path } from '../admin-client.ts';
import type { CommandContext } from '../command-context.ts';
import { query } from '../query.ts';
import { describeJob, describeJobs } from '../replay/job-texts.ts';
import type { Job } from '../replay/job.ts';
import { watchJob } from '../replay/watch-job.ts';
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
      await context.show({ method: 'GET', path: `/api/replay/jobs${query(flags)}` }, ({ body }) => {
        const { jobs, nextCursor } = body as { jobs: Job[]; nextCursor: string | null };
        return describeJobs(jobs, nextCursor);
      });
    });

  replay
    .command('job <jobId>')
    .description('shows a job with its history and what came of it')
    .option('--watch', 'wait for its end')
    .action(async (jobId: string, { watch }: { watch?: true }) => {
      if (watch) return watchJob(context, jobId);
      const request = { method: 'GET', path: path`/api/replay/jobs/${jobId}` } as const;
      await context.show(request, ({ body }) => describeJob(body as unknown as Job));
    });

  replay
    .command('cancel <jobId>')
    .description('ends a job and removes what it made')
    .option('--by <name>', 'who says so; kept with the job')
    .action(async (jobId: string, { by }: { by?: string }) => {
      const target = path`/api/replay/jobs/${jobId}/cancel`;
      const body = { ...(by !== undefined && { by }) };
      await context.show({ method: 'POST', path: target, body }, (answer) =>
        describeJob(answer.body as unknown as Job),
      );
    });
}
