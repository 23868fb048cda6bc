import type { Refusal, RefusalRecord } from '@tributary/contracts/refusal-record';
import { oneOfEach } from '@tributary/event-log/newest-of';
import { keyOf, timeKeyOf } from '@tributary/generations/read-model-keys';
import type { Tx } from '@tributary/runtime/postgres';

/** Requests that were refused; facts, each written once. */
export async function writeRefusals(tx: Tx, records: readonly RefusalRecord[]): Promise<void> {
  await insertRequests(tx, records.flatMap(rowsOf));
  await insertOmitted(
    tx,
    records.filter(({ omitted }) => omitted > 0),
  );
}

type Row = { requestId: string; tenantId: string; refusal: Refusal; text: string };

function rowsOf({ refusalId, tenantId, service, refusals }: RefusalRecord): Row[] {
  return refusals.map((refusal, number) => ({
    requestId: keyOf(`${refusalId} ${number}`),
    ...{ tenantId, refusal },
    text: JSON.stringify({ service, ...refusal }),
  }));
}

async function insertRequests(tx: Tx, rows: readonly Row[]): Promise<void> {
  if (rows.length === 0) return;
  const requests = oneOfEach(rows, ({ requestId }) => requestId);
  await tx.query({
    name: 'write_refused_requests',
    text: `insert into refused_request
             (request_id, at, status, tenant_id, route, code, access_key_id, record)
           select request_id, at, status, tenant_id, route, code, access_key_id, record
           from unnest($1::uuid[], $2::bigint[], $3::int[], $4::text[], $5::text[], $6::text[],
             $7::text[], $8::json[]) as next (request_id, at, status, tenant_id, route, code,
             access_key_id, record)
           order by request_id
           on conflict (request_id) do nothing`,
    values: [
      requests.map(({ requestId }) => requestId),
      requests.map(({ refusal }) => timeKeyOf(refusal.lastAt)),
      requests.map(({ refusal }) => refusal.status),
      requests.map(({ tenantId }) => tenantId),
      requests.map(({ refusal }) => refusal.route),
      requests.map(({ refusal }) => refusal.code ?? null),
      requests.map(({ refusal }) => refusal.accessKeyId ?? null),
      requests.map(({ text }) => text),
    ],
  });
}

async function insertOmitted(tx: Tx, records: readonly RefusalRecord[]): Promise<void> {
  if (records.length === 0) return;
  const omitted = oneOfEach(records, ({ refusalId }) => refusalId);
  await tx.query({
    name: 'write_omitted_requests',
    text: `insert into omitted_requests (refusal_id, at, count, tenant_id)
           select refusal_id, at, count, tenant_id
           from unnest($1::uuid[], $2::bigint[], $3::int[], $4::text[])
             as next (refusal_id, at, count, tenant_id)
           order by refusal_id
           on conflict (refusal_id) do nothing`,
    values: [
      omitted.map(({ refusalId }) => refusalId),
      omitted.map(({ at }) => timeKeyOf(at)),
      omitted.map((record) => record.omitted),
      omitted.map(({ tenantId }) => tenantId),
    ],
  });
}
