import type { Command } from 'commander';
import type { AnswerBodyOf } from '@tributary/contracts/admin/admin-route';
import { deadLetterRoutes } from '@tributary/contracts/admin/dead-letters';
import { commandNamed } from './command-named.ts';
import type { CommandContext } from '../command-context.ts';
import { UsageError } from '../failures.ts';
import { lines, printable, table } from '../print.ts';
import { actOnAll } from './act-on-all.ts';
import { listLines } from './event.ts';
import { type ByWhom, byWhomOf, withBy, withPage } from './by-whom.ts';

type Filter = Partial<Record<'topic' | 'reader' | 'reason' | 'since' | 'until', string>>;
type ListFlags = Filter & { status: string; limit?: string; cursor?: string };
type ActFlags = ByWhom & Filter & { all?: true };

export function addDeadLetterCommands(program: Command, context: CommandContext): void {
  const { show } = context;
  const deadLetters = commandNamed(program, 'dead-letters');

  withPage(withFilter(deadLetters.command('list')))
    .description('lists them, newest record first; values are never shown here')
    .option('--status <status>', 'open, redriven, discarded or all', 'open')
    .action(async ({ status, ...flags }: ListFlags) => {
      const asked = { ...(status !== 'all' && { status }), ...flags };
      const request = { route: deadLetterRoutes.listDeadLetters, params: {}, query: asked };
      await show(request, ({ body }) =>
        listLines({ ...body, ['dead letters']: body.deadLetters.map(toRow) }, ...rows),
      );
    });

  deadLetters
    .command('show <itemId>')
    .description('shows one with its value, who put it aside and what was done about it')
    .addHelpText('after', '\nThe value may hold anything: mind whom you show it to.')
    .action(async (itemId: string) => {
      await show({ route: deadLetterRoutes.showDeadLetter, params: { itemId } }, ({ body }) =>
        describe(body),
      );
    });

  for (const { verb, route, description, done, confirmation } of verbs) {
    withBy(withFilter(deadLetters.command(`${verb} [itemId]`)))
      .description(description)
      .option('--note <text>', 'why; kept with it')
      .option('--all', 'all that are open, or those of them that the filters name')
      .addHelpText('after', allHelp)
      .action(async (itemId: string | undefined, flags: ActFlags) => {
        const filter = filterOf(itemId, flags);
        const act = (id: string) => ({ route, params: { itemId: id }, body: byWhomOf(flags) });
        if (filter !== undefined) return actOnAll(context, { filter, act, done });
        await show(act(itemId ?? ''), ({ body }) => `${confirmation}\n${describe(body)}`);
      });
  }
}

const verbs = [
  {
    verb: 'redrive',
    route: deadLetterRoutes.redriveDeadLetter,
    description: 'appends the record to its topic again, if it keeps its contract now',
    done: 'redriven',
    confirmation: 'Redriven: it is on its topic again',
  },
  {
    verb: 'discard',
    route: deadLetterRoutes.discardDeadLetter,
    description: 'says that nothing is to be done about it',
    done: 'discarded',
    confirmation: 'Discarded',
  },
] as const;

const allHelp = `
With --all those that are refused stay open and are named at the end (exit code 1). Ctrl-C ends it
after the one under way; the same command goes on.`;

function withFilter(command: Command): Command {
  return command
    .option('--topic <name>', 'of this topic, by its name on the broker')
    .option('--reader <group>', 'put aside by this consumer group')
    .option('--reason <reason>', 'not-json or schema')
    .option('--since <time>', 'records that the broker got at this time or later')
    .option('--until <time>', 'and before this time');
}

/** Undefined for one item. */
function filterOf(
  itemId: string | undefined,
  { all, topic, reader, reason, since, until }: ActFlags,
): Record<string, string | undefined> | undefined {
  const filter = { topic, reader, reason, from: since, to: until };
  if (all && itemId === undefined) return { status: 'open', ...filter };
  if (all) throw new UsageError('Name one dead letter, or --all with its filters.');
  if (itemId === undefined) throw new UsageError('Name a dead letter, or say --all.');
  if (Object.values(filter).some((value) => value !== undefined)) {
    throw new UsageError('--topic, --reader, --reason, --since and --until go with --all.');
  }
  return undefined;
}

type DeadLetter = AnswerBodyOf<(typeof deadLetterRoutes)['redriveDeadLetter']>;
type Shown = AnswerBodyOf<(typeof deadLetterRoutes)['showDeadLetter']>;
/** The value is told of one that is shown only. */
type Item = DeadLetter & Partial<Pick<Shown, 'value'>>;

const rows = [
  'dead letters',
  ['itemId', 'status', 'topic', 'partition', 'offset', 'key', 'at', 'readers', 'detail'],
] as const;

function toRow({ itemId, status, origin, readers }: DeadLetter): Record<string, unknown> {
  return {
    itemId,
    status,
    ...origin,
    readers: readers.map(({ reader }) => reader).join(','),
    detail: readers[0]?.detail,
  };
}

function describe({ itemId, status, origin, readers, actions, value }: Item): string {
  const { topic, partition, offset, key, at } = origin;
  return [
    lines(`Dead letter ${itemId}`, { status, topic, partition, offset, key, at }),
    'Put aside by',
    table(['reader', 'reason', 'detail', 'putAsideAt'], readers),
    ...(actions.length === 0 ? [] : ['Done', table(['type', 'by', 'note', 'at'], actions)]),
    ...(value === undefined ? [] : describeValue(value)),
  ].join('\n');
}

function describeValue(value: Shown['value']): string[] {
  if (value === null) return ['Value', '  not kept: it is about a person'];
  const { text, base64, bytes, cut } = value;
  const size = `${bytes} bytes${cut ? ', of which the first were kept' : ''}`;
  return [
    `Value (${size}${text === undefined ? '; as base64, it is no text' : ''})`,
    ...(text ?? base64 ?? '').split(/\r?\n/).map((line) => `  ${printable(line)}`),
  ];
}
