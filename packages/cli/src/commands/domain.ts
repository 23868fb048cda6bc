import type { AnswerBodyOf } from '@tributary/contracts/admin/admin-route';
import type { Command } from 'commander';
import { browserScriptRoutes } from '@tributary/contracts/admin/browser-scripts';
import { commandNamed } from './command-named.ts';
import type { CommandContext } from '../command-context.ts';
import { lines, printable, table } from '../print.ts';
import { withTenant } from './by-whom.ts';

type Tenant = { tenant: string };

/** Which pages may ask for a tenant's campaign configuration. */
export function addDomainCommands(program: Command, { show }: CommandContext): void {
  const domain = commandNamed(program, 'domain');

  withTenant(domain.command('add <domain>'))
    .description('registers a domain; its pages are told campaign and referrer once it is proved')
    .addHelpText('after', forms)
    .action(async (name: string, { tenant }: Tenant) => {
      const request = {
        route: browserScriptRoutes.registerDomain,
        params: { tenantId: tenant },
        body: { domain: name },
      };
      await show(request, ({ status, body }) =>
        describeDomain(status === 201 ? 'Domain registered' : 'It is registered', body),
      );
    });

  withTenant(domain.command('prove <domain>'))
    .description(
      'looks for the proof that the domain is the tenant’s; its pages count from then on',
    )
    .option('--take-over', 'another tenant that has proved the same pages loses them')
    .addHelpText('after', proofs)
    .action(async (name: string, { tenant, takeOver }: Tenant & { takeOver?: true }) => {
      const { proveDomain, takeDomainOver } = browserScriptRoutes;
      const params = { tenantId: tenant, domain: name };
      await show({ route: takeOver ? takeDomainOver : proveDomain, params }, ({ body }) =>
        describeDomain('Domain proved', body),
      );
    });

  withTenant(domain.command('list'))
    .description('lists the registered domains, and how each was proved')
    .action(async ({ tenant }: Tenant) => {
      const request = { route: browserScriptRoutes.listDomains, params: { tenantId: tenant } };
      await show(request, ({ body: { domains } }) => {
        if (domains.length === 0) return 'There is none: tributary domain add <domain>';
        return table(['domain', 'proof', 'failingSince', 'registeredAt'], domains);
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

type Domain = AnswerBodyOf<(typeof browserScriptRoutes)['registerDomain']>;

function describeDomain(heading: string, { challenge, ...domain }: Domain): string {
  const { failingSince, ...registered } = domain;
  const about = lines(heading, { ...registered, failingSince: failingSince ?? undefined });
  if (challenge === null || domain.proof === 'dns' || domain.proof === 'file') return about;
  const { txtName, fileUrl, value } = challenge;
  return [
    about,
    'To prove it, put this text',
    `  ${printable(value)}`,
    ...(txtName === null ? [] : [`in a TXT record of ${printable(txtName)}`]),
    ...(fileUrl === null ? [] : [`or in a file at ${printable(fileUrl)}`]),
    `then: tributary domain prove ${printable(domain.domain)}`,
  ].join('\n');
}

const proofs = `
The proof is a TXT record, or a file on the host itself; "domain add" says which text where. It stays: it is looked at
again every day, and a domain whose proof is missing for three days counts no longer.`;

const forms = `
A domain is written as in the address bar, without scheme and path:
  shop.example        this host
  '*.shop.example'    every host below it, and not shop.example itself
  localhost:3000      with its port, where that is not the usual one
Pages in which customers' users are logged in and the widget is shown need none: their token says who they are.`;
