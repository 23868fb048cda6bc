import {
  type ProcessorConnectionRow,
  putProcessorConnection,
  type SealedEndpoint,
} from '../db/processor-connections.ts';
import { lockTenant } from '../db/tenants.ts';
import { changeCatalog } from './change-catalog.ts';
import type { Deployment } from './deployment.ts';
import { type CatalogChange, publishCatalog } from './publish.ts';

/** In the catalog, and in use. */
export type ActiveConnection = ProcessorConnectionRow & {
  status: 'active';
  livemode: boolean;
  endpoint: SealedEndpoint;
};

export function isActive(row: ProcessorConnectionRow): row is ActiveConnection {
  return row.status === 'active' && row.livemode !== undefined && row.endpoint !== undefined;
}

/** As it is to be from now on. */
export type OpenedConnection = Omit<
  ProcessorConnectionRow,
  'version' | 'changedAt' | 'status' | 'livemode' | 'connectedAt'
> & { status: 'active' | 'disconnected'; livemode: boolean; connectedAt: Date | undefined };

/**
 * Writes a connection that the holder holds, and its record. Undefined when it is held no more:
 * then nothing is written.
 */
export async function storeProcessor(
  deployment: Deployment,
  holder: string,
  input: (at: Date) => OpenedConnection,
): Promise<ProcessorConnectionRow | undefined> {
  const { clock } = deployment;
  return changeCatalog(deployment, async (tx) => {
    const at = clock.now();
    const next = input(at);
    const evenRemoved = next.status === 'disconnected';
    if (!(await lockTenant(tx, next.tenantId, { evenRemoved }))) return undefined;
    const connectedAt = next.connectedAt ?? at;
    const row = { ...next, connectedAt, changedAt: at };
    const version = await putProcessorConnection(tx, holder, row);
    if (version === undefined) return undefined;
    await publishCatalog(tx, deployment, at, changeTo({ ...row, version }));
    return { ...row, version };
  });
}

function changeTo(row: OpenedConnection & { connectedAt: Date; version: number }): CatalogChange {
  const { previous, reason, changedBy } = row;
  return {
    entity: 'processor-connection',
    tenantId: row.tenantId,
    version: row.version,
    connectionId: row.connectionId,
    processor: 'stripe',
    apiVersion: row.apiVersion,
    livemode: row.livemode,
    taxPolicy: row.taxPolicy,
    connectedAt: row.connectedAt.toISOString(),
    sealedApiKey: row.sealedApiKey ?? null,
    endpoint: row.endpoint ?? null,
    ...(previous && { previous: { ...previous, until: previous.until.toISOString() } }),
    status: row.status,
    ...(reason !== undefined && { reason }),
    ...(changedBy !== undefined && { changedBy }),
  };
}
