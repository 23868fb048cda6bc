import type { Command } from 'commander';
import type { AnswerBodyOf } from '@tributary/contracts/admin/admin-route';
import { campaignRoutes } from '@tributary/contracts/admin/campaigns';
import { JsonText } from '../admin-client.ts';
import type { CommandContext } from '../command-context.ts';
import { UsageError } from '../failures.ts';
import { printable } from '../print.ts';
import { withTenant } from './by-whom.ts';
import { commandNamed } from './command-named.ts';

/** A command of `campaign`, which must have been added before. */
export function addCampaignTryCommand(program: Command, { show, readText }: CommandContext): void {
  withTenant(commandNamed(program, 'campaign').command('try <campaign> <file>'))
    .description('says what an event would lead to if it came now; writes nothing')
    .option('--type <eventType>', 'of the event in the file', 'purchase-created')
    .addHelpText('after', help)
    .action(
      async (id: string, file: string, { tenant, type }: { tenant: string; type: string }) => {
        const event = await readText(file);
        refuseUnlessJson(event, file);
        const body = new JsonText(`{"eventType":${JSON.stringify(type)},"event":${event}}`);
        const params = { tenantId: tenant, campaignId: id };
        await show({ route: campaignRoutes.tryEvent, params, body }, (answer) =>
          readable(answer.body),
        );
      },
    );
}

const help = `
The file holds the body of one event as it would be sent to /v2/events/<eventType>; - reads
standard input. The campaign that decides is the one of the event's code.`;

function refuseUnlessJson(text: string, file: string): void {
  try {
    JSON.parse(text);
  } catch (error) {
    throw new UsageError(`${file} is not JSON: ${(error as Error).message}`, { cause: error });
  }
}

/** The sentences, then why: each test, and how each amount came about. */
function readable(body: Partial<Trial>): string {
  const { explanation = [], decision, rewards = [] } = body;
  return [
    ...explanation,
    '',
    'Why:',
    ...(decision?.tests ?? []).map(({ passed, test, detail }) =>
      passed ? `  ok   ${test}: ${detail}` : `  no   ${test}: ${detail}`,
    ),
    ...rewards.flatMap(({ after }) => [
      `Reward of ${after.recipientId} by rule ${after.ruleId}:`,
      ...after.explanation.map((sentence) => `  ${sentence}`),
    ]),
  ]
    .map(printable)
    .join('\n');
}

type Trial = AnswerBodyOf<(typeof campaignRoutes)['tryEvent']>;
