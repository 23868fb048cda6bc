import type { Command } from 'commander';
import type { AnswerBodyOf } from '@tributary/contracts/admin/admin-route';
import { replayRoutes } from '@tributary/contracts/admin/replays';
import type { CommandContext } from '../command-context.ts';
import { lines, printable, table } from '../print.ts';
import { wholeNumberOf } from '../whole-number.ts';
import { commandNamed } from './command-named.ts';
import { type AskFlags, startJob, withAsk } from './replay.ts';

/** Commands of `replay`: the folds built anew beside the live ones, and which of them is live. */
export function addReplayGenerationCommands(program: Command, context: CommandContext): void {
  const replay = commandNamed(program, 'replay');

  replay
    .command('generations')
    .description('lists what was built of the log, and which of it is live')
    .action(async () => {
      const request = { route: replayRoutes.listGenerations, params: {} };
      await context.show(request, ({ body }) => describe(body));
    });

  withAsk(replay.command('rebuild'))
    .description('builds the next generation beside the live one, and compares it')
    .option('--fold <version>', 'by the rules of this version; left out: the newest')
    .action(async ({ fold, ...flags }: AskFlags & { fold?: string }) => {
      const body = fold === undefined ? {} : { foldVersion: wholeNumberOf(fold, '--fold') };
      await startJob(context, { route: replayRoutes.startRebuild, params: {}, body }, flags);
    });

  withAsk(replay.command('swap <generation>'))
    .description('makes a generation that was built the live one; the one before is kept')
    .action(async (text: string, flags: AskFlags) => {
      const number = String(wholeNumberOf(text, 'The generation'));
      await startJob(context, { route: replayRoutes.startSwap, params: { number } }, flags);
    });

  withAsk(replay.command('rollback'))
    .description('makes the generation live again that was live before the last swap')
    .action(async (flags: AskFlags) =>
      startJob(context, { route: replayRoutes.startRollback, params: {} }, flags),
    );

  withAsk(replay.command('drop <generation>'))
    .description('removes a generation that is not live, with its tables and topics')
    .action(async (text: string, flags: AskFlags) => {
      const number = String(wholeNumberOf(text, 'The generation'));
      await startJob(context, { route: replayRoutes.startDrop, params: { number } }, flags);
    });
}

type Generations = AnswerBodyOf<(typeof replayRoutes)['listGenerations']>;

function describe({ live, generations, events = [] }: Generations): string {
  const rows = generations.map((one) => ({ ...one, now: one.number === live ? 'live' : '' }));
  return [
    lines(`Live: generation ${live}`, {}),
    table(['number', 'now', 'status', 'foldVersion', 'createdAt', 'note'], rows),
    ...(events.length === 0 ? [] : ['']),
    ...events.map(({ at, number, line }) => printable(`${at}  ${number}  ${line}`)),
  ].join('\n');
}
