import type { Command } from 'commander';
import type { AnswerBodyOf } from '@tributary/contracts/admin/admin-route';
import { webhookRoutes } from '@tributary/contracts/admin/webhooks';
import type { CommandContext } from '../command-context.ts';
import { ShownFailure } from '../failures.ts';
import { lines, printable } from '../print.ts';
import { commandNamed } from './command-named.ts';
import { notEmpty, withBy, withTenant } from './by-whom.ts';

/** What an operator does with an endpoint that is set up. Commands of `webhook`. */
export function addWebhookOperationCommands(program: Command, { show }: CommandContext): void {
  const webhook = commandNamed(program, 'webhook');

  withTenant(webhook.command('show'))
    .description('shows the endpoint, how it fares, and what waits for it')
    .action(async ({ tenant }: { tenant: string }) => {
      const params = { tenantId: tenant };
      await show({ route: webhookRoutes.showWebhook, params }, ({ body }) =>
        describeWebhook(tenant, body),
      );
    });

  withTenant(webhook.command('test'))
    .description('sends an event that receivers ignore, and shows the answer; nothing is recorded')
    .addHelpText('after', '\nExit code 1 when it was not answered with 2xx.')
    .action(async ({ tenant }: { tenant: string }) => {
      const params = { tenantId: tenant };
      const request = { route: webhookRoutes.testWebhook, params, body: {} };
      const { body } = await show(request, (answer) => describeTest(answer.body));
      if (!body.delivered) throw new ShownFailure('the test event was not delivered');
    });

  for (const { verb, route, description, heading } of switches) {
    const command = withBy(withTenant(webhook.command(verb))).description(description);
    const why = 'why; kept with the endpoint and shown';
    if (verb === 'resume') command.option('--reason <text>', why);
    else command.requiredOption('--reason <text>', why, notEmpty);
    command.action(async ({ tenant, by, reason }: SwitchFlags) => {
      // Only resume may be without a reason, which the flags see to.
      const body = { by, reason } as SwitchBody;
      const request = { route, params: { tenantId: tenant }, body };
      await show(request, (answer) => lines(heading, answer.body));
    });
  }

  withTenant(webhook.command('rotate'))
    .description('makes a new password; the old one is sent until the overlap is over')
    .option('--overlap-hours <number>', 'how long the receiver has to take both, 0 to 720', '24')
    .addHelpText('after', overlapHelp)
    .action(async ({ tenant, overlapHours }: { tenant: string; overlapHours: string }) => {
      // What is no number goes as it is: the portal validates, and says what it must be.
      const hours = /^\d{1,6}$/.test(overlapHours) ? Number(overlapHours) : overlapHours;
      const params = { tenantId: tenant };
      const request = { route: webhookRoutes.rotateWebhook, params, body: { overlapHours: hours } };
      await show(request, (answer) =>
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
    route: webhookRoutes.pauseWebhook,
    description:
      'sends nothing until it is resumed; what is due waits, and ends after about three days',
    heading: 'Webhook paused',
  },
  {
    verb: 'resume',
    route: webhookRoutes.resumeWebhook,
    description: 'sends again after pause or disable',
    heading: 'Webhook resumed',
  },
  {
    verb: 'disable',
    route: webhookRoutes.disableWebhook,
    description: 'sends nothing until it is resumed; what is due waits without end',
    heading: 'Webhook disabled',
  },
] as const;

type SwitchFlags = { tenant: string; by?: string; reason?: string };
type SwitchBody = { by?: string; reason: string };

type WebhookStatus = AnswerBodyOf<(typeof webhookRoutes)['showWebhook']>;

function describeWebhook(tenant: string, { endpoint, breaker, waiting, ...rest }: WebhookStatus) {
  const { inFlight, oldestDueSeconds, ...health } = rest;
  return [
    endpoint
      ? lines(`Webhook of ${tenant}`, endpoint)
      : `No webhook is set for ${printable(tenant)}: tributary webhook set <address>`,
    lines('Health', { breaker: breaker.state, ...withoutState(breaker), ...health }),
    lines('Deliveries', { ...waiting, inFlight, oldestDueSeconds }),
  ].join('\n');
}

function withoutState({ state: _state, ...breaker }: WebhookStatus['breaker']) {
  return breaker;
}

type TestSend = AnswerBodyOf<(typeof webhookRoutes)['testWebhook']>;
type KeptAnswer = { headers: readonly (readonly string[])[]; body: string; cut: boolean };

function describeTest({ answer, delivered, ...fields }: TestSend): string {
  const heading = delivered ? 'Test event delivered' : 'Test event not delivered';
  return [lines(heading, fields), ...(answer ? describeAnswer(answer) : [])].join('\n');
}

/** What a receiver answered, as far as it was kept. */
export function describeAnswer(answer: KeptAnswer): string[] {
  const body = answer.body.trimEnd();
  return [
    'Answer',
    ...answer.headers.map(([name, value]) => printable(`  ${name}: ${value}`)),
    ...(body === '' ? [] : body.split(/\r?\n/).map((line) => printable(`  ${line}`))),
    ...(answer.cut ? ['  (cut here)'] : []),
  ];
}
