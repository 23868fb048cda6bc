import type { Command } from 'commander';
import { path } from '../admin-client.ts';
import type { CommandContext } from '../command-context.ts';
import { lines, printable, table } from '../print.ts';
import { wholeNumberOf } from '../whole-number.ts';
import { commandNamed } from './command-named.ts';
import { type AskFlags, startJob, withAsk } from './replay.ts';

const base = '/api/replay/generations';

/** Commands of `replay`: the folds built anew beside the live ones, and which of them is live. */
export function addReplayGenerationCommands(program: Command, context: CommandContext): void {
  const replay = commandNamed(program, 'replay');

  replay
    .command('generations')
    .description('lists what was built of the log, and which of it is live')
    .action(async () => {
      await context.show({ method: 'GET', path: base }, ({ body }) => describe(body));
    });

  withAsk(replay.command('rebuild'))
    .description('builds the next generation beside the live one, and compares it')
    .option('--fold <version>', 'by the rules of this version; left out: the newest')
    .action(async ({ fold, ...flags }: AskFlags & { fold?: string }) => {
      const body = fold === undefined ? {} : { foldVersion: wholeNumberOf(fold, '--fold') };
      await startJob(context, { path: base, body }, flags);
    });

  withAsk(replay.command('swap <generation>'))
    .description('makes a generation that was built the live one; the one before is kept')
    .action(async (text: string, flags: AskFlags) => {
      const number = String(wholeNumberOf(text, 'The generation'));
      await startJob(context, { path: path`/api/replay/generations/${number}/swap` }, flags);
    });

  withAsk(replay.command('rollback'))
    .description('makes the generation live again that was live before the last swap')
    .action(async (flags: AskFlags) => startJob(context, { path: `${base}/rollback` }, flags));

  withAsk(replay.command('drop <generation>'))
    .description('removes a generation that is not live, with its tables and topics')
    .action(async (text: string, flags: AskFlags) => {
      const number = String(wholeNumberOf(text, 'The generation'));
      const target = path`/api/replay/generations/${number}`;
      await startJob(context, { method: 'DELETE', path: target }, flags);
    });
}

type Generations = {
  live: number;
  generations: {
    number: number;
    status: string;
    foldVersion: number;
    createdAt: string;
    note?: string;
  }[];
  events?: { number: number; at: string; line: string }[];
};

function describe(body: Record<string, unknown>): string {
  const { live, generations, events = [] } = body as Generations;
  const rows = generations.map((one) => ({ ...one, now: one.number === live ? 'live' : '' }));
  return [
    lines(`Live: generation ${live}`, {}),
    table(['number', 'now', 'status', 'foldVersion', 'createdAt', 'note'], rows),
    ...(events.length === 0 ? [] : ['']),
    ...events.map(({ at, number, line }) => printable(`${at}  ${number}  ${line}`)),
  ].join('\n');
}
