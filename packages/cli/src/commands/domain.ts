import type { Command } from 'commander';
import { browserScriptRoutes } from '@tributary/contracts/admin/browser-scripts';
import { describeWarnings } from '../campaign-texts.ts';
import type { CommandContext } from '../command-context.ts';
import { lines, table } from '../print.ts';
import { withTenant } from './by-whom.ts';

type Tenant = { tenant: string };

/** Which pages may ask for a tenant's campaign configuration. */
export function addDomainCommands(program: Command, { show }: CommandContext): void {
  const domain = program
    .command('domain')
    .description('where the public pages with the attribution script live');

  withTenant(domain.command('add <domain>'))
    .description('registers a domain; its pages are told campaign and referrer')
    .addHelpText('after', forms)
    .action(async (name: string, { tenant }: Tenant) => {
      const request = {
        route: browserScriptRoutes.registerDomain,
        params: { tenantId: tenant },
        body: { domain: name },
      };
      await show(request, ({ status, body: { warnings = [], ...registered } }) =>
        [
          lines(status === 201 ? 'Domain registered' : 'It is registered', registered),
          ...describeWarnings(warnings),
        ].join('\n'),
      );
    });

  withTenant(domain.command('list'))
    .description('lists the registered domains')
    .action(async ({ tenant }: Tenant) => {
      const request = { route: browserScriptRoutes.listDomains, params: { tenantId: tenant } };
      await show(request, ({ body: { domains } }) => {
        if (domains.length === 0) return 'There is none: tributary domain add <domain>';
        return table(['domain', 'registeredAt'], domains);
      });
    });

  withTenant(domain.command('remove <domain>'))
    .description('removes a domain; its pages get an empty configuration from now on')
    .action(async (name: string, { tenant }: Tenant) => {
      const params = { tenantId: tenant, domain: name };
      await show({ route: browserScriptRoutes.removeDomain, params }, ({ body }) =>
        lines('Domain removed', body),
      );
    });
}

const forms = `
A domain is written as in the address bar, without scheme and path:
  shop.example        this host
  '*.shop.example'    every host below it, and not shop.example itself
  localhost:3000      with its port, where that is not the usual one
Pages in which customers' users are logged in and the widget is shown need none: their token says who they are.`;
