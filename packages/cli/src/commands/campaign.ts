import type { Command } from 'commander';
import { campaignRoutes } from '@tributary/contracts/admin/campaigns';
import { JsonText } from '../admin-client.ts';
import { withTenant } from './by-whom.ts';
import { commandNamed } from './command-named.ts';
import type { CommandContext } from '../command-context.ts';
import {
  describeCheck,
  describeRevision,
  describeRevisions,
  describeWarnings,
} from '../campaign-texts.ts';
import { ShownFailure, UsageError } from '../failures.ts';
import { lines, table } from '../print.ts';
import { choose, chooseIfAny, parseObject } from '../campaign-file.ts';

export function addCampaignCommands(program: Command, { show, readText }: CommandContext): void {
  const campaign = commandNamed(program, 'campaign');

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
      const request = {
        route: campaignRoutes.putCampaign,
        params: { tenantId: tenant, campaignId: id },
        body: JsonText.of(body),
      };
      await show(request, ({ body: { warnings = [], ...stored } }) =>
        [lines('Campaign stored', stored), ...describeWarnings(warnings)].join('\n'),
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
      const query = {
        tenantId: chooseIfAny(flags.tenant, tenantId, '--tenant', 'tenantId'),
        campaignId: chooseIfAny(flags.campaign, campaignId, '--campaign', 'campaignId'),
      };
      const route = campaignRoutes.checkCampaign;
      const request = { route, params: {}, query, body: JsonText.of(body) };
      const answer = await show(request, (reported) => describeCheck(reported.body));
      if (!answer.body.valid) throw new ShownFailure('the campaign has mistakes');
    });

  withTenant(campaign.command('show [campaignId]'))
    .description('lists the campaigns of a tenant, or the revisions of one')
    .option('--revision <number>', 'says what this revision does')
    .action(async (campaignId: string | undefined, { tenant, ...flags }: ShowFlags) => {
      await showCampaigns(show, { tenantId: tenant, campaignId }, flags);
    });
}

type ShowFlags = { tenant: string; revision?: string };

async function showCampaigns(
  show: CommandContext['show'],
  { tenantId, campaignId }: { tenantId: string; campaignId: string | undefined },
  { revision }: Omit<ShowFlags, 'tenant'>,
): Promise<void> {
  if (campaignId === undefined) {
    if (revision !== undefined) throw new UsageError('Name the campaign of the revision.');
    const request = { route: campaignRoutes.listCampaigns, params: { tenantId } };
    await show(request, ({ body }) => listCampaigns(body.campaigns));
  } else if (revision === undefined) {
    const request = { route: campaignRoutes.showCampaign, params: { tenantId, campaignId } };
    await show(request, ({ body }) => describeRevisions(body));
  } else {
    const params = { tenantId, campaignId, revision };
    await show({ route: campaignRoutes.showRevision, params }, ({ body }) =>
      describeRevision(body),
    );
  }
}

function listCampaigns(campaigns: readonly Record<string, unknown>[]): string {
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
