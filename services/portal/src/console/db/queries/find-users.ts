import type { Queryable } from './queryable.ts';

export type UserRow = { userId: string; name: string | null; email: string | null };
/** By what a user was found, and where in the order of that a page ended. */
export type UserPlace = { by: Way; key: string; userId: string };
export type Way = 'id' | 'email' | 'name' | 'last-name';
type Found = UserRow & { key: string };
type Wanted = { q: string; after: UserPlace | undefined; limit: number };

/**
 * Users of a tenant's product by the beginning of their id, then of their e-mail, then of their
 * name and last name; whoever was found by one of these is not found again by a later one. Erased
 * people are not found: nothing is left but their id, which whoever knows it can look up.
 */
export async function findUsers(
  db: Queryable,
  tenantId: string,
  q: string | undefined,
  { limit, after }: { limit: number; after: UserPlace | undefined },
): Promise<{ users: UserRow[]; next: UserPlace | undefined }> {
  const all: readonly Way[] = q === undefined ? ['id'] : ['id', 'email', 'name', 'last-name'];
  const found: (Found & { by: Way })[] = [];
  for (const by of all.slice(Math.max(0, all.indexOf(after?.by ?? 'id')))) {
    const from = after?.by === by ? after : undefined;
    const wanted = { q: q ?? '', after: from, limit: limit + 1 - found.length };
    const rows = await (by === 'id'
      ? findById(db, tenantId, wanted)
      : findByPerson(db, tenantId, by, wanted));
    found.push(...rows.map((row) => ({ ...row, by })));
    if (found.length > limit) break;
  }
  const shown = found.slice(0, limit);
  const last = found.length > limit ? shown.at(-1) : undefined;
  return {
    users: shown.map(({ userId, name, email }) => ({ userId, name, email })),
    next: last && { by: last.by, key: last.key, userId: last.userId },
  };
}

/**
 * From one id to the next, each by an index: nobody reads the events of all of them. What is joined
 * is joined one by one (`offset 0`), so that no more ids are looked for than are shown.
 */
async function findById(
  db: Queryable,
  tenantId: string,
  { q, after, limit }: Wanted,
): Promise<Found[]> {
  const next = (from: string) => `(select user_id from (
      ${[
        ['person', 'user_id'],
        ['event', 'new_user_id'],
        ['code_change', 'product_user_id'],
      ]
        .map(
          ([table, column]) => `(select ${column} as user_id from ${table}
            where tenant_id = $1 and ${column} ${from} order by ${column} limit 1)`,
        )
        .join(' union all ')}) as nearest
    where starts_with(user_id, $2) order by user_id collate "C" limit 1)`;
  const first = after === undefined ? '>= $3' : '> $3';
  const { rows } = await db.query<Found>(
    `with recursive found (user_id) as (
       select ${next(first)} union all
       select ${next('> found.user_id')} from found where found.user_id is not null
     )
     select found.user_id as "userId", found.user_id as key, name, email
     from found left join lateral (
       select name, email, erased_at from person
       where person.tenant_id = $1 and person.user_id = found.user_id offset 0
     ) as person on true
     where found.user_id is not null
       and (erased_at is null or name is not null or email is not null)
     limit $4`,
    [tenantId, q, after?.userId ?? q, limit],
  );
  return rows;
}

const keys: Record<Exclude<Way, 'id'>, { key: string; where: string }> = {
  email: { key: 'lower(email) collate "C"', where: 'email is not null' },
  name: { key: 'lower(name) collate "C"', where: 'name is not null' },
  'last-name': {
    key: `regexp_replace(lower(name), '^.*\\s', '') collate "C"`,
    where: `name ~ '\\s'`,
  },
};

async function findByPerson(
  db: Queryable,
  tenantId: string,
  by: Exclude<Way, 'id'>,
  { q, after, limit }: Wanted,
): Promise<Found[]> {
  const { key, where } = keys[by];
  const begins = (column: string) => `coalesce(starts_with(lower(${column}), lower($2)), false)`;
  const earlier = [
    'starts_with(user_id, $2)',
    ...(by === 'email' ? [] : [begins('email')]),
    ...(by === 'last-name' ? [begins('name')] : []),
  ];
  // The last of all characters ends what begins with the text.
  const { rows } = await db.query<Found>(
    `select user_id as "userId", ${key} as key, name, email from person
     where tenant_id = $1 and ${where} and not (${earlier.join(' or ')})
       and (${key}) >= lower($2) collate "C" and (${key}) < (lower($2) || chr(1114111)) collate "C"
       and ($3::text is null or ((${key}), user_id) > ($3 collate "C", $4))
     order by ${key}, user_id limit $5`,
    [tenantId, q, after?.key ?? null, after?.userId ?? null, limit],
  );
  return rows;
}
