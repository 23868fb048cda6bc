import { browserScriptRoutes as declared } from '@tributary/contracts/admin/browser-scripts';
import { readDomain } from '@tributary/contracts/registered-domain';
import type { Deployment } from '../catalog/commands/deployment.ts';
import {
  registerDomain,
  registeredDomains,
  removeDomain,
} from '../catalog/commands/registered-domains.ts';
import { Refusal } from './refusal.ts';
import { noSuchTenant, serve, type ServedRoute, tenantIdOf } from './route.ts';

/**
 * Domains of a tenant's public pages, which alone may ask for its campaign configuration (interface
 * 4.7).
 */
export function domainRoutes(deployment: Deployment): ServedRoute[] {
  return [
    serve(declared.listDomains)(async (asked) => {
      const domains = await registeredDomains(deployment, tenantIdOf(asked));
      if (domains === undefined) throw noSuchTenant();
      return { status: 200, body: { domains } };
    }),
    serve(declared.registerDomain)(async (asked) => {
      // In the form of origins, whatever letter case and script it is written in.
      const reading = readDomain(asked.body.domain);
      if (reading.outcome === 'wrong') throw new Error('a domain was read in two ways');
      const result = await registerDomain(deployment, tenantIdOf(asked), reading.domain);
      if (result.outcome === 'no-tenant') throw noSuchTenant();
      const { warnings } = result;
      const status = result.outcome === 'registered' ? 201 : 200;
      return { status, body: { ...result.domain, warnings } };
    }),
    serve(declared.removeDomain)(async (asked) => {
      const domain = registrable(asked.params.domain);
      const outcome = await removeDomain(deployment, tenantIdOf(asked), domain);
      if (outcome === 'no-tenant') throw noSuchTenant();
      if (outcome === 'never-registered') throw noSuchDomain();
      return { status: 200, body: { domain, status: 'removed' } };
    }),
  ];
}

/** @throws {Refusal} NOT_FOUND: what is no domain was never registered. */
function registrable(text: string): string {
  const reading = readDomain(text);
  if (reading.outcome === 'wrong') throw noSuchDomain();
  return reading.domain;
}

function noSuchDomain(): Refusal {
  return new Refusal('NOT_FOUND', { detail: 'This tenant has no domain of this name.' });
}
