import type { AnswerBodyOf } from '@tributary/contracts/admin/admin-route';
import { tenantRoutes } from '@tributary/contracts/admin/tenants';
import { type Command, Option } from 'commander';
import { commandNamed } from './command-named.ts';
import { withTenant } from './by-whom.ts';
import type { CommandContext } from '../command-context.ts';
import { UsageError } from '../failures.ts';
import { lines, storeNow, table } from '../print.ts';
import type { ProcessContext } from '../process-context.ts';
import { wholeNumberOf } from '../whole-number.ts';
import { addTenantRemoveCommand } from './tenant-remove.ts';

type Detail = AnswerBodyOf<(typeof tenantRoutes)['showTenant']>;

export function addTenantCommands(
  program: Command,
  context: CommandContext,
  processContext: Pick<ProcessContext, 'cwd'>,
): void {
  const { show } = context;
  const tenant = commandNamed(program, 'tenant');

  tenant
    .command('create <name>')
    .description('creates a tenant; with --tenant it can be repeated safely')
    .option('--tenant <id>', 'the id of the new tenant; chosen for you when left out')
    .addOption(attributionMode())
    .action(async (name: string, input: { tenant?: string; attributionMode?: string }) => {
      const { tenant: tenantId, ...settings } = input;
      const body = { name, tenantId, ...settings };
      await show({ route: tenantRoutes.createTenant, params: {}, body }, (answer) =>
        'productSecret' in answer.body
          ? `${lines('Tenant created', answer.body)}\n${storeNow}`
          : lines('The tenant exists; its product secret was shown once', answer.body),
      );
    });

  tenant
    .command('list')
    .description('lists all tenants')
    .action(async () => {
      await show({ route: tenantRoutes.listTenants, params: {} }, ({ body }) => {
        const { tenants } = body;
        if (tenants.length === 0) return 'There is no tenant yet: tributary tenant create <name>';
        return table(['tenantId', 'name', 'status', 'productId', 'defaultCampaignId'], tenants);
      });
    });

  withTenant(tenant.command('set'))
    .description('changes a setting of a tenant; one at a time')
    .addOption(attributionMode())
    .option(
      '--legacy-repeat-hours <hours>',
      'how long an equal legacy payment without invoice id and timestamp is a repeat',
    )
    .option('--default-campaign <id>', 'the campaign of codes that name none')
    .option('--events-per-second <number>', 'how many events are accepted; "default": as deployed')
    .action(async ({ tenant: tenantId, ...flags }: OfTenant & Settings) => {
      const params = { tenantId };
      const readable = (answer: { body: object }) =>
        lines(`Tenant ${tenantId}`, { ...answer.body });
      const { attributionMode, defaultCampaign, legacyRepeatHours, eventsPerSecond } =
        onlyOne(flags);
      if (attributionMode !== undefined) {
        const body = { attributionMode };
        await show({ route: tenantRoutes.setAttributionMode, params, body }, readable);
      } else if (defaultCampaign !== undefined) {
        const body = { campaignId: defaultCampaign };
        await show({ route: tenantRoutes.setDefaultCampaign, params, body }, readable);
      } else if (eventsPerSecond !== undefined) {
        const isDefault = eventsPerSecond === 'default';
        const limit = isDefault ? null : wholeNumberOf(eventsPerSecond, '--events-per-second');
        const body = { eventsPerSecond: limit };
        await show({ route: tenantRoutes.setEventsPerSecond, params, body }, readable);
      } else {
        const hours = wholeNumberOf(legacyRepeatHours ?? '', '--legacy-repeat-hours');
        const body = { legacyRepeatHours: hours };
        await show({ route: tenantRoutes.setLegacyRepeatHours, params, body }, readable);
      }
    });

  for (const [name, route, description] of [
    ['suspend', tenantRoutes.suspendTenant, 'accepts nothing of a tenant and sends nothing to it'],
    ['resume', tenantRoutes.resumeTenant, 'goes on where a tenant was suspended'],
  ] as const) {
    withTenant(tenant.command(name))
      .description(description)
      .action(async ({ tenant: tenantId }: OfTenant) => {
        await show({ route, params: { tenantId } }, ({ body }) =>
          lines(`Tenant ${tenantId}`, { status: body.status }),
        );
      });
  }

  addTenantRemoveCommand(tenant, context, processContext);

  withTenant(tenant.command('show'))
    .description('shows a tenant with its keys, campaigns and webhook')
    .action(async ({ tenant: tenantId }: OfTenant) => {
      await show({ route: tenantRoutes.showTenant, params: { tenantId } }, ({ body }) =>
        describeTenant(body),
      );
    });
}

type OfTenant = { tenant: string };

type Settings = {
  attributionMode?: string;
  defaultCampaign?: string;
  legacyRepeatHours?: string;
  eventsPerSecond?: string;
};

function attributionMode(): Option {
  const meaning = 'which code attributes an event: its own, or the first valid one of the user';
  return new Option('--attribution-mode <mode>', meaning).choices(['event-code', 'first-code']);
}

function onlyOne(flags: Settings): Settings {
  if (Object.values(flags).filter((value) => value !== undefined).length === 1) return flags;
  throw new UsageError(
    'Give one setting: --attribution-mode, --default-campaign, --events-per-second or --legacy-repeat-hours.',
  );
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
