import type { FilterOf } from '@tributary/contracts/admin/query-parameters';
import type { RefusedRequest, requestRoutes } from '@tributary/contracts/admin/requests';
import { timeOf } from '@tributary/generations/read-model-keys';
import { type Conditions, createConditions } from './conditions.ts';
import { addPeriod, type Listed, type Page, pageClause, keyed, toListed } from './paging.ts';
import type { Queryable } from './queryable.ts';

/** `from` is never earlier than what is kept. */
export type RequestFilter = FilterOf<(typeof requestRoutes)['listRefusedRequests']['query']>;

/** Newest first, by the last of the requests that were refused alike. */
export async function listRequests(
  db: Queryable,
  tenantId: string,
  filter: RequestFilter,
  page: Page,
): Promise<Listed<RefusedRequest>> {
  const conditions = createConditions();
  conditions.equal('tenant_id', tenantId);
  conditions.equal('route', filter.route);
  conditions.equal('code', filter.code);
  conditions.equal('access_key_id', filter.key);
  if (filter.status !== undefined) {
    conditions.add(`status = ${conditions.value(filter.status)}::int`);
  }
  addPeriod(conditions, 'at', filter);
  const end = pageClause(conditions, keyed(page), { at: 'at', id: 'request_id' });
  const { rows } = await db.query<{ id: string; at: string; record: RefusedRequest }>(
    `select request_id as id, at, record from refused_request where ${conditions.where()} ${end}`,
    conditions.values,
  );
  const { items, next } = toListed(rows, page.limit, ({ at, id }) => ({ at: timeOf(at), id }));
  return { items: items.map(({ record }) => record), next };
}

/** How many more were refused in the period. */
export async function countOmittedRequests(
  db: Queryable,
  tenantId: string,
  period: { from?: string | undefined; to?: string | undefined },
): Promise<number> {
  const conditions: Conditions = createConditions();
  conditions.equal('tenant_id', tenantId);
  addPeriod(conditions, 'at', period);
  const { rows } = await db.query<{ count: string }>(
    `select coalesce(sum(count), 0)::text as count from omitted_requests
     where ${conditions.where()}`,
    conditions.values,
  );
  return Number(rows[0]?.count ?? 0);
}
