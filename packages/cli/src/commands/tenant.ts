import { type Command, Option } from 'commander';
import { path } from '../admin-client.ts';
import type { CommandContext } from '../command-context.ts';
import { UsageError } from '../failures.ts';
import { lines, table } from '../print.ts';
import { wholeNumberOf } from '../whole-number.ts';

type Summary = { tenantId: string; name: string; defaultCampaignId: string | null };
type Detail = Summary & {
  accessKeys: Record<string, unknown>[];
  campaigns: Record<string, unknown>[];
  webhook: { url: string; username: string } | null;
};

export function addTenantCommands(program: Command, { show }: CommandContext): void {
  const tenant = program.command('tenant').description('one product of one customer');

  tenant
    .command('create <name>')
    .description('creates a tenant; with --tenant-id it can be repeated safely')
    .option('--tenant-id <id>', 'choose the id')
    .addOption(attributionMode())
    .action(async (name: string, wish: { tenantId?: string; attributionMode?: string }) => {
      const body = { name, ...wish };
      await show({ method: 'POST', path: '/api/tenants', body }, (answer) =>
        lines(answer.status === 201 ? 'Tenant created' : 'The tenant exists', answer.body),
      );
    });

  tenant
    .command('list')
    .description('lists all tenants')
    .action(async () => {
      await show({ method: 'GET', path: '/api/tenants' }, ({ body }) => {
        const tenants = body['tenants'] as Summary[];
        if (tenants.length === 0) return 'There is no tenant yet: tributary tenant create <name>';
        return table(['tenantId', 'name', 'status', 'productId', 'defaultCampaignId'], tenants);
      });
    });

  tenant
    .command('set <tenantId>')
    .description('changes a setting of a tenant; one at a time')
    .addOption(attributionMode())
    .option(
      '--legacy-repeat-hours <hours>',
      'how long an equal legacy payment without invoice id and timestamp is a repeat',
    )
    .option('--default-campaign <id>', 'the campaign of codes that name none')
    .action(async (tenantId: string, flags: Settings) => {
      const { setting, body } = settingOf(flags);
      const target = path`/api/tenants/${tenantId}/${setting}`;
      await show({ method: 'PUT', path: target, body }, (answer) =>
        lines(`Tenant ${tenantId}`, answer.body),
      );
    });

  tenant
    .command('show <tenantId>')
    .description('shows a tenant with its keys, campaigns and webhook')
    .action(async (tenantId: string) => {
      await show({ method: 'GET', path: path`/api/tenants/${tenantId}` }, ({ body }) =>
        describeTenant(body as Detail),
      );
    });
}

type Settings = {
  attributionMode?: string;
  defaultCampaign?: string;
  legacyRepeatHours?: string;
};

function attributionMode(): Option {
  const meaning = 'which code attributes an event: its own, or the first valid one of the user';
  return new Option('--attribution-mode <mode>', meaning).choices(['event-code', 'first-code']);
}

function settingOf({ attributionMode, defaultCampaign, legacyRepeatHours: hours }: Settings) {
  const chosen = [
    ...(attributionMode === undefined
      ? []
      : [{ setting: 'attribution-mode', body: { attributionMode } }]),
    ...(defaultCampaign === undefined
      ? []
      : [{ setting: 'default-campaign', body: { campaignId: defaultCampaign } }]),
    ...(hours === undefined ? [] : [repeatHours(hours)]),
  ];
  const [only, ...others] = chosen;
  if (only && others.length === 0) return only;
  throw new UsageError(
    'Give one setting: --attribution-mode, --default-campaign or --legacy-repeat-hours.',
  );
}

function repeatHours(text: string) {
  const legacyRepeatHours = wholeNumberOf(text, '--legacy-repeat-hours');
  return { setting: 'legacy-repeat-hours', body: { legacyRepeatHours } };
}

function describeTenant({ accessKeys, campaigns, webhook, ...tenant }: Detail): string {
  const columns = ['campaignId', 'revision', 'name', 'status', 'effectiveFrom', 'landingUrl'];
  return [
    lines(`Tenant ${tenant.tenantId}`, { ...tenant, webhook: webhook?.url }),
    'Access keys',
    accessKeys.length === 0 ? '  none' : indent(table(['accessKeyId', 'status'], accessKeys)),
    'Campaigns',
    campaigns.length === 0 ? '  none' : indent(table(columns, campaigns)),
  ].join('\n');
}

function indent(text: string): string {
  return text.replaceAll(/^/gm, '  ');
}
