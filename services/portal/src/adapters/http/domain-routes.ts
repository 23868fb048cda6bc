import { Type } from '@sinclair/typebox';
import { readDomain } from '@tributary/contracts/registered-domain';
import type { Deployment } from '../../commands/deployment.ts';
import {
  registerDomain,
  registeredDomains,
  removeDomain,
} from '../../commands/registered-domains.ts';
import { createBodyReader } from './body.ts';
import { Refusal } from './refusal.ts';
import { type AdminRequest, noSuchTenant, type Route, tenantIdOf } from './route.ts';

/**
 * Domains of a tenant's public pages, which alone may ask for its campaign configuration (interface
 * 4.7).
 */
export function domainRoutes(deployment: Deployment): Route[] {
  return [
    {
      path: '/api/tenants/:tenantId/domains',
      methods: {
        GET: async (request) => {
          const domains = await registeredDomains(deployment, tenantIdOf(request));
          if (domains === undefined) throw noSuchTenant();
          return { status: 200, body: { domains } };
        },
        POST: async (request) => {
          const domain = readDomainBody(await request.json());
          const result = await registerDomain(deployment, tenantIdOf(request), domain);
          if (result.outcome === 'no-tenant') throw noSuchTenant();
          const { warnings } = result;
          const status = result.outcome === 'registered' ? 201 : 200;
          return { status, body: { ...result.domain, warnings } };
        },
      },
    },
    {
      path: '/api/tenants/:tenantId/domains/:domain',
      methods: {
        DELETE: async (request) => {
          const domain = domainOf(request);
          const outcome = await removeDomain(deployment, tenantIdOf(request), domain);
          if (outcome === 'no-tenant') throw noSuchTenant();
          if (outcome === 'never-registered') throw noSuchDomain();
          return { status: 200, body: { domain, status: 'removed' } };
        },
      },
    },
  ];
}

const readBody = createBodyReader(
  Type.Object(
    { domain: Type.String({ maxLength: 500, expected: 'a host name such as shop.example' }) },
    { additionalProperties: false },
  ),
  ({ domain }) => {
    const reading = domain === undefined ? undefined : readDomain(domain);
    if (reading?.outcome !== 'wrong') return [];
    return [{ pointer: '/domain', code: 'INVALID_FORMAT', detail: reading.detail }];
  },
);

/** In the form of origins, whatever letter case and script it is written in. */
function readDomainBody(body: unknown): string {
  const reading = readDomain(readBody(body).domain);
  if (reading.outcome === 'wrong') throw new Error('a domain was judged in two ways');
  return reading.domain;
}

/** @throws {Refusal} NOT_FOUND: what is no domain was never registered. */
function domainOf(request: AdminRequest): string {
  const reading = readDomain(request.param('domain'));
  if (reading.outcome === 'wrong') throw noSuchDomain();
  return reading.domain;
}

function noSuchDomain(): Refusal {
  return new Refusal('NOT_FOUND', { detail: 'This tenant has no domain of this name.' });
}
