import type { Command } from 'commander';
import { readModelRoutes } from '@tributary/contracts/admin/read-model';
import { commandNamed } from './command-named.ts';
import type { CommandContext } from '../command-context.ts';
import { nextPage, table } from '../print.ts';
import { freshness } from './explain.ts';
import { withPage } from './by-whom.ts';

type Flags = { tenant: string } & Record<string, string | undefined>;

export function addEventCommands(program: Command, { show }: CommandContext): void {
  const event = commandNamed(program, 'event');

  withPage(event.command('list'))
    .description('lists events, newest receipt first')
    .requiredOption('--tenant <id>', 'the tenant')
    .option('--type <type>', 'signup-created, demo-attended, purchase-created, purchase-refunded')
    .option('--source <source>', 'v2, legacy, processor, widget')
    .option('--outcome <outcome>', 'attributed, not-attributed, waiting, undecided, pending')
    .option('--reason <reason>', 'why not, such as duplicate or unknown-code')
    .option('--user <id>', 'the referred user')
    .option('--referrer <id>', 'who referred')
    .option('--campaign <id>', 'of the decision')
    .option('--code <text>', 'the referral code on the event')
    .option('--invoice <id>', 'an invoice, by any of its names')
    .option('--since <time>', 'received at this time or later')
    .option('--until <time>', 'received before this time')
    .action(async ({ tenant, since, until, ...flags }: Flags) => {
      const request = {
        route: readModelRoutes.listEvents,
        params: { tenantId: tenant },
        query: { ...flags, from: since, to: until },
      };
      await show(request, ({ body }) => listLines(body, 'events', columns));
    });
}

const columns = [
  'receivedAt',
  'eventId',
  'eventType',
  'newUserId',
  'ucc',
  'outcome',
  'reason',
  'referrerId',
];

/** A page of a list, and how to see the next one. */
export function listLines(
  body: Record<string, unknown>,
  name: string,
  shown: readonly string[],
): string {
  const items = body[name] as Record<string, unknown>[];
  return [
    items.length === 0 ? `No ${name}.` : table(shown, items),
    ...nextPage(body['nextCursor']),
    freshness(body['asOf']),
  ].join('\n');
}
