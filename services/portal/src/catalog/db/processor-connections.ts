import type { TaxPolicy } from '@tributary/contracts/processor-record';
import type { Tx } from '@tributary/runtime/postgres';
import type pg from 'pg';

export type ProcessorConnectionStatus = 'opening' | 'active' | 'disconnected';
export type SealedEndpoint = { id: string; sealedSecret: string };

export type ProcessorConnectionRow = {
  connectionId: string;
  tenantId: string;
  status: ProcessorConnectionStatus;
  apiVersion: string;
  /** Undefined while it is opening. */
  livemode: boolean | undefined;
  connectedAt: Date | undefined;
  taxPolicy: TaxPolicy;
  /** Undefined once disconnected. */
  sealedApiKey: string | undefined;
  endpoint: SealedEndpoint | undefined;
  /** The endpoint that was rotated away, and may have been removed by now. */
  previous: (SealedEndpoint & { until: Date }) | undefined;
  reason: string | undefined;
  changedBy: string | undefined;
  /** 0 while it is opening. */
  version: number;
  changedAt: Date;
};

type StoredRow = {
  [N in keyof ProcessorConnectionRow]: undefined extends ProcessorConnectionRow[N]
    ? Exclude<ProcessorConnectionRow[N], undefined> | null
    : ProcessorConnectionRow[N];
};

/** JSON has no Date: `until` of `previous` comes beside it. */
const columns = `connection_id as "connectionId", tenant_id as "tenantId", status,
  api_version as "apiVersion", livemode, connected_at as "connectedAt", tax_policy as "taxPolicy",
  sealed_api_key as "sealedApiKey", reason, changed_by as "changedBy", version,
  changed_at as "changedAt", previous_until as "previousUntil",
  case when endpoint_id is not null then
    json_build_object('id', endpoint_id, 'sealedSecret', endpoint_sealed_secret) end as endpoint,
  case when previous_endpoint_id is not null then
    json_build_object('id', previous_endpoint_id, 'sealedSecret', previous_sealed_secret)
  end as previous`;

function fromRow({
  previousUntil,
  ...row
}: StoredRow & { previousUntil: Date | null }): ProcessorConnectionRow {
  return {
    ...row,
    livemode: row.livemode ?? undefined,
    connectedAt: row.connectedAt ?? undefined,
    sealedApiKey: row.sealedApiKey ?? undefined,
    endpoint: row.endpoint ?? undefined,
    previous: row.previous && previousUntil ? { ...row.previous, until: previousUntil } : undefined,
    reason: row.reason ?? undefined,
    changedBy: row.changedBy ?? undefined,
  };
}

/** The oldest first, and what is still opening after them. */
export async function listProcessorConnections(
  db: Tx | pg.Pool,
  tenantId: string,
): Promise<ProcessorConnectionRow[]> {
  const { rows } = await db.query<Parameters<typeof fromRow>[0]>(
    `select ${columns} from processor_connection where tenant_id = $1
     order by connected_at, changed_at, connection_id`,
    [tenantId],
  );
  return rows.map(fromRow);
}

export async function readProcessorConnection(
  db: Tx | pg.Pool,
  tenantId: string,
  connectionId: string,
): Promise<ProcessorConnectionRow | undefined> {
  const { rows } = await db.query<Parameters<typeof fromRow>[0]>(
    `select ${columns} from processor_connection where tenant_id = $1 and connection_id = $2`,
    [tenantId, connectionId],
  );
  return rows[0] && fromRow(rows[0]);
}

export type OpeningConnection = Pick<
  ProcessorConnectionRow,
  'connectionId' | 'tenantId' | 'apiVersion' | 'taxPolicy'
> & { sealedApiKey: string; at: Date };

