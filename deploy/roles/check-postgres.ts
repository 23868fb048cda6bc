import { createPool, inTransaction, type Tx } from '../../packages/runtime/src/postgres.ts';
import { createLogger } from '../../packages/runtime/src/logger.ts';
import type { AdminSettings } from './apply-postgres.ts';
import { ownershipOf, strangersQuery } from './postgres-statements.ts';
import {
  createsSchemas,
  generationsSchema,
  type PostgresPrincipal,
  postgresTable,
  roleName,
} from './roles-table.ts';

/** What differs from the table, each as a sentence: rights that lack, and rights too many. */
export async function checkPostgresRoles(options: {
  admin: AdminSettings;
  prefix: string;
}): Promise<string[]> {
  const { admin, prefix } = options;
  const pool = createPool(
    { ...admin, schema: 'pg_catalog', poolSize: 1 },
    { applicationName: 'roles', logger: createLogger({ service: 'roles', level: 'error' }) },
  );
  try {
    return await inTransaction(pool, async (tx) => {
      const missing = await findMissingRoles(tx, prefix);
      // What has no role has no rights either; everything else would only repeat that.
      if (missing.length > 0) return missing;
      return [
        ...(await findPowers(tx, prefix)),
        ...(await findStrangers(tx, prefix)),
        ...(await findDatabaseRights(tx, prefix)),
        ...(await findRegistryRights(tx, prefix)),
        ...(await findForeignRights(tx, prefix)),
      ];
    });
  } finally {
    await pool.end();
  }
}

const principals = Object.keys(postgresTable) as PostgresPrincipal[];

async function findMissingRoles(tx: Tx, prefix: string): Promise<string[]> {
  const { rows } = await tx.query<{ role: string }>(
    'select role from unnest($1::text[]) as wanted (role) where to_regrole(quote_ident(role)) is null',
    [principals.map((principal) => roleName(prefix, principal))],
  );
  return rows.map(({ role }) => `there is no role ${role}`);
}

async function findPowers(tx: Tx, prefix: string): Promise<string[]> {
  const roles = principals.map((principal) => roleName(prefix, principal));
  const { rows } = await tx.query<{ role: string; rolcanlogin: boolean; rolsuper: boolean }>(
    `select rolname as role, rolcanlogin, rolsuper or rolcreaterole or rolcreatedb
       or rolreplication or rolbypassrls as rolsuper
     from pg_roles where rolname = any($1) order by 1`,
    [roles],
  );
  const powers = rows.flatMap(({ role, rolcanlogin, rolsuper }) => [
    ...(rolcanlogin ? [] : [`${role} lacks the right to log in`]),
    ...(rolsuper ? [`${role} has powers of an administrator`] : []),
  ]);
  return [...powers, ...(await findMemberships(tx, prefix))];
}

async function findMemberships(tx: Tx, prefix: string): Promise<string[]> {
  const nameOf = (principal: string) => roleName(prefix, principal);
  const { rows } = await tx.query<{ role: string; other: string }>(
    `select member.rolname as role, granted.rolname as other
     from pg_auth_members m
     join pg_roles member on member.oid = m.member join pg_roles granted on granted.oid = m.roleid
     where member.rolname = any($1) order by 1, 2`,
    [principals.map(nameOf)],
  );
  const found = new Set(rows.map(({ role, other }) => `${role} ${other}`));
  const wanted = principals.flatMap((principal) =>
    (postgresTable[principal].actsFor ?? []).map((other) => [nameOf(principal), nameOf(other)]),
  );
  const allowed = new Set(wanted.map((pair) => pair.join(' ')));
  return [
    ...wanted
      .filter((pair) => !found.has(pair.join(' ')))
      .map(([role, other]) => `${role} lacks the right to act for ${other}`),
    ...rows
      .filter(({ role, other }) => !allowed.has(`${role} ${other}`))
      .map(({ role, other }) => `${role} may act for ${other}, and should not`),
  ];
}

async function findStrangers(tx: Tx, prefix: string): Promise<string[]> {
  const { patterns, roles } = ownershipOf(prefix);
  const { rows } = await tx.query<{ kind: string; name: string; owner: string; role: string }>(
    strangersQuery,
    [patterns, roles],
  );
  const missing = await findMissingSchemas(tx, prefix);
  const strangers = rows.map(
    ({ kind, name, owner, role }) => `${role} does not own ${kind} ${name}: ${owner} does`,
  );
  return [...missing, ...strangers];
}

