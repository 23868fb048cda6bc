import type { DomainProof } from '@tributary/contracts/catalog-record';
import type { Tx } from '@tributary/runtime/postgres';

export type DomainStatus = 'registered' | 'removed';
export type DomainRow = {
  tenantId: string;
  domain: string;
  status: DomainStatus;
  proof: DomainProof;
  challenge: string | null;
  version: number;
  /** When it got its status. */
  changedAt: Date;
  failingSince: Date | null;
};

const columns = `tenant_id as "tenantId", domain, status, proof, challenge, version,
  changed_at as "changedAt", failing_since as "failingSince"`;

export async function readDomain(
  tx: Tx,
  tenantId: string,
  domain: string,
): Promise<DomainRow | undefined> {
  const { rows } = await tx.query<DomainRow>(
    `select ${columns} from registered_domain where tenant_id = $1 and domain = $2`,
    [tenantId, domain],
  );
  return rows[0];
}

/** Those that are registered now, in order of their names. */
export async function listDomains(tx: Tx, tenantId: string): Promise<DomainRow[]> {
  const { rows } = await tx.query<DomainRow>(
    `select ${columns} from registered_domain
     where tenant_id = $1 and status = 'registered' order by domain`,
    [tenantId],
  );
  return rows;
}

/** What is registered now for everybody else, and proved. */
export async function listProvedOfOthers(tx: Tx, tenantId: string): Promise<DomainRow[]> {
  const { rows } = await tx.query<DomainRow>(
    `select ${columns} from registered_domain
     where tenant_id <> $1 and status = 'registered' and proof <> 'none'
     order by tenant_id, domain`,
    [tenantId],
  );
  return rows;
}

/** One proof after the other, over all tenants: of two that come at once the first one wins. */
export async function lockProofs(tx: Tx): Promise<void> {
  await tx.query(`select pg_advisory_xact_lock(hashtext('domain proofs'))`);
}

/**
 * Writes a domain for the first time, or as it is from now on, with the next version. What was
 * found out about its proof begins anew.
 */
export async function putDomain(
  tx: Tx,
  input: Pick<DomainRow, 'tenantId' | 'domain' | 'status' | 'proof' | 'challenge'> & {
    at: Date;
  },
): Promise<DomainRow> {
  const { rows } = await tx.query<DomainRow>(
    `insert into registered_domain
       (tenant_id, domain, status, version, changed_at, proof, challenge, checked_at)
     values ($1, $2, $3, 1, $4, $5, $6, $4)
     on conflict (tenant_id, domain) do update set
       status = excluded.status, version = registered_domain.version + 1,
       changed_at = case registered_domain.status when excluded.status
         then registered_domain.changed_at else excluded.changed_at end,
       proof = excluded.proof, challenge = excluded.challenge,
       checked_at = excluded.checked_at, failing_since = null
     returning ${columns}`,
    [input.tenantId, input.domain, input.status, input.at, input.proof, input.challenge],
  );
  return rows[0]!;
}

/**
 * Some domains whose proof was not looked at since then; nobody else takes them for as long. Those
 * from before proofs were asked for have none to look at.
 */
export async function takeDomainsToCheck(
  tx: Tx,
  input: { checkedBefore: Date; now: Date; limit: number },
): Promise<DomainRow[]> {
  const { rows } = await tx.query<DomainRow>(
    `update registered_domain set checked_at = $2
     where (tenant_id, domain) in
       (select tenant_id, domain from registered_domain
        where status = 'registered' and proof in ('dns', 'file')
          and coalesce(checked_at, changed_at) < $1
        order by coalesce(checked_at, changed_at) limit $3
        for update skip locked)
     returning ${columns}`,
    [input.checkedBefore, input.now, input.limit],
  );
  return rows;
}

/** Unless the domain has changed since it was looked at. */
export async function noteCheck(
  tx: Tx,
  { tenantId, domain, version }: DomainRow,
  failingSince: Date | null,
): Promise<void> {
  await tx.query(
    `update registered_domain set failing_since = $4
     where tenant_id = $1 and domain = $2 and version = $3`,
    [tenantId, domain, version, failingSince],
  );
}