export async function insertOpeningConnection(tx: Tx, opening: OpeningConnection): Promise<void> {
  await tx.query(
    `insert into processor_connection
       (connection_id, tenant_id, processor, status, api_version, tax_policy, sealed_api_key,
        version, changed_at)
     values ($1, $2, 'stripe', 'opening', $3, $4, $5, 0, $6)`,
    [
      opening.connectionId,
      opening.tenantId,
      opening.apiVersion,
      opening.taxPolicy,
      opening.sealedApiKey,
      opening.at,
    ],
  );
}

/** What is wished for may be another thing when it is tried again; and what was in the way. */
export async function updateOpeningConnection(
  db: Tx | pg.Pool,
  holder: string,
  { connectionId, apiVersion, taxPolicy, reason }: ProcessorConnectionRow,
): Promise<void> {
  await db.query(
    `update processor_connection set api_version = $3, tax_policy = $4, reason = $5
     where connection_id = $1 and held_by = $2 and status = 'opening'`,
    [connectionId, holder, apiVersion, taxPolicy, reason ?? null],
  );
}

/** False when the holder does not hold it any more. */
export async function updateOpeningSealedKey(
  pool: pg.Pool,
  holder: string,
  connectionId: string,
  sealedApiKey: string,
): Promise<boolean> {
  const { rowCount } = await pool.query(
    `update processor_connection set sealed_api_key = $3
     where connection_id = $1 and held_by = $2 and status = 'opening'`,
    [connectionId, holder, sealedApiKey],
  );
  return rowCount === 1;
}

/** Undefined when the holder does not hold it any more; gives the new version. */
export async function putProcessorConnection(
  tx: Tx,
  holder: string,
  row: Omit<ProcessorConnectionRow, 'version'>,
): Promise<number | undefined> {
  const { endpoint, previous } = row;
  const { rows } = await tx.query<{ version: number }>(
    `update processor_connection set
       status = $4, api_version = $5, livemode = $6, connected_at = $7, tax_policy = $8,
       sealed_api_key = $9, endpoint_id = $10, endpoint_sealed_secret = $11,
       previous_endpoint_id = $12, previous_sealed_secret = $13, previous_until = $14,
       reason = $15, changed_by = $16, changed_at = $17, version = version + 1
     where connection_id = $1 and tenant_id = $2 and held_by = $3
     returning version`,
    [
      row.connectionId,
      row.tenantId,
      holder,
      row.status,
      row.apiVersion,
      row.livemode ?? null,
      row.connectedAt ?? null,
      row.taxPolicy,
      row.sealedApiKey ?? null,
      endpoint?.id ?? null,
      endpoint?.sealedSecret ?? null,
      previous?.id ?? null,
      previous?.sealedSecret ?? null,
      previous?.until ?? null,
      row.reason ?? null,
      row.changedBy ?? null,
      row.changedAt,
    ],
  );
  return rows[0]?.version;
}

/** Only this table knows of a connection that was never opened. */
export async function deleteOpeningConnection(
  pool: pg.Pool,
  holder: string,
  connectionId: string,
): Promise<boolean> {
  const { rowCount } = await pool.query(
    `delete from processor_connection
     where connection_id = $1 and held_by = $2 and status = 'opening'`,
    [connectionId, holder],
  );
  return rowCount === 1;
}

/** False while somebody else holds it. There is no row: nobody can. */
export async function takeProcessorConnection(
  pool: pg.Pool,
  holder: string,
  { connectionId, seconds }: { connectionId: string; seconds: number },
): Promise<boolean> {
  const { rowCount } = await pool.query(
    `update processor_connection
     set held_by = $2, held_until = clock_timestamp() + make_interval(secs => $3)
     where connection_id = $1 and (held_until is null or held_until < clock_timestamp())`,
    [connectionId, holder, seconds],
  );
  return rowCount === 1;
}

export async function releaseProcessorConnection(
  pool: pg.Pool,
  holder: string,
  connectionId: string,
): Promise<void> {
  await pool.query(
    `update processor_connection set held_by = null, held_until = null
     where connection_id = $1 and held_by = $2`,
    [connectionId, holder],
  );
}
