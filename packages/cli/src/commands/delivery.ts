import type { Command } from 'commander';
import { path } from '../admin-client.ts';
import type { CommandContext } from '../command-context.ts';
import { lines, printable, table } from '../print.ts';
import { query } from '../query.ts';
import { notEmpty, type Said, saidOf, withSaid } from './said.ts';
import { describeAnswer } from './webhook-operation.ts';

type ListFlags = { tenant: string } & Record<string, string | undefined>;

export function addDeliveryCommands(program: Command, { show }: CommandContext): void {
  const delivery = program.command('delivery').description('webhooks sent, waiting or given up');
  const at = (tenant: string, eventId: string) =>
    path`/api/tenants/${tenant}/deliveries/${eventId}`;

  delivery
    .command('list')
    .description('lists webhooks, newest issue first')
    .requiredOption('--tenant <id>', 'the tenant', notEmpty)
    .option('--state <state>', 'pending, delivered, exhausted, no-endpoint')
    .option('--recipient <id>', 'who is rewarded')
    .option('--since <time>', 'issued at this time or later')
    .option('--until <time>', 'issued before this time')
    .option('--limit <number>', 'how many at most')
    .option('--cursor <text>', 'goes on where an earlier list ended')
    .action(async ({ tenant, ...flags }: ListFlags) => {
      const target = path`/api/tenants/${tenant}/deliveries` + query(flags);
      await show({ method: 'GET', path: target }, ({ body }) => describeList(body as Page));
    });

  delivery
    .command('show <eventId>')
    .description('shows a webhook with its body, every attempt and the last answer')
    .requiredOption('--tenant <id>', 'the tenant', notEmpty)
    .action(async (eventId: string, { tenant }: { tenant: string }) => {
      await show({ method: 'GET', path: at(tenant, eventId) }, ({ body }) =>
        describeDelivery(body as Shown),
      );
    });

  withSaid(delivery.command('resend <eventId>'))
    .description('sends a webhook again, or at once if it waits; eventId and body stay the same')
    .action(async (eventId: string, { tenant, ...said }: Said & { tenant: string }) => {
      const request = { method: 'POST', path: `${at(tenant, eventId)}/resend` } as const;
      await show({ ...request, body: saidOf(said) }, ({ body }) =>
        lines('Delivery is sent again', body),
      );
    });
}

/** As far as it is printed. */
type Delivery = Record<string, unknown> & { lastAttempt?: Record<string, unknown> | null };
type Page = { deliveries: Delivery[]; nextCursor?: string | null };
type Attempt = Record<string, unknown> & { answer?: Parameters<typeof describeAnswer>[0] | null };
type Shown = {
  delivery: Delivery;
  payload: unknown;
  attempts: Attempt[];
  resends?: Record<string, unknown>[];
};

function describeList({ deliveries, nextCursor }: Page): string {
  if (deliveries.length === 0) return 'No deliveries.';
  const rows = deliveries.map(({ lastAttempt, ...row }) => ({
    ...row,
    last: lastAttempt?.['statusCode'] ?? lastAttempt?.['result'],
  }));
  return [
    table(listColumns, rows),
    ...(typeof nextCursor === 'string'
      ? [printable(`There are more: --cursor ${nextCursor}`)]
      : []),
  ].join('\n');
}

const listColumns = [
  ...['issuedAt', 'webhookEventId', 'state', 'attempts', 'last'],
  ...['recipientId', 'dueAt', 'finishedAt'],
];

function describeDelivery({ delivery, payload, attempts, resends = [] }: Shown): string {
  const { webhookEventId, lastAttempt: _last, ...figures } = delivery;
  const answer = attempts.at(-1)?.answer;
  return [
    lines(`Delivery ${String(webhookEventId)}`, figures),
    'Payload',
    printable(payload),
    ...(attempts.length === 0
      ? ['No attempt yet.']
      : ['Attempts', table(attemptColumns, attempts)]),
    ...(answer ? describeAnswer(answer) : []),
    ...(resends.length === 0 ? [] : ['Resends', table(resendColumns(resends), resends)]),
  ].join('\n');
}

const attemptColumns = [
  ...['attempt', 'round', 'startedAt', 'durationMs', 'result', 'statusCode', 'detail'],
];

function resendColumns(resends: readonly Record<string, unknown>[]): string[] {
  return [...new Set(resends.flatMap((resend) => Object.keys(resend)))];
}
