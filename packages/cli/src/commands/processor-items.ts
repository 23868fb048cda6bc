import type { Command } from 'commander';
import type { AnswerBodyOf } from '@tributary/contracts/admin/admin-route';
import { processorItemRoutes } from '@tributary/contracts/admin/processor-items';
import type { CommandContext } from '../command-context.ts';
import { NoAnswer, ShownFailure, UsageError } from '../failures.ts';
import { lines, nextPage, printable, table } from '../print.ts';
import { flat } from '../processor/connection-texts.ts';
import { commandNamed } from './command-named.ts';
import { withPage, withTenant } from './by-whom.ts';

type ListFlags = { tenant: string } & Record<string, string | undefined>;
type RetryFlags = { tenant: string; all?: true; reason?: string };

/** Commands of `processor`: payments and refunds at Stripe, and what became of each. */
export function addProcessorItemCommands(program: Command, context: CommandContext): void {
  const processor = commandNamed(program, 'processor');
  const { show } = context;

  withPage(withTenant(processor.command('items')))
    .description('lists payments and refunds that Stripe reported, and what became of each')
    .option('--state <state>', 'reported, waiting, unmatched or ignored')
    .option('--reason <reason>', 'why, such as no-metadata or unknown-code')
    .option('--type <type>', 'invoice, checkout-session or charge')
    .option('--customer <id>', 'of this customer at Stripe')
    .option('--connection <id>', 'of this connection')
    .option('--since <time>', 'reported at this time or later')
    .option('--until <time>', 'and before this time')
    .action(async ({ tenant, customer, connection, ...flags }: ListFlags) => {
      const query = { ...flags, customerId: customer, connectionId: connection };
      const params = { tenantId: tenant };
      await show({ route: processorItemRoutes.listItems, params, query }, ({ body }) =>
        describeList(body),
      );
    });

  withTenant(processor.command('item <itemId>'))
    .description('shows one with its events, facts, and what Stripe is asked for')
    .action(async (itemId: string, { tenant }: { tenant: string }) => {
      const params = { tenantId: tenant, itemId };
      await show({ route: processorItemRoutes.showItem, params }, ({ body }) => describeItem(body));
    });

  withTenant(processor.command('retry [itemId]'))
    .description('asks Stripe at once for what is missing of one, or of all')
    .option('--all', 'all that are unmatched or waiting')
    .option('--reason <reason>', 'with --all: those of this reason only')
    .action(async (itemId: string | undefined, { tenant, all, reason }: RetryFlags) => {
      if ((itemId === undefined) !== (all === true)) {
        throw new UsageError('Name one item, or say --all.');
      }
      if (reason !== undefined && !all) throw new UsageError('--reason goes with --all.');
      if (itemId !== undefined) return retryOne(context, tenant, itemId);
      await retryAll(context, tenant, { reason });
    });
}

async function retryOne({ show }: CommandContext, tenant: string, itemId: string): Promise<void> {
  const params = { tenantId: tenant, itemId };
  await show({ route: processorItemRoutes.retryItem, params, body: {} }, ({ body }) =>
    lines('Stripe is asked again', flat(body)),
  );
}

/** Again and again, since each call of the API is bounded. */
async function retryAll(
  context: CommandContext,
  tenant: string,
  body: { reason: string | undefined },
): Promise<void> {
  let isInterrupted = false;
  const restore = context.onInterrupt(() => (isInterrupted = true));
  const soFar = { retried: 0, finished: false };
  try {
    while (!soFar.finished && !isInterrupted) {
      const params = { tenantId: tenant };
      const request = { route: processorItemRoutes.retryItems, params, body };
      const { retried, more } = (await context.call(request)).body;
      soFar.retried += retried;
      soFar.finished = !more;
      // It would go round for ever.
      if (more && retried === 0)
        throw new NoAnswer('The admin API says that more are left, but retries none.');
      context.say(`${soFar.retried} retried`);
    }
  } finally {
    restore();
  }
  context.print(soFar, describeRetry(soFar));
  if (!soFar.finished) throw new ShownFailure('it was ended before all were retried');
}

function describeRetry({ retried, finished }: { retried: number; finished: boolean }): string {
  if (!finished) return `Ended by Ctrl-C after ${retried}. The same command goes on.`;
  return retried === 0
    ? 'There was nothing to retry that was not retried in the last ten minutes.'
    : `Stripe is asked again for ${retried}.`;
}

type Page = AnswerBodyOf<(typeof processorItemRoutes)['listItems']>;
type Shown = AnswerBodyOf<(typeof processorItemRoutes)['showItem']>;
/** As older releases told it. */
type WithObject = Shown['item'] & { object?: Record<string, unknown> };

function describeList({ items, nextCursor }: Page): string {
  if (items.length === 0) return 'No items.';
  return [table(columnsOf(items), items), ...nextPage(nextCursor)].join('\n');
}

/** What the admin API tells of each, but for what is whole in `processor item`. */
function columnsOf(rows: readonly Record<string, unknown>[]): string[] {
  const names = new Set(rows.flatMap((row) => Object.keys(row)));
  const isPlain = (name: string) =>
    rows.every(({ [name]: value }) => value === null || typeof value !== 'object');
  return [...names].filter((name) => isPlain(name) && !['tenantId', 'subject'].includes(name));
}

function describeItem({ item, events = [], facts = [], needs = [] }: Shown): string {
  const { itemId, object, ...fields } = item as WithObject;
  const part = (heading: string, rows: Record<string, unknown>[]) =>
    rows.length === 0
      ? []
      : [heading, table([...new Set(rows.flatMap((row) => Object.keys(row)))], rows)];
  return [
    lines(`Item ${String(itemId)}`, flat(fields)),
    ...(object === undefined ? [] : [lines('As Stripe reported it', object)]),
    ...part('Events', events),
    ...(facts.length === 0
      ? ['No facts yet.']
      : facts.map((fact) => lines(`Fact ${printable(fact.eventId)}`, flat(fact)))),
    ...part('Stripe is asked for', needs),
  ].join('\n');
}
