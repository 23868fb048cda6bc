import type { Command } from 'commander';
import { path } from '../admin-client.ts';
import type { CommandContext } from '../command-context.ts';
import { UsageError } from '../failures.ts';
import { lines } from '../print.ts';

export function addCampaignCommands(program: Command, { show, readText }: CommandContext): void {
  const campaign = program.command('campaign').description('what is rewarded, and how');

  campaign
    .command('put <file>')
    .description('writes the campaign of a JSON file as its next revision; - reads standard input')
    .option('--tenant <id>', 'the tenant, unless the file has a tenantId')
    .option('--campaign <id>', 'the campaign, unless the file has a campaignId')
    .addHelpText('after', example)
    .action(async (file: string, flags: { tenant?: string; campaign?: string }) => {
      const { tenantId, campaignId, ...body } = parseObject(await readText(file), file);
      const tenant = choose(flags.tenant, tenantId, '--tenant', 'tenantId');
      const id = choose(flags.campaign, campaignId, '--campaign', 'campaignId');
      const target = path`/api/tenants/${tenant}/campaigns/${id}`;
      await show({ method: 'PUT', path: target, body }, (answer) =>
        lines('Campaign stored', answer.body),
      );
    });
}

const example = `
A campaign file:
  {
    "tenantId": "acme", "campaignId": "spring", "name": "Spring",
    "landingUrl": "https://example.com/join",
    "rules": [{ "ruleId": "purchase", "trigger": "purchase-created", "recipient": "referrer",
                "effect": { "kind": "fixed", "credits": "10" } }]
  }`;

function parseObject(text: string, file: string): Record<string, unknown> {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (error) {
    throw new UsageError(`${file} is not JSON: ${(error as Error).message}`, { cause: error });
  }
  if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)) {
    return parsed as Record<string, unknown>;
  }
  throw new UsageError(`${file} must hold one JSON object.`);
}

function choose(flag: string | undefined, member: unknown, option: string, name: string): string {
  if (member !== undefined && typeof member !== 'string') {
    throw new UsageError(`"${name}" of the file must be a string.`);
  }
  if (flag !== undefined && member !== undefined && flag !== member) {
    throw new UsageError(`${option} ${flag} and "${name}": "${member}" of the file differ.`);
  }
  const chosen = flag ?? member;
  if (chosen === undefined || chosen === '') {
    throw new UsageError(`Give ${option}, or "${name}" in the file.`);
  }
  return chosen;
}
