import type { CodeRecord } from '@tributary/contracts/code-record';
import type { Queryable } from './queryable.ts';

export type CodeRow = {
  ucc: string;
  productUserId: string;
  campaignId: string;
  issuedAt: string;
  disabledAt?: string;
};
export type CodeFilter = {
  q?: string | undefined;
  user?: string | undefined;
  state?: 'active' | 'disabled' | undefined;
};

/**
 * Codes in the order of their bytes, as the latest change of each left it. Disabled ones have an
 * index: there are few, so that active ones are found by passing over them.
 */
export async function listCodes(
  db: Queryable,
  tenantId: string,
  filter: CodeFilter,
  { limit, after }: { limit: number; after: string | undefined },
): Promise<{ codes: CodeRow[]; next: string | undefined }> {
  const { q = '', user, state } = filter;
  const conditions = [
    'tenant_id = $1',
    ...(user === undefined ? [] : ['product_user_id = $5']),
    ...(state === 'disabled' ? [`record ->> 'type' = 'code-disabled'`] : []),
  ].join(' and ');
  const next = (from: string) => `(select ucc from code_change
    where ${conditions} and ucc ${from} order by ucc limit 1)`;
  const { rows } = await db.query<{ record: CodeRecord; issuedAt: string }>(
    `with recursive found (ucc) as (
       select ${next(after === undefined ? '>= $3' : '> $3')} union all
       select ${next('> found.ucc')} from found where starts_with(found.ucc, $2)
     )
     select latest.record, latest."issuedAt" from found cross join lateral (
       select record, min(changed_at) over () as "issuedAt" from code_change
       where tenant_id = $1 and code_change.ucc = found.ucc order by version desc limit 1
     ) as latest
     where starts_with(found.ucc, $2) ${stateCondition(state)}
     limit $4`,
    [tenantId, q, after ?? q, limit + 1, ...(user === undefined ? [] : [user])],
  );
  const codes = rows.slice(0, limit).map(toRow);
  return { codes, next: rows.length > limit ? codes.at(-1)?.ucc : undefined };
}

function stateCondition(state: CodeFilter['state']): string {
  if (state === undefined) return '';
  return `and latest.record ->> 'type' ${state === 'disabled' ? '=' : '<>'} 'code-disabled'`;
}

function toRow({ record, issuedAt }: { record: CodeRecord; issuedAt: string }): CodeRow {
  const { ucc, productUserId, campaignId, type, at } = record;
  const row = { ucc, productUserId, campaignId, issuedAt };
  return type === 'code-disabled' ? { ...row, disabledAt: at } : row;
}
