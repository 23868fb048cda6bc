import { needsNoProof } from '@tributary/contracts/registered-domain';
import { inTransaction } from '@tributary/runtime/postgres';
import { type DomainRow, listDomains, putDomain, readDomain } from '../db/registered-domains.ts';
import { lockTenant, readTenant } from '../db/tenants.ts';
import { type ProofPlaces, proofPlaces } from '../endpoint/find-proof.ts';
import { type CatalogTx, changeCatalog } from './change-catalog.ts';
import type { Deployment } from './deployment.ts';
import { publishCatalog } from './publish.ts';

export type RegisteredDomain = {
  domain: string;
  registeredAt: string;
  proof: DomainRow['proof'] | 'not-needed';
  failingSince: string | null;
  /** Null where none is needed. */
  challenge: ProofPlaces | null;
};
export type RegisterOutcome =
  { outcome: 'registered' | 'was-registered'; domain: RegisteredDomain } | { outcome: 'no-tenant' };

/**
 * `domain` has the form of origins (contracts/registered-domain.ts). It counts once it is proved;
 * several tenants may register it until then. Registering again changes nothing, but for one from
 * before proofs were asked for: it gets what a proof of it has to contain.
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
    if (isThere && present.challenge !== null) {
      return { outcome: 'was-registered', domain: describeDomain(deployment, present) };
    }
    const row = await changeDomain(tx, deployment, {
      tenantId,
      domain,
      status: 'registered',
      proof: isThere ? present.proof : 'none',
      challenge: deployment.randomId(32),
    });
    const outcome = isThere ? 'was-registered' : 'registered';
    return { outcome, domain: describeDomain(deployment, row) };
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
    if (present.status === 'removed') return 'removed';
    const removed = { status: 'removed', proof: 'none', challenge: null } as const;
    await changeDomain(tx, deployment, { ...present, ...removed });
    return 'removed';
  });
}

/** Undefined when there is no such tenant. */
export async function registeredDomains(
  deployment: Deployment,
  tenantId: string,
): Promise<RegisteredDomain[] | undefined> {
  return inTransaction(deployment.pool, async (tx) => {
    if ((await readTenant(tx, tenantId)) === undefined) return undefined;
    return (await listDomains(tx, tenantId)).map((row) => describeDomain(deployment, row));
  });
}

/** Writes a domain as it is from now on, and publishes it. */
export async function changeDomain(
  tx: CatalogTx,
  deployment: Deployment,
  next: Pick<DomainRow, 'tenantId' | 'domain' | 'status' | 'proof' | 'challenge'>,
): Promise<DomainRow> {
  const at = deployment.clock.now();
  const row = await putDomain(tx, { ...next, at });
  const { tenantId, version, domain, status, proof, challenge } = row;
  await publishCatalog(tx, deployment, at, {
    entity: 'domain',
    ...{ tenantId, version, domain, status, proof },
    ...(challenge !== null && { challenge }),
  });
  return row;
}

export function describeDomain(
  { environment }: Pick<Deployment, 'environment'>,
  { domain, changedAt, proof, challenge, failingSince }: DomainRow,
): RegisteredDomain {
  const isFree = needsNoProof(domain, environment);
  return {
    domain,
    registeredAt: changedAt.toISOString(),
    proof: isFree ? 'not-needed' : proof,
    failingSince: failingSince?.toISOString() ?? null,
    challenge: isFree || challenge === null ? null : proofPlaces(domain, challenge),
  };
}
