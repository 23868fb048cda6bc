import type { Command } from 'commander';
import { path } from '../admin-client.ts';
import type { CommandContext } from '../command-context.ts';
import {
  type Check,
  describeCheck,
  describeRevision,
  describeRevisions,
  describeWarnings,
  type Remark,
  type Revisions,
} from '../campaign-texts.ts';
import { ShownFailure, UsageError } from '../failures.ts';
import { lines, table } from '../print.ts';
import { choose, chooseIfAny, parseObject } from '../campaign-file.ts';
import { query } from '../query.ts';

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
      await show({ method: 'PUT', path: target, body }, ({ body: { warnings, ...stored } }) =>
        [lines('Campaign stored', stored), ...describeWarnings((warnings ?? []) as Remark[])].join(
          '\n',
        ),
      );
    });

  campaign
    .command('check <file>')
    .description('says what the campaign of a JSON file would do, and what is wrong with it')
    .option('--tenant <id>', 'where it is meant for, unless the file has a tenantId')
    .option('--campaign <id>', 'which it is meant to be, unless the file has a campaignId')
    .addHelpText('after', checkHelp)
    .action(async (file: string, flags: { tenant?: string; campaign?: string }) => {
      const parsed = parseObject(await readText(file), file);
      const { tenantId, campaignId, ...body } = parsed;
      const place = {
        tenantId: chooseIfAny(flags.tenant, tenantId, '--tenant', 'tenantId'),
        campaignId: chooseIfAny(flags.campaign, campaignId, '--campaign', 'campaignId'),
      };
      const target = `/api/campaign-check${query(place)}`;
      const request = { method: 'POST', path: target, body, storesNothing: true } as const;
      const answer = await show(request, (told) => describeCheck(told.body as Check));
      if (!(answer.body as Check).valid) throw new ShownFailure('the campaign has mistakes');
    });

  campaign
    .command('show <tenantId> [campaignId]')
    .description('lists the campaigns of a tenant, or the revisions of one')
    .option('--revision <number>', 'says what this revision does')
    .action(async (tenantId: string, campaignId: string | undefined, flags: ShowFlags) => {
      await show(...shownOf(tenantId, campaignId, flags));
    });
}

type ShowFlags = { revision?: string };

function shownOf(
  tenantId: string,
  campaignId: string | undefined,
  { revision }: ShowFlags,
): Parameters<CommandContext['show']> {
  if (campaignId === undefined) {
    if (revision !== undefined) throw new UsageError('Name the campaign of the revision.');
    const target = path`/api/tenants/${tenantId}/campaigns`;
    return [{ method: 'GET', path: target }, ({ body }) => listCampaigns(body)];
  }
  const target = path`/api/tenants/${tenantId}/campaigns/${campaignId}`;
  if (revision === undefined) {
    return [{ method: 'GET', path: target }, ({ body }) => describeRevisions(body as Revisions)];
  }
  const one = `${target}${path`/revisions/${revision}`}`;
  return [{ method: 'GET', path: one }, ({ body }) => describeRevision(body)];
}

function listCampaigns(body: Record<string, unknown>): string {
  const campaigns = body['campaigns'] as Record<string, unknown>[];
  if (campaigns.length === 0) return 'There is no campaign yet: tributary campaign put <file>';
  return table(['campaignId', 'revision', 'name', 'status', 'effectiveFrom'], campaigns);
}

const checkHelp = `
Stores nothing. Exit code 1 when something is wrong, such as an effectiveFrom that put would refuse,
or a tenant that there is not.`;

const example = `
A campaign file:
  {
    "tenantId": "acme", "campaignId": "spring", "name": "Spring",
    "landingUrl": "https://example.com/join",
    "rules": [{ "ruleId": "purchase", "trigger": "purchase-created", "recipient": "referrer",
                "effect": { "kind": "fixed", "credits": "10" } }]
  }`;
