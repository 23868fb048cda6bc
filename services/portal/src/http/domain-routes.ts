import { browserScriptRoutes as declared } from '@tributary/contracts/admin/browser-scripts';
import type { Violation } from '@tributary/contracts/violation';
import { readDomain } from '@tributary/contracts/registered-domain';
import type { Deployment } from '../catalog/commands/deployment.ts';
import { proveDomain } from '../catalog/commands/prove-domain.ts';
import { isPublicSuffix } from '../catalog/commands/public-suffix.ts';
import {
  registerDomain,
  registeredDomains,
  removeDomain,
} from '../catalog/commands/registered-domains.ts';
import type { ProofFinder } from '../catalog/endpoint/find-proof.ts';
import { Refusal } from './refusal.ts';
import { noSuchTenant, serve, type ServedRoute, tenantIdOf } from './route.ts';

/**
 * Domains of a tenant's public pages, which alone may ask for its campaign configuration (interface
 * 4.7).
 */
export function domainRoutes(deployment: Deployment, proofs: ProofFinder): ServedRoute[] {
  const prove = async (
    asked: { params: { tenantId: string; domain: string } },
    takeOver: boolean,
  ) => {
    const tenantId = tenantIdOf(asked);
    const domain = registrable(asked.params.domain);
    const result = await proveDomain(deployment, proofs, { tenantId, domain, takeOver });
    switch (result.outcome) {
      case 'proved':
        return { status: 200, body: result.domain } as const;
      case 'not-found':
        throw conflict(`The proof was not found: ${result.details.join('; ')}.`);
      case 'held-by-another':
        throw conflict(
          'The proof is there. Another tenant has proved the same pages before, and keeps them ' +
            'until its own proof is gone; an operator can take them over.',
        );
      case 'never-registered':
        throw noSuchDomain();
      case 'no-tenant':
        throw noSuchTenant();
      default:
        return result satisfies never;
    }
  };

  return [
    serve(declared.listDomains)(async (asked) => {
      const domains = await registeredDomains(deployment, tenantIdOf(asked));
      if (domains === undefined) throw noSuchTenant();
      return { status: 200, body: { domains } };
    }),
    serve(declared.registerDomain, { refine: refusePublicSuffix })(async (asked) => {
      // In the form of origins, whatever letter case and script it is written in.
      const reading = readDomain(asked.body.domain);
      if (reading.outcome === 'wrong') throw new Error('a domain was read in two ways');
      const result = await registerDomain(deployment, tenantIdOf(asked), reading.domain);
      if (result.outcome === 'no-tenant') throw noSuchTenant();
      return { status: result.outcome === 'registered' ? 201 : 200, body: result.domain };
    }),
    serve(declared.proveDomain)((asked) => prove(asked, false)),
    serve(declared.takeDomainOver)((asked) => prove(asked, true)),
    serve(declared.removeDomain)(async (asked) => {
      const domain = registrable(asked.params.domain);
      const outcome = await removeDomain(deployment, tenantIdOf(asked), domain);
      if (outcome === 'no-tenant') throw noSuchTenant();
      if (outcome === 'never-registered') throw noSuchDomain();
      return { status: 200, body: { domain, status: 'removed' } };
    }),
  ];
}

function refusePublicSuffix({ domain }: { domain?: string | undefined }): Violation[] {
  const reading = domain === undefined ? undefined : readDomain(domain);
  if (reading?.outcome !== 'domain' || !isPublicSuffix(reading.domain)) return [];
  const detail = `${reading.domain} is a public suffix: names below it belong to different owners, so nobody can register it`;
  return [{ pointer: '/domain', code: 'INVALID_FORMAT', detail }];
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

function conflict(detail: string): Refusal {
  return new Refusal('CONFLICT', { detail });
}
