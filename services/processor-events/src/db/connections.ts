import type { ProcessorConnectionRecord } from '@tributary/contracts/catalog-record';
import type { Claim } from './claim-needs.ts';
import type { Queryable } from './queryable.ts';

/**
 * What the catalog says of connections, for whoever claims. One that was changed (a new key, above
 * all) is asked at once, whatever it answered before. A version not above the known one changes
 * nothing.
 */
export async function putConnections(
  db: Queryable,
  records: readonly ProcessorConnectionRecord[],
): Promise<void> {
  await db.query(
    `with changed as (
       insert into connection (connection_id, tenant_id, version, active)
       select * from unnest($1::text[], $2::text[], $3::integer[], $4::boolean[])
         as reported (connection_id, tenant_id, version, active)
       order by connection_id
       on conflict (connection_id) do update set
         tenant_id = excluded.tenant_id, version = excluded.version, active = excluded.active,
         rest_until = null, failures = 0, failing_since = null, failing_detail = null
       where connection.version < excluded.version
       returning connection_id
     )
     update need set not_before = null
     from changed
     where need.connection_id = changed.connection_id and need.not_before is not null`,
    [
      records.map((record) => record.connectionId),
      records.map((record) => record.tenantId),
      records.map((record) => record.version),
      records.map((record) => record.status === 'active'),
    ],
  );
}

/** So many failures in a row are reported to people, who may know more of it. */
const failuresToReport = 10;

/**
 * A question had no answer: none is asked for so long. Several that were under way together count
 * as one failure.
 */
export async function restConnection(
  db: Queryable,
  { connectionId, failures }: Pick<Claim, 'connectionId' | 'failures'>,
  { afterMs, detail }: { afterMs: number; detail: string },
): Promise<void> {
  await db.query({
    name: 'rest_connection',
    text: `update connection set failures = greatest(failures, $5::integer + 1),
             rest_until = greatest(rest_until, now() + $2 * interval '1 millisecond'),
             failing_since = case when greatest(failures, $5::integer + 1) >= $4
               then coalesce(failing_since, now()) end,
             failing_detail = case when greatest(failures, $5::integer + 1) >= $4 then $3 end
           where connection_id = $1`,
    values: [connectionId, afterMs, detail.replaceAll('\0', ''), failuresToReport, failures],
  });
}

/** It answers. */
export async function easeConnection(db: Queryable, connectionId: string): Promise<void> {
  await db.query({
    name: 'ease_connection',
    text: `update connection set failures = 0, rest_until = null, failing_since = null,
             failing_detail = null
           where connection_id = $1 and failures > 0`,
    values: [connectionId],
  });
}

/** Connections whose rotated endpoint was removed at the processor, by connection. */
export async function readRemovedEndpoints(db: Queryable): Promise<Map<string, string>> {
  const { rows } = await db.query<{ connection_id: string; removed_endpoint_id: string }>(
    `select connection_id, removed_endpoint_id from connection
     where removed_endpoint_id is not null`,
  );
  return new Map(rows.map((row) => [row.connection_id, row.removed_endpoint_id]));
}

export async function putRemovedEndpoint(
  db: Queryable,
  connectionId: string,
  endpointId: string,
): Promise<void> {
  await db.query('update connection set removed_endpoint_id = $2 where connection_id = $1', [
    connectionId,
    endpointId,
  ]);
}
