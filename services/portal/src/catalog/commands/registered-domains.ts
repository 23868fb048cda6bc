import { inTransaction } from '@tributary/runtime/postgres';
import {
  type DomainRow,
  type DomainStatus,
  listDomains,
  listDomainsOfOthers,
  putDomain,
  readDomain,
} from '../db/registered-domains.ts';
import { lockTenant, readTenant } from '../db/tenants.ts';
import { type DomainWarning, warnOfSharedDomain } from '../domain/shared-domains.ts';
import { type CatalogTx, changeCatalog } from './change-catalog.ts';
import type { Deployment } from './deployment.ts';
import { publishCatalog } from './publish.ts';

export type RegisteredDomain = { domain: string; registeredAt: string };
export type RegisterOutcome =
  | {
      outcome: 'registered' | 'was-registered';
      domain: RegisteredDomain;
      warnings: DomainWarning[];
    }
  | { outcome: 'no-tenant' };

/**
 * `domain` has the form of origins (contracts/registered-domain.ts). Registering again changes
 * nothing.
 */
export async function registerDomain(
  deployment: Deployment,
  tenantId: string,
  domain: string,
): Promise<RegisterOutcome> {
  return changeCatalog(deployment, async (tx): Promise<RegisterOutcome> => {
    if (!(await lockTenant(tx, tenantId))) return { outcome: 'no-tenant' };
    const present = await readDomain(tx, tenantId, domain);
    const isThere = present?.status === 'registered';
    const row = isThere ? present : await change(tx, deployment, tenantId, domain, 'registered');
    return {
      outcome: isThere ? 'was-registered' : 'registered',
      domain: describe(row),
      warnings: warnOfSharedDomain(domain, await listDomainsOfOthers(tx, tenantId)),
    };
  });
}

export type RemoveOutcome = 'removed' | 'never-registered' | 'no-tenant';

/** Removing twice is one change. */
export async function removeDomain(
  deployment: Deployment,
  tenantId: string,
  domain: string,
): Promise<RemoveOutcome> {
  return changeCatalog(deployment, async (tx): Promise<RemoveOutcome> => {
    if (!(await lockTenant(tx, tenantId))) return 'no-tenant';
    const present = await readDomain(tx, tenantId, domain);
    if (present === undefined) return 'never-registered';
    if (present.status !== 'removed') await change(tx, deployment, tenantId, domain, 'removed');
    return 'removed';
  });
}

/** Undefined when there is no such tenant. */
export async function registeredDomains(
  { pool }: Deployment,
  tenantId: string,
): Promise<RegisteredDomain[] | undefined> {
  return inTransaction(pool, async (tx) => {
    if ((await readTenant(tx, tenantId)) === undefined) return undefined;
    return (await listDomains(tx, tenantId)).map(describe);
  });
}

async function change(
  tx: CatalogTx,
  deployment: Deployment,
  tenantId: string,
  domain: string,
  status: DomainStatus,
): Promise<DomainRow> {
  const at = deployment.clock.now();
  const row = await putDomain(tx, { tenantId, domain, status, at });
  const change = { entity: 'domain', tenantId, version: row.version, domain, status } as const;
  await publishCatalog(tx, deployment, at, change);
  return row;
}

function describe({ domain, changedAt }: DomainRow): RegisteredDomain {
  return { domain, registeredAt: changedAt.toISOString() };
}
