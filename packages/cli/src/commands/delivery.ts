import type { Command } from 'commander';
import type { AnswerBodyOf } from '@tributary/contracts/admin/admin-route';
import { deliveryRoutes } from '@tributary/contracts/admin/deliveries';
import { commandNamed } from './command-named.ts';
import type { CommandContext } from '../command-context.ts';
import { lines, nextPage, printable, table } from '../print.ts';
import { type ByWhom, byWhomOf, withPage, withByWhom, withTenant } from './by-whom.ts';
import { describeAnswer } from './webhook-operation.ts';

type ListFlags = { tenant: string } & Record<string, string | undefined>;

export function addDeliveryCommands(program: Command, { show }: CommandContext): void {
  const delivery = commandNamed(program, 'delivery');

  withPage(withTenant(delivery.command('list')))
    .description('lists webhooks, newest issue first')
    .option('--state <state>', 'pending, delivered, exhausted, no-endpoint')
    .option('--recipient <id>', 'who is rewarded')
    .option('--since <time>', 'issued at this time or later')
    .option('--until <time>', 'issued before this time')
    .action(async ({ tenant, ...flags }: ListFlags) => {
      const request = {
        route: deliveryRoutes.listDeliveries,
        params: { tenantId: tenant },
        query: flags,
      };
      await show(request, ({ body }) => describeList(body));
    });

  withTenant(delivery.command('show <eventId>'))
    .description('shows a webhook with its body, every attempt and the last answer')
    .action(async (eventId: string, { tenant }: { tenant: string }) => {
      const params = { tenantId: tenant, eventId };
      await show({ route: deliveryRoutes.showDelivery, params }, ({ body }) =>
        describeDelivery(body),
      );
    });

  withByWhom(delivery.command('resend <eventId>'))
    .description('sends a webhook again, or at once if it waits; eventId and body stay the same')
    .action(async (eventId: string, { tenant, ...byWhom }: ByWhom & { tenant: string }) => {
      const params = { tenantId: tenant, eventId };
      const request = { route: deliveryRoutes.resendDelivery, params, body: byWhomOf(byWhom) };
      await show(request, ({ body }) => lines('Delivery is sent again', body));
    });
}

type Page = AnswerBodyOf<(typeof deliveryRoutes)['listDeliveries']>;
type Shown = AnswerBodyOf<(typeof deliveryRoutes)['showDelivery']>;

function describeList({ deliveries, nextCursor }: Page): string {
  if (deliveries.length === 0) return 'No deliveries.';
  const rows = deliveries.map(({ lastAttempt, ...row }) => ({
    ...row,
    last: lastAttempt?.statusCode ?? lastAttempt?.result,
  }));
  return [table(listColumns, rows), ...nextPage(nextCursor)].join('\n');
}

const listColumns = [
  ...['issuedAt', 'webhookEventId', 'state', 'attempts', 'last'],
  ...['recipientId', 'dueAt', 'finishedAt'],
];

function describeDelivery({ delivery, payload, attempts, resends = [] }: Shown): string {
  const { webhookEventId, lastAttempt: _last, ...fields } = delivery;
  const answer = attempts.at(-1)?.answer;
  return [
    lines(`Delivery ${String(webhookEventId)}`, fields),
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
