import type { Tx } from '@tributary/runtime/postgres';

export type DomainStatus = 'registered' | 'removed';
export type DomainRow = {
  tenantId: string;
  domain: string;
  status: DomainStatus;
  version: number;
  changedAt: Date;
};

const columns = `tenant_id as "tenantId", domain, status, version, changed_at as "changedAt"`;

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

/** What is registered now for everybody else. */
export async function listDomainsOfOthers(tx: Tx, tenantId: string): Promise<DomainRow[]> {
  const { rows } = await tx.query<DomainRow>(
    `select ${columns} from registered_domain
     where tenant_id <> $1 and status = 'registered' order by tenant_id, domain`,
    [tenantId],
  );
  return rows;
}

/** Writes a domain for the first time or gives it another status, with the next version. */
export async function putDomain(
  tx: Tx,
  input: { tenantId: string; domain: string; status: DomainStatus; at: Date },
): Promise<DomainRow> {
  const { rows } = await tx.query<DomainRow>(
    `insert into registered_domain (tenant_id, domain, status, version, changed_at)
     values ($1, $2, $3, 1, $4)
     on conflict (tenant_id, domain) do update set
       status = excluded.status, version = registered_domain.version + 1,
       changed_at = excluded.changed_at
     returning ${columns}`,
    [input.tenantId, input.domain, input.status, input.at],
  );
  return rows[0]!;
}
