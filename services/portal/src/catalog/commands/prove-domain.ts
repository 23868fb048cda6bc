import { haveCommonOrigins, needsNoProof } from '@tributary/contracts/registered-domain';
import {
  type DomainRow,
  listProvedOfOthers,
  lockProofs,
  noteCheck,
  readDomain,
  takeDomainsToCheck,
} from '../db/registered-domains.ts';
import { lockTenant } from '../db/tenants.ts';
import type { ProofFinder } from '../endpoint/find-proof.ts';
import { type CatalogTx, changeCatalog } from './change-catalog.ts';
import type { Deployment } from './deployment.ts';
import {
  changeDomain,
  describeDomain,
  registerDomain,
  type RegisteredDomain,
} from './registered-domains.ts';

// A domain is the tenant's that proves it first. Several may have registered it; of those that
// share a page with it one alone can be proved, but for those from before proofs were asked for.
// What was proved stays so while its proof is found, and for a time of grace after that; another
// tenant takes it over then, or at once by the word of an operator.

export type ProveOutcome =
  | { outcome: 'proved'; domain: RegisteredDomain }
  | { outcome: 'not-found'; details: string[] }
  | { outcome: 'held-by-another' | 'never-registered' | 'no-tenant' };

/** Looks for the proof and, when it is there, makes the domain the tenant's. */
export async function proveDomain(
  deployment: Deployment,
  proofs: ProofFinder,
  asked: { tenantId: string; domain: string; takeOver: boolean },
): Promise<ProveOutcome> {
  const { tenantId, domain } = asked;
  const present = await presentDomain(deployment, tenantId, domain);
  if ('outcome' in present) return present;
  if (needsNoProof(domain, deployment.environment)) {
    return { outcome: 'proved', domain: describeDomain(deployment, present) };
  }
  // Outside any transaction: it takes as long as somebody's name server does.
  const result = await proofs.find(domain, present.challenge ?? '');
  if (result.found === 'none') return { outcome: 'not-found', details: result.details };
  return changeCatalog(deployment, (tx) => store(tx, deployment, present, asked, result.found));
}

async function presentDomain(
  deployment: Deployment,
  tenantId: string,
  domain: string,
): Promise<DomainRow | { outcome: 'never-registered' | 'no-tenant' }> {
  const read = () =>
    changeCatalog(deployment, async (tx) => {
      if (!(await lockTenant(tx, tenantId))) return { outcome: 'no-tenant' } as const;
      const row = await readDomain(tx, tenantId, domain);
      return row?.status === 'registered' ? row : ({ outcome: 'never-registered' } as const);
    });
  const row = await read();
  if ('outcome' in row || row.challenge !== null) return row;
  // From before proofs were asked for.
  await registerDomain(deployment, tenantId, domain);
  return read();
}

async function store(
  tx: CatalogTx,
  deployment: Deployment,
  seen: DomainRow,
  { tenantId, domain, takeOver }: { tenantId: string; domain: string; takeOver: boolean },
  proof: 'dns' | 'file',
): Promise<ProveOutcome> {
  // Who holds this may wait for tenants, and nobody who holds a tenant waits for this.
  await lockProofs(tx);
  if (!(await lockTenant(tx, tenantId))) return { outcome: 'no-tenant' };
  const present = await readDomain(tx, tenantId, domain);
  // Removed meanwhile, or registered anew with another challenge.
  if (present?.status !== 'registered' || present.challenge !== seen.challenge) {
    return { outcome: 'never-registered' };
  }
  const held = await listHeld(tx, tenantId, domain);
  if (present.proof === 'none' && held.length > 0 && !takeOver) {
    return { outcome: 'held-by-another' };
  }
  if (takeOver) {
    for (const other of new Set(held.map((row) => row.tenantId))) await lockTenant(tx, other);
    // Read once more: it may have been removed before its tenant was locked.
    for (const other of await listHeld(tx, tenantId, domain)) {
      await changeDomain(tx, deployment, { ...other, proof: 'none' });
    }
  }
  const row =
    present.proof === proof && present.failingSince === null
      ? present
      : await changeDomain(tx, deployment, { ...present, proof });
  return { outcome: 'proved', domain: describeDomain(deployment, row) };
}

/** What is proved for others and shares a page with it. */
async function listHeld(tx: CatalogTx, tenantId: string, domain: string): Promise<DomainRow[]> {
  const others = await listProvedOfOthers(tx, tenantId);
  return others.filter((other) => haveCommonOrigins(domain, other.domain));
}

/** What became of a proof that was looked at again. */
export type Recheck = { tenantId: string; domain: string; result: 'found' | 'missing' | 'lost' };

/**
 * Looks again at some proofs that were not looked at for `everyMs`. One that is missing for longer
 * than `graceMs` is lost: a name server that is down for an evening costs nobody a domain. Empty
 * when there is nothing to look at.
 */
export async function recheckDomains(
  deployment: Deployment,
  proofs: ProofFinder,
  { everyMs, graceMs }: { everyMs: number; graceMs: number },
): Promise<Recheck[]> {
  const now = deployment.clock.now();
  const checkedBefore = new Date(now.getTime() - everyMs);
  const rows = await changeCatalog(deployment, (tx) =>
    takeDomainsToCheck(tx, { checkedBefore, now, limit: 20 }),
  );
  return Promise.all(
    rows.map(async (row) => {
      const { found } = await proofs.find(row.domain, row.challenge ?? '');
      const failingSince = found === 'none' ? (row.failingSince ?? now) : null;
      const isLost = failingSince !== null && now.getTime() - failingSince.getTime() > graceMs;
      await changeCatalog(deployment, async (tx) => {
        if (!isLost) return noteCheck(tx, row, failingSince);
        await loseProof(tx, deployment, row);
      });
      const result = isLost ? 'lost' : failingSince === null ? 'found' : 'missing';
      return { tenantId: row.tenantId, domain: row.domain, result } as const;
    }),
  );
}

async function loseProof(tx: CatalogTx, deployment: Deployment, seen: DomainRow): Promise<void> {
  if (!(await lockTenant(tx, seen.tenantId))) return;
  const present = await readDomain(tx, seen.tenantId, seen.domain);
  if (present?.version !== seen.version) return;
  await changeDomain(tx, deployment, { ...present, proof: 'none' });
}
