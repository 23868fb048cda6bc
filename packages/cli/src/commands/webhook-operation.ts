import type { Command } from 'commander';
import { path } from '../admin-client.ts';
import type { CommandContext } from '../command-context.ts';
import { ShownFailure } from '../failures.ts';
import { lines, printable } from '../print.ts';
import { commandNamed } from './command-named.ts';
import { notEmpty } from './said.ts';

/** What an operator does with an endpoint that is set up. Commands of `webhook`. */
export function addWebhookOperationCommands(program: Command, { show }: CommandContext): void {
  const webhook = commandNamed(program, 'webhook');
  const at = (tenant: string, verb = '') => path`/api/tenants/${tenant}/webhook` + verb;

  webhook
    .command('show')
    .description('shows the endpoint, how it fares, and what waits for it')
    .requiredOption('--tenant <id>', 'the tenant', notEmpty)
    .action(async ({ tenant }: { tenant: string }) => {
      await show({ method: 'GET', path: at(tenant) }, ({ body }) =>
        describeWebhook(tenant, body as WebhookStatus),
      );
    });

  webhook
    .command('test')
    .description('sends an event that receivers ignore, and shows the answer; nothing is recorded')
    .requiredOption('--tenant <id>', 'the tenant', notEmpty)
    .addHelpText('after', '\nExit code 1 when it was not answered with 2xx.')
    .action(async ({ tenant }: { tenant: string }) => {
      const request = { method: 'POST', path: at(tenant, '/test'), body: {} } as const;
      const { body } = await show(request, (answer) => describeTest(answer.body as TestSend));
      if (body['delivered'] !== true) throw new ShownFailure('the test event was not delivered');
    });

  for (const { verb, words, heading } of switches) {
    const command = webhook
      .command(verb)
      .description(words)
      .requiredOption('--tenant <id>', 'the tenant', notEmpty)
      .requiredOption('--by <name>', 'who says so; kept with the endpoint', notEmpty);
    const why = 'why; kept with the endpoint and shown';
    if (verb === 'resume') command.option('--reason <text>', why);
    else command.requiredOption('--reason <text>', why, notEmpty);
    command.action(async ({ tenant, by, reason }: SwitchFlags) => {
      const body = { by, ...(reason !== undefined && { reason }) };
      await show({ method: 'POST', path: at(tenant, `/${verb}`), body }, (answer) =>
        lines(heading, answer.body),
      );
    });
  }

  webhook
    .command('rotate')
    .description('makes a new password; the old one is sent until the overlap is over')
    .requiredOption('--tenant <id>', 'the tenant', notEmpty)
    .option('--overlap-hours <number>', 'how long the receiver has to take both, 0 to 720', '24')
    .addHelpText('after', overlapHelp)
    .action(async ({ tenant, overlapHours }: { tenant: string; overlapHours: string }) => {
      // What is no number goes as it is: the portal judges, and says what it must be.
      const hours = /^\d{1,6}$/.test(overlapHours) ? Number(overlapHours) : overlapHours;
      const request = { method: 'POST', path: at(tenant, '/rotate') } as const;
      await show({ ...request, body: { overlapHours: hours } }, (answer) =>
        lines('Webhook has a new password; give it to the customer', answer.body),
      );
    });
}

const overlapHelp = `
Until previousUntil the old credentials are sent; where they are answered with 401, the same attempt
asks again with the new ones. So the receiver can change at any moment in between. With 0 hours the
new ones hold at once.`;

const switches = [
  {
    verb: 'pause',
    words: 'sends nothing until it is resumed; what is due waits, and ends after about three days',
    heading: 'Webhook paused',
  },
  { verb: 'resume', words: 'sends again after pause or disable', heading: 'Webhook resumed' },
  {
    verb: 'disable',
    words: 'sends nothing until it is resumed; what is due waits without end',
    heading: 'Webhook disabled',
  },
] as const;

type SwitchFlags = { tenant: string; by: string; reason?: string };

/** As far as it is printed. */
type WebhookStatus = {
  endpoint?: Record<string, unknown> | null;
  breaker: Record<string, unknown>;
  waiting: Record<string, unknown>;
} & Record<string, unknown>;

function describeWebhook(tenant: string, { endpoint, breaker, waiting, ...rest }: WebhookStatus) {
  const { inFlight, oldestDueSeconds, ...health } = rest;
  return [
    endpoint
      ? lines(`Webhook of ${tenant}`, endpoint)
      : `No webhook is set for ${printable(tenant)}: tributary webhook set <address>`,
    lines('Health', { breaker: breaker['state'], ...withoutState(breaker), ...health }),
    lines('Deliveries', { ...waiting, inFlight, oldestDueSeconds }),
  ].join('\n');
}

function withoutState({ state: _state, ...breaker }: Record<string, unknown>) {
  return breaker;
}

type TestSend = Record<string, unknown> & {
  delivered: boolean;
  answer?: { headers: [string, string][]; body: string; cut: boolean };
};

function describeTest({ answer, delivered, ...figures }: TestSend): string {
  const heading = delivered ? 'Test event delivered' : 'Test event not delivered';
  return [lines(heading, figures), ...(answer ? describeAnswer(answer) : [])].join('\n');
}

/** What a receiver answered, as far as it was kept. */
export function describeAnswer(answer: NonNullable<TestSend['answer']>): string[] {
  const body = answer.body.trimEnd();
  return [
    'Answer',
    ...answer.headers.map(([name, value]) => printable(`  ${name}: ${value}`)),
    ...(body === '' ? [] : body.split(/\r?\n/).map((line) => printable(`  ${line}`))),
    ...(answer.cut ? ['  (cut here)'] : []),
  ];
}