async function findMissingSchemas(tx: Tx, prefix: string): Promise<string[]> {
  const wanted = principals.flatMap((principal) =>
    postgresTable[principal].owns.map((schema) => ({ schema, role: roleName(prefix, principal) })),
  );
  const { rows } = await tx.query<{ schema: string; role: string }>(
    `select schema, role from unnest($1::text[], $2::text[]) as wanted (schema, role)
     where to_regnamespace(quote_ident(schema)) is null`,
    [wanted.map(({ schema }) => schema), wanted.map(({ role }) => role)],
  );
  return rows.map(({ schema, role }) => `${role} lacks its schema ${schema}`);
}

async function findDatabaseRights(tx: Tx, prefix: string): Promise<string[]> {
  const wanted = principals.map((principal) => ({
    role: roleName(prefix, principal),
    creates: createsSchemas(principal),
  }));
  const { rows } = await tx.query<{ role: string; wanted: boolean; creates: boolean; db: string }>(
    `select role, wanted, has_database_privilege(role, current_database(), 'create') as creates,
       current_database() as db
     from unnest($1::text[], $2::boolean[]) as wanted (role, wanted)
     where has_database_privilege(role, current_database(), 'create') <> wanted
        or not has_database_privilege(role, current_database(), 'connect')`,
    [wanted.map(({ role }) => role), wanted.map(({ creates }) => creates)],
  );
  return rows.map(({ role, wanted: isWanted, creates, db }) => {
    if (creates === isWanted) return `${role} lacks CONNECT on database ${db}`;
    return isWanted
      ? `${role} lacks CREATE on database ${db}`
      : `${role} has CREATE on database ${db}, and should not`;
  });
}

async function findRegistryRights(tx: Tx, prefix: string): Promise<string[]> {
  const wanted = principals.flatMap((principal) =>
    (postgresTable[principal].registry ?? []).flatMap(({ privilege, on, columns = [''] }) =>
      columns.map((column) => ({ role: roleName(prefix, principal), privilege, on, column })),
    ),
  );
  const { rows } = await tx.query<{ role: string; privilege: string; name: string }>(
    `select role, privilege, name || case column_name when '' then '' else '.' || column_name end
       as name
     from (select role, privilege, format('%I.%I', $5::text, on_table) as name, column_name
       from unnest($1::text[], $2::text[], $3::text[], $4::text[])
         as wanted (role, privilege, on_table, column_name)) wanted
     where to_regclass(name) is null or not case column_name
       when '' then has_table_privilege(role, to_regclass(name), privilege)
       else has_column_privilege(role, to_regclass(name), column_name, privilege) end`,
    [
      wanted.map(({ role }) => role),
      wanted.map(({ privilege }) => privilege),
      wanted.map(({ on }) => on),
      wanted.map(({ column }) => column),
      generationsSchema,
    ],
  );
  return rows.map(
    ({ role, privilege, name }) => `${role} lacks ${privilege.toUpperCase()} on ${name}`,
  );
}

/** Schemas of others that a role can look into, apart from the registry and whom it acts for. */
async function findForeignRights(tx: Tx, prefix: string): Promise<string[]> {
  const { patterns, roles } = ownershipOf(prefix);
  const readers = principals.filter((principal) => postgresTable[principal].registry !== undefined);
  const { rows } = await tx.query<{ role: string; schema: string }>(
    `select distinct visitor.role, nspname as schema
     from pg_namespace
     join unnest($1::text[], $2::text[]) as own (pattern, role) on nspname ~ own.pattern
     join unnest($3::text[]) as visitor (role) on true
     where not pg_has_role(visitor.role, own.role, 'usage')
       and has_schema_privilege(visitor.role, nspname, 'usage')
       and not (nspname = $4 and visitor.role = any($5))
     order by 1, 2`,
    [
      patterns,
      roles,
      principals.map((principal) => roleName(prefix, principal)),
      generationsSchema,
      readers.map((principal) => roleName(prefix, principal)),
    ],
  );
  return rows.map(({ role, schema }) => `${role} can look into schema ${schema}, and should not`);
}
